"""Reading and looking at the results of mpcflow: docs/analysis.md."""

__version__ = "0.1.0"

from mpcflow_tools.results import DamagedFile, MissingResult, ResultsError, Values
from mpcflow_tools.run import Run
from mpcflow_tools.trajectory import Frame, Trajectory
from mpcflow_tools.windows import Window, Windows

__all__ = ["DamagedFile", "Frame", "MissingResult", "ResultsError", "Run", "Trajectory", "Values", "Window", "Windows", "__version__"]
