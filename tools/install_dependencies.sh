#!/usr/bin/env bash
# Installs what mpcflow needs to be built, tested and looked at, on Debian and Ubuntu.
#
#   tools/install_dependencies.sh            installs what is missing, with apt-get
#   tools/install_dependencies.sh --check    only says what is missing
#   tools/install_dependencies.sh --list     prints the packages, one a line
#   tools/install_dependencies.sh --clang    installs clang with its fuzzer and clang-format, too
#   tools/install_dependencies.sh --slurm    installs a Slurm to test mpcflow-submit with, too
#   tools/install_dependencies.sh --packages installs what packages are made and tested with, too
#
# Needs root or sudo only if something is missing. CUDA is not installed: with a CUDA toolkit (nvcc) the build
# has the device solver, without one it is for the CPU alone.
# Exit status: 0 all there; 2 bad arguments; 3 something is missing and may not be installed here.
set -euo pipefail
# shellcheck source=SCRIPTDIR/shell/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/shell/common.sh"

packages=(
    g++ cmake ninja-build git pkg-config     # to build
    libhdf5-dev libyaml-cpp-dev libcli11-dev libfmt-dev
    openmpi-bin libopenmpi-dev               # to run on several processes
    libgtest-dev libboost-context-dev        # to test
    python3 python3-h5py python3-matplotlib python3-numpy python3-yaml  # to plot and analyse
)

mode=install
for argument in "$@"; do case $argument in
    --check) mode=check ;;
    --clang) packages+=(clang clang-format libclang-rt-dev) ;;
    --packages) packages+=(binutils dpkg-dev environment-modules file fish groff man-db mandoc zsh) ;;
    --slurm) packages+=(slurm-wlm munge) ;;
    --list) mode=list ;;
    -h | --help) print_help "$0"; exit 0 ;;
    *) print_help "$0" >&2; exit 2 ;;
esac; done
if [[ $mode == list ]]; then
    printf '%s\n' "${packages[@]}"
    exit
fi

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null) == ii* ]]; }

# What CMake of the distribution is too old for, apt-get cannot mend.
check_cmake() {
    local version
    have cmake || return 0
    version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p')
    if [[ $(printf '%s\n' 3.25 "$version" | sort -V | head -n 1) != 3.25 ]]; then
        warn "mpcflow needs CMake 3.25 or newer, and this is $version. A newer one: 'pip install --user cmake'" \
             "or https://cmake.org/download"
        return 3
    fi
}

give_up() {
    printf '\nMissing packages:\n' >&2
    printf '    %s\n' "${missing[@]}" >&2
    printf '%s\n' "$@" >&2
    exit 3
}

if ! have dpkg-query || ! have apt-get; then
    missing=("${packages[@]}")
    give_up "(or some of them) cannot be installed: this is neither Debian nor Ubuntu. Install what answers to" \
            "these packages with your system's tools or modules, and point CMAKE_PREFIX_PATH at it if need be."
fi

missing=()
for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
done

if ((${#missing[@]} == 0)); then
    note "All ${#packages[@]} packages that mpcflow needs are installed."
    check_cmake
    exit
fi

command_line="apt-get install --no-install-recommends ${missing[*]}"
if [[ $mode == check ]]; then
    give_up "To install them, as root:" "    $command_line"
fi

as_root=()
if ((EUID != 0)); then
    if have sudo && sudo -n true 2>/dev/null; then
        as_root=(sudo -n)
    elif have sudo && [[ -t 0 && -t 2 ]]; then
        note "sudo may ask for your password, to install: ${missing[*]}"
        as_root=(sudo)
    else
        give_up "They may not be installed by this user (neither root nor sudo). Please have them installed:" \
                "    $command_line"
    fi
fi

say "Installing ${missing[*]}"
install_missing() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}
# The lists of a fresh machine or container are empty or old: update, and if that fails try with what there is.
"${as_root[@]}" apt-get update -qq || warn "apt-get update failed; trying with the package lists that are there"
install_missing || give_up "apt-get could not install them (see above). By hand, as root:" "    $command_line"
check_cmake
