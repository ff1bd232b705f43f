"""Measures mpcflow against theory and published values, by runs of the program (tools/validate.sh, docs/validation_tables.md).

Each subject has a module: which runs it takes (`cases`), what is measured in one (`measure`), and what that is set beside (`tables`).
Measuring needs numpy, h5py and yaml alone; pictures need matplotlib.
"""
