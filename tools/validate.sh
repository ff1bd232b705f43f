#!/usr/bin/env bash
# Measures mpcflow against theory and published values, and makes docs/validation_tables.md; --help says how.
#
#   tools/validate.sh --mpcflow PROGRAM [--device auto|cpu|cuda] [--subject NAME ...] [--write]
#   tools/validate.sh --page-only
#
# Takes the first of $PYTHON, python3 and /usr/bin/python3 that has numpy, h5py and yaml; pages need matplotlib, too.
set -euo pipefail
# shellcheck source=tools/shell/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/shell/common.sh"

if ! python=$(python_with h5py numpy yaml); then
    echo "validate.sh: no python3 with h5py, numpy and yaml is here; PYTHON names another, PYTHONPATH a folder of packages" >&2
    exit 3
fi
PYTHONPATH=$MPCFLOW_ROOT/tools${PYTHONPATH:+:$PYTHONPATH} exec "$python" -m mpcflow_tools.validation.command "$@"
