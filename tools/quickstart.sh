#!/usr/bin/env bash
# From a fresh machine to a first result: installs what is missing, builds mpcflow into build/, runs a flow
# between two plates (examples/poiseuille.yaml) on the best device there is, and compares it with theory.
#
#   tools/quickstart.sh                  results go to out/quickstart (those of an earlier quickstart are replaced)
#   tools/quickstart.sh --cuda           builds for GPUs on a machine without one, too
#   tools/quickstart.sh --no-install     does not look for missing packages
#   tools/quickstart.sh --output DIR     results go to DIR
set -euo pipefail
# shellcheck source=SCRIPTDIR/shell/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/shell/common.sh"

install=yes
cuda=where_a_gpu_is
output=$MPCFLOW_ROOT/out/quickstart
overwrite=(--overwrite)
while (($# > 0)); do
    case $1 in
        --no-install) install=no ;;
        --cuda) cuda=always ;;
        --output)
            output=$(realpath -m -- "${2:?--output needs a folder}")
            overwrite=()
            shift
            ;;
        -h | --help) print_help "$0"; exit 0 ;;
        *) print_help "$0" >&2; exit 2 ;;
    esac
    shift
done
cd "$MPCFLOW_ROOT"

if [[ $install == yes ]]; then
    say "Installing what is missing"
    tools/install_dependencies.sh || warn "going on with what there is; if the build fails, see above"
fi

# The code for GPUs takes longer to compile than all the rest.
build=(-DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DMPCFLOW_CUDA=OFF)
if ! nvcc=$(find_nvcc); then
    [[ $cuda != always ]] || die "no CUDA compiler (nvcc) is here, or CUDACXX does not say where"
    say "Building in build/, for the CPU alone (no CUDA compiler is here)"
elif [[ $cuda == always ]] || has_gpu; then
    build+=(-DMPCFLOW_CUDA=ON "-DCMAKE_CUDA_ARCHITECTURES=$(cuda_architectures)")
    say "Building in build/, with CUDA ($nvcc)"
else
    say "Building in build/, for the CPU alone (no GPU is here; --cuda builds for GPUs all the same)"
fi
log=$MPCFLOW_ROOT/build/quickstart.log
note "a few minutes the first time; what the compilers say goes to $log"
mkdir -p build
# Folders of an earlier configuration keep theirs.
{
    configure_build "$MPCFLOW_ROOT/build" "${build[@]}" &&
        cmake --build "$MPCFLOW_ROOT/build" --parallel "$(build_jobs)" --target mpcflow
} >"$log" 2>&1 || {
    tail -n 30 "$log" >&2
    die "the build failed; all of its output is in $log"
}
mpcflow=$MPCFLOW_ROOT/build/app/mpcflow
note "$mpcflow"

say "Running examples/poiseuille.yaml"
"$mpcflow" run examples/poiseuille.yaml --output "$output" ${overwrite[@]+"${overwrite[@]}"}

say "The flow beside theory"
if python=$(python_with h5py matplotlib numpy yaml); then
    PYTHON=$python tools/mpcflow-plot "$output" flow ${overwrite[@]+"${overwrite[@]}"}
else
    die "no python3 with h5py, matplotlib, numpy and yaml is here to draw the flow; the results are in $output"
fi
note "Next: 'build/app/mpcflow check examples/poiseuille.yaml' tells what an input means; README.md goes on from here."
