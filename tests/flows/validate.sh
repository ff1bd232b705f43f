#!/usr/bin/env bash
# Measures viscosities, slip lengths and diffusion more precisely than the tests and prints them beside theory,
# as in docs/validation.md.
#
#   tests/flows/validate.sh [--device] [--threads N] [--scale F] [--law NAME]
#
# builds into build-validation/ and runs: on the GPU, or on N threads of the CPU (all); F times as long as by
# default; of one law, such as at+a, or all.
set -euo pipefail
cd "$(dirname -- "${BASH_SOURCE[0]}")/../.."

build=build-validation
cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" --target flow_validation --parallel 2 >/dev/null
exec "$build/tests/flows/flow_validation" "$@"
