#!/usr/bin/env bash
# Installs what is missing, builds everything with warnings as errors, and runs every test.
#
#   tools/test.sh                 build-test/: all tests; build-asan/: host tests with address and undefined
#                                 behaviour sanitizers
#   tools/test.sh --sanitizers    also build-tsan/: what has threads with the thread sanitizer, and the
#                                 fuzzer of the input reader for ten seconds (where clang is); so does CI=true
#   tools/test.sh --all           also the tests labelled "nightly": long runs, all failures of a kind in place of samples;
#                                 and all checks of the address and undefined behaviour sanitizers, everywhere
#   tools/test.sh --quick         build-test/ alone
#   tools/test.sh --no-install    does not look for missing packages
#
# With a GPU and a CUDA compiler the device code is built, too; with --all also without a GPU, whose tests are skipped then,
# unless MPCFLOW_REQUIRE_GPU=1. Tells at the end what each stage took, and the slowest tests. The last line reads
# "N passed, N failed"; exit status 0 if nothing failed.
set -euo pipefail
# shellcheck source=SCRIPTDIR/shell/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/shell/common.sh"

sanitizers=no
quick=no
nightly=no
install=yes
[[ ${CI:-} == true || ${CI:-} == 1 ]] && sanitizers=yes
for argument in "$@"; do
    case $argument in
        --sanitizers) sanitizers=yes ;;
        --all) sanitizers=yes nightly=yes ;;
        --quick) quick=yes ;;
        --no-install) install=no ;;
        -h | --help) print_help "$0"; exit 0 ;;
        *) print_help "$0" >&2; exit 2 ;;
    esac
done

cd "$MPCFLOW_ROOT"
jobs=$(build_jobs)
cores=$(nproc 2>/dev/null || echo 2)
passed=0
failed=0
skipped=0
failures=()
stages=()
results=()

fail() {
    failed=$((failed + 1))
    failures+=("$1")
}

# end_stage NAME BEGAN: notes what took so long.
end_stage() { stages+=("$(printf '%5d s  %s' "$((SECONDS - $2))" "$1")"); }

# add_results BUILD_DIR STATUS: counts what ctest, which ended with STATUS, wrote to results.xml.
add_results() {
    local build=$1 status=$2 counts good bad off name
    if ! counts=$("$python" tools/shell/test_results.py count "$build/results.xml"); then
        fail "$build: ctest"
        return 0
    fi
    results+=("$build/results.xml")
    read -r good bad off <<<"$counts"
    passed=$((passed + good))
    failed=$((failed + bad))
    skipped=$((skipped + off))
    while read -r name; do
        [[ -z $name ]] || failures+=("$build: $name")
    done < <(tail -n +2 <<<"$counts")
    if ((status != 0 && bad == 0)); then
        fail "$build: ctest ended with status $status"
    fi
}

# build_and_test BUILD_DIR "LABEL..." [CMAKE_ARGUMENT...]: the tests with these labels, or "all" that are not "nightly",
# and what they run.
build_and_test() {
    local build=$1 wanted=$2 began=$SECONDS status=0 at_once
    local labels targets=() selection=(--label-exclude '^nightly$')
    shift 2
    if [[ $nightly == yes ]]; then selection=(); fi
    if [[ $wanted != all ]]; then
        read -r -a labels <<<"$wanted"
        targets=(--target "${labels[@]/#/tests_}")
        selection+=(--label-regex "^($(IFS='|'; echo "${labels[*]}"))\$")
    fi
    if ! configure_build "$build" "$@"; then
        fail "$build: configure"
        return 0
    fi
    if ! cmake --build "$build" --parallel "$jobs" ${targets[@]+"${targets[@]}"}; then
        fail "$build: build"
        return 0
    fi
    end_stage "build $build" "$began"
    began=$SECONDS
    rm -f "$build/results.xml"
    # Two more than there are processors: many wait, for a signal, a job or a disk.
    at_once=$((cores + 2))
    (cd "$build" && ctest --parallel "$at_once" --output-on-failure --no-tests=error \
        --output-junit results.xml ${selection[@]+"${selection[@]}"}) || status=$?
    add_results "$build" "$status"
    end_stage "test $build" "$began"
}

