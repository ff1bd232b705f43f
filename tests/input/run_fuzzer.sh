#!/bin/sh
# Fuzzes the input reader: run_fuzzer.sh [seconds, default 60] [further options of libFuzzer]
# Finds are kept in build-fuzz/ as crash-*, timeout-* and oom-*.
set -eu
seconds=${1:-60}
[ $# -eq 0 ] || shift
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build_dir=${MPCFLOW_FUZZ_BUILD_DIR:-$source_dir/build-fuzz}
sanitizers=fuzzer-no-link,address,undefined

# Several files in one and little optimised: it builds in a third of the time.
cmake -S "$source_dir" -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DCMAKE_CXX_COMPILER=clang++ -DMPCFLOW_CUDA=OFF \
    -DMPCFLOW_FUZZ=ON -DMPCFLOW_SANITIZE=$sanitizers
cmake --build "$build_dir" --target fuzz_reader -j "${MPCFLOW_FUZZ_JOBS:-1}"

cd "$build_dir"
mkdir -p corpus
# Finds of earlier runs come first: libFuzzer adds to the first folder and only reads the others.
exec "$(find . -name fuzz_reader -type f | head -1)" corpus "$source_dir/tests/input/corpus" \
    "$source_dir/examples" -dict="$source_dir/tests/input/input.dict" -max_total_time="$seconds" \
    -rss_limit_mb=2048 -timeout=10 -max_len=16384 "$@"
