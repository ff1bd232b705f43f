# Shell functions that the scripts of tools/ share; sourced, not run.
# shellcheck shell=bash

MPCFLOW_ROOT=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)

say() { printf '\n==> %s\n' "$*"; }
note() { printf '    %s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# The comment at the head of the script $1, as its help text.
print_help() { sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$1"; }

# How many compilers to run at once: one a core, and 1.5 GB of memory each.
build_jobs() {
    local cores memory_kb jobs
    cores=$(nproc 2>/dev/null || echo 2)
    memory_kb=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo 2>/dev/null || true)
    jobs=$cores
    if [[ -n $memory_kb && $((memory_kb / 1500000)) -lt $cores ]]; then
        jobs=$((memory_kb / 1500000))
    fi
    echo "$((jobs > 0 ? jobs : 1))"
}

# The first Python that has the modules named; nothing and status 1 if there is none. Asks $PYTHON first; the
# python3 on the PATH need not be the one for which the system's packages are. Does not import them, which takes
# longer than all else that a tool's start does: a module that is there but broken says so itself.
python_with() {
    local python find_modules='import importlib.util, sys; sys.exit(None in map(importlib.util.find_spec, sys.argv[1:]))'
    for python in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
        if have "$python" && "$python" -c "$find_modules" "$@" >/dev/null 2>&1; then
            echo "$python"
            return 0
        fi
    done
    return 1
}

# run_tool NAME ARGUMENT...: becomes the command mpcflow-NAME of the package in tools/, which need not be installed.
run_tool() {
    local python name=$1
    shift
    if ! python=$(python_with h5py matplotlib numpy yaml); then
        printf 'mpcflow-%s: no python3 with h5py, matplotlib, numpy and yaml is here (tools/install_dependencies.sh)\n' "$name" >&2
        exit 3
    fi
    PYTHONPATH=$MPCFLOW_ROOT/tools${PYTHONPATH:+:$PYTHONPATH} exec "$python" -m "mpcflow_tools.$name" "$@"
}

# nvcc, wherever CUDA usually lies; nothing and status 1 if there is none.
find_nvcc() {
    local nvcc
    for nvcc in "${CUDACXX:-}" nvcc "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
        if [[ -n $nvcc ]] && have "$nvcc"; then
            command -v "$nvcc"
            return 0
        fi
    done
    return 1
}

has_gpu() { have nvidia-smi && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# Of the GPU here, of an H100 or H200 where there is none, or what CUDAARCHS says: for builds that only this machine runs.
cuda_architectures() {
    local capability=""
    if [[ -n ${CUDAARCHS:-} ]]; then
        echo "$CUDAARCHS"
        return
    fi
    if have nvidia-smi; then
        capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ' || true)
    fi
    if [[ $capability =~ ^[0-9]+$ ]]; then echo "$capability"; else echo 90; fi
}

# configure_build BUILD_DIR [CMAKE_ARGUMENT...]: configures with Ninja where it is and the folder is new.
configure_build() {
    local build=$1
    shift
    local arguments=(-S "$MPCFLOW_ROOT" -B "$build")
    if [[ ! -f $build/CMakeCache.txt ]] && have ninja; then
        arguments+=(-G Ninja)
    fi
    if have ccache; then
        arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    cmake "${arguments[@]}" "$@"
}