if [[ $install == yes ]]; then
    say "Installing what is missing"
    options=(--slurm --packages)
    [[ $sanitizers == no ]] || options+=(--clang)
    "$MPCFLOW_ROOT/tools/install_dependencies.sh" "${options[@]}" || warn "going on with what there is"
    end_stage install 0
fi

python=$(python_with xml.etree.ElementTree) || die "no python3 is here"
release=(-DCMAKE_BUILD_TYPE=Release -DMPCFLOW_WERROR=ON)
# -O2 takes two thirds of the time of -O3 for a law, whose speed tests need, and what is for processors without vector units
# takes a third less time where it is not flattened; -O1, several files in one, is for all else, and domains, the same loops
# behind a border, are not flattened at all, which takes a third of the time.
# With --all, and by tools/gpu_check.sh, it is -O3 and file by file, as users have it.
if [[ $nightly == yes ]]; then
    release+=("-DCMAKE_CXX_FLAGS_RELEASE=-O3 -DNDEBUG" -DMPCFLOW_LAW_OPTIONS= -DMPCFLOW_DOMAIN_OPTIONS= -DCMAKE_UNITY_BUILD=OFF)
else
    release+=("-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" "-DMPCFLOW_LAW_OPTIONS=-O2;-DMPCFLOW_NO_FLATTEN_PLAIN"
        "-DMPCFLOW_DOMAIN_OPTIONS=-O1;-DMPCFLOW_NO_FLATTEN" -DCMAKE_UNITY_BUILD=ON)
fi
# What this processor cannot run is a third of what there is to compile of laws.
avx512=ON
if [[ $nightly == no ]] && ! grep -qsw avx512vl /proc/cpuinfo; then avx512=OFF; fi
release+=("-DMPCFLOW_AVX512=$avx512")
if nvcc=$(find_nvcc) && { [[ $nightly == yes ]] || has_gpu; }; then
    architectures=$(cuda_architectures)
    # Where no GPU is, device code is compiled for its errors and warnings alone: with little optimisation, and
    # not from PTX on, in a third of the time.
    optimised=-O3
    if ! has_gpu; then
        [[ $architectures =~ ^[0-9]+$ ]] && architectures+=-virtual
        optimised=-O1
        if [[ $("$nvcc" --help) == *-Ofc* ]]; then optimised="-O1 -Ofc=max"; fi  # CUDA 13; it leaves the arithmetic
    fi
    release+=("-DCMAKE_CUDA_ARCHITECTURES=$architectures" "-DCMAKE_CUDA_FLAGS_RELEASE=$optimised -DNDEBUG")
    say "Building and testing in build-test/, with CUDA ($nvcc)"
else
    release+=(-DMPCFLOW_CUDA=OFF)
    say "Building and testing in build-test/, for the CPU alone (no GPU is here, or no CUDA compiler)"
fi
build_and_test build-test all "${release[@]}"

# Each executable of tests is one process here, and of the tests of the program there is one of each kind: the others run
# the same code.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
# Not optimised, with line numbers alone and several files in one: these builds take their time as it is, and what is
# done with them is small. The release build above has told the warnings.
sanitized_level=-O0
if [[ $nightly == yes ]]; then sanitized_level=-O1; fi
sanitized=(-DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=$sanitized_level -g1 -w"
    -DCMAKE_UNITY_BUILD=ON -DMPCFLOW_DOMAIN_OPTIONS= -DMPCFLOW_CUDA=OFF)
# Clang takes two thirds of GCC's time for them, and another compiler sees the code.
sanitizing=g++
if [[ $nightly == no ]] && have clang++; then
    sanitizing=clang++
    sanitized+=(-DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++)
fi
# start_anew FOLDER: where it was of another compiler; CMake would forget what else it is told.
start_anew() {
    local was=g++
    if grep -qs "CMAKE_CXX_COMPILER:.*clang" "$1/CMakeCache.txt"; then was=clang++; fi
    [[ $was == "$sanitizing" ]] || rm -rf -- "${1:?}"
}
if [[ $quick == no ]]; then
    say "Building and testing in build-asan/: address and undefined-behaviour sanitizers, host code"
    # Checks at every access to memory take a third of the time to compile. Null pointers and ends of objects the address
    # sanitizer finds as well; alignment, which x86 does not ask for, is checked with --all.
    # The algorithms of warps and blocks on their emulators ("fibers") are left to --all, and to memcheck on a GPU; the tests
    # of laws and solvers by themselves to --all, for whole runs of the program go many of the same ways.
    left_out=null,alignment,object-size
    # No test here runs domains, whose solvers take as long to compile as all others, and all use SRD. One that asks for
    # more ends with an error.
    addressed="app input physics program threads tuning"
    domains=none
    laws="Srd_double;Srd_float"
    if [[ $nightly == yes ]]; then
        left_out=""
        domains=""
        laws=""
        addressed="fibers laws solver $addressed"
    fi
    start_anew build-asan
    build_and_test build-asan "$addressed" "${sanitized[@]}" -DMPCFLOW_LAW_OPTIONS= "-DMPCFLOW_LAWS=$laws" \
        "-DMPCFLOW_DOMAIN_LAWS=$domains" -DMPCFLOW_SANITIZE=address,undefined "-DMPCFLOW_NO_SANITIZE=$left_out"
fi
if [[ $sanitizers == yes ]]; then
    # The fuzzer takes one core, so that it runs beside a build.
    fuzzer=""
    if have clang++ && [[ -x tests/input/run_fuzzer.sh ]]; then
        fuzz_seconds=10
        if [[ $nightly == yes ]]; then fuzz_seconds=300; fi
        say "Fuzzing the input reader for $fuzz_seconds s, in the background"
        fuzzer_log=$(mktemp)
        tests/input/run_fuzzer.sh "$fuzz_seconds" >"$fuzzer_log" 2>&1 &
        fuzzer=$!
        trap 'kill "$fuzzer" 2>/dev/null || true; rm -f -- "$fuzzer_log"' EXIT
    else
        fail "the fuzzer of the input reader: no clang is here"
    fi
    say "Building and testing in build-tsan/: thread sanitizer, what has threads"
    # Each way of the threads once; with --all also with every law, wall and precision. Domains that no test asks for then are
    # not compiled: one that asks ends with an error. Nor are loops compiled for vector units, which go no other ways between
    # threads.
    if [[ $nightly == yes ]]; then
        sanitized+=(-DMPCFLOW_RACE_ALL=ON -DMPCFLOW_DOMAIN_LAWS= -DMPCFLOW_LAW_OPTIONS=-O1)
    else
        sanitized+=(-DMPCFLOW_RACE_ALL=OFF "-DMPCFLOW_DOMAIN_LAWS=Srd_double;Srd_float;SrdAngular_double"
            "-DMPCFLOW_LAW_OPTIONS=-O1;-DMPCFLOW_NO_FLATTEN" "-DMPCFLOW_DOMAIN_OPTIONS=-O1;-DMPCFLOW_NO_FLATTEN")
    fi
    start_anew build-tsan
    # Its runs are the longest.
    build_and_test build-tsan "solver threads" "${sanitized[@]}" -DMPCFLOW_SANITIZE=thread
    if [[ -n $fuzzer ]]; then
        say "What the fuzzer of the input reader found"
        if wait "$fuzzer"; then
            passed=$((passed + 1))
            tail -n 3 "$fuzzer_log"
        else
            cat "$fuzzer_log"
            fail "the fuzzer of the input reader"
        fi
        fuzzer=""
    fi
fi

say "The slowest tests"
"$python" tools/shell/test_results.py slowest ${results[@]+"${results[@]}"} | sed 's/^/    /'
say "Result after $SECONDS s"
for stage in ${stages[@]+"${stages[@]}"}; do
    note "$stage"
done
((skipped == 0)) || note "$skipped skipped (no GPU here, or not for this build)"
for name in ${failures[@]+"${failures[@]}"}; do
    note "FAILED $name"
done
echo "$passed passed, $failed failed"
((failed == 0))
