#!/usr/bin/env bash
# Shows that a machine with an NVIDIA GPU runs mpcflow right: builds, runs the tests with the GPU required,
# compares the particle bits of CPU, GPU and several ranks on GPUs, and prints the benchmarks of the step, of
# outputs and of the kernels.
#
#   tools/gpu_check.sh                 builds into build-gpu/, and does all of the above
#   tools/gpu_check.sh --no-build      with what build-gpu/ holds already
#   tools/gpu_check.sh --sanitizer     also runs compute-sanitizer (memcheck, racecheck, initcheck), which is slow
#   tools/gpu_check.sh --no-tests      without the tests and the comparison of bits: what was run before, or will be
#   tools/gpu_check.sh --no-bench      without the benchmarks
#   tools/gpu_check.sh --all           also the tests labelled "nightly", as tools/test.sh --all
#   tools/gpu_check.sh --build-dir DIR instead of build-gpu/
#
# CUDAARCHS chooses the architectures to build for; without it, that of the first GPU here (90 if it does not
# say). The last line reads "PASS ..." or "FAIL ..."; exit status 0 or 1.
set -euo pipefail
# shellcheck source=SCRIPTDIR/shell/common.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/shell/common.sh"

build=$MPCFLOW_ROOT/build-gpu
build_it=yes
test_it=yes
sanitize=no
bench=yes
selection=(--label-exclude '^nightly$')
while (($# > 0)); do
    case $1 in
        --no-build) build_it=no ;;
        --sanitizer) sanitize=yes ;;
        --no-tests) test_it=no ;;
        --no-bench) bench=no ;;
        --all) selection=() ;;
        --build-dir) build=$(realpath -m -- "${2:?--build-dir needs a folder}"); shift ;;
        -h | --help) print_help "$0"; exit 0 ;;
        *) print_help "$0" >&2; exit 2 ;;
    esac
    shift
done
cd "$MPCFLOW_ROOT"

failures=()
fail() {
    failures+=("$1")
    printf 'FAILED %s\n' "$1"
}
finish() {
    echo
    if ((${#failures[@]} == 0)); then
        local without=""
        if [[ $test_it == no ]]; then without=", without its tests and the comparison of bits,"; fi
        echo "PASS gpu_check$without in $SECONDS s"
        exit 0
    fi
    printf 'failed: %s\n' "${failures[@]}"
    echo "FAIL gpu_check, ${#failures[@]} failed, in $SECONDS s"
    exit 1
}

scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT
mpcflow=$build/app/mpcflow

# ---------------------------------------------------------------------------------------- build

say "The machine"
nvidia-smi --query-gpu=name,compute_cap,driver_version,memory.total --format=csv,noheader 2>/dev/null |
    sed 's/^/    /' || note "nvidia-smi does not answer"
if [[ $build_it == yes ]]; then
    find_nvcc >/dev/null || { fail "no CUDA compiler (nvcc) is here"; finish; }
    say "Building in $build for compute capability $(cuda_architectures)"
    began=$SECONDS
    if ! configure_build "$build" -DCMAKE_BUILD_TYPE=Release -DMPCFLOW_CUDA=ON \
        "-DCMAKE_CUDA_ARCHITECTURES=$(cuda_architectures)"; then
        fail "configure"
        finish
    fi
    if ! cmake --build "$build" --parallel "$(build_jobs)"; then
        fail "build"
        finish
    fi
    note "built in $((SECONDS - began)) s"
fi
[[ -x $mpcflow ]] || { fail "there is no $mpcflow"; finish; }
"$mpcflow" devices || fail "mpcflow devices"

# ---------------------------------------------------------------------------------------- tests

if [[ $test_it == yes ]]; then
    say "The tests, with the GPU required"
    began=$SECONDS
    # More of them at a time take longer: they share a GPU.
    at_a_time=$(($(nproc) < 16 ? $(nproc) : 16))
    (cd "$build" && MPCFLOW_REQUIRE_GPU=1 ctest --parallel "$at_a_time" --output-on-failure --no-tests=error \
        ${selection[@]+"${selection[@]}"}) ||
        fail "tests"
    note "tested in $((SECONDS - began)) s"
fi

# --------------------------------------------------------------------------- the same particle bits

# run_hash NAME ARGUMENT...: the state hash of a short run in a small box.
run_hash() {
    local name=$1 hash
    shift
    if ! "$mpcflow" run examples/poiseuille.yaml --output "$scratch/$name" \
        --set 'box.size=[12, 10, 9]' --set 'output.fields.bins=[1, 1, 9]' --set run.equilibration=0 \
        --set run.steps=600 "$@" >"$scratch/$name.log" 2>&1; then
        tail -n 5 "$scratch/$name.log" >&2
        return 1
    fi
    hash=$(sed -n 's/.*state hash[^0-9a-fA-F]*\(0x\)\{0,1\}\([0-9a-fA-F]\{16\}\).*/\2/p' "$scratch/$name.log" | tail -n 1)
    rm -rf -- "${scratch:?}/$name"
    [[ -n $hash ]] || { tail -n 5 "$scratch/$name.log" >&2; return 1; }
    echo "$hash"
}

# compare_hashes LABEL SETTING...: one thread of the CPU against two, and against the GPU in all its ways. The runs are
# short, and as many go at a time as there are processors.
compare_hashes() {
    local label=$1 setting expected found way summation reorder i same=0
    shift
    local settings=() names=()
    for setting in "$@"; do
        settings+=(--set "$setting")
    done
    start() {
        local name=run-${#names[@]}
        names+=("$1")
        shift
        while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
        run_hash "$name" "${settings[@]}" "$@" >"$scratch/$name.hash" &
    }
    start "CPU, 1 thread" --device cpu --threads 1
    start "CPU, 2 threads" --device cpu --threads 2
    for way in "auto auto" "tile 1" "tile 7" "tile 50" "peers 1" "peers 7" "peers 50" "match 7" "match 1" "direct 7" "cas 50"; do
        read -r summation reorder <<<"$way"
        start "GPU, $summation, reorder $reorder" --device cuda --set "execution.summation=$summation" \
            --set "execution.reorder=$reorder"
    done
    wait
    expected=$(<"$scratch/run-0.hash")
    if [[ -z $expected ]]; then
        fail "$label: the reference run"
        return
    fi
    for ((i = 1; i < ${#names[@]}; ++i)); do
        found=$(<"$scratch/run-$i.hash")
        if [[ $found == "$expected" ]]; then
            same=$((same + 1))
        else
            fail "$label: ${names[i]} gives ${found:-no hash}, the CPU $expected"
        fi
    done
    printf '    %-66s %s   %d of %d the same\n' "$label" "$expected" "$same" "$((${#names[@]} - 1))"
}

if [[ $test_it == yes ]]; then
    say "State hashes: CPU with 1 and 2 threads; GPU with every exact way of summing, re-ordered every 1, 7, 50 steps and as auto tries it"
    began=$SECONDS
    if ! run_hash first --device cuda >/dev/null; then
        fail "a first run on the GPU"
        finish
    fi
    for law in false true; do
        for precision in double mixed; do
            fluid=("collision.conserve_angular_momentum=$law" "execution.precision=$precision")
            label="conserve_angular_momentum $law, $precision"
            compare_hashes "$label, walls, thermostat" "${fluid[@]}"
            compare_hashes "$label, walls, no thermostat" "${fluid[@]}" thermostat.kind=none
            compare_hashes "$label, periodic, thermostat" "${fluid[@]}" boundaries.z=periodic
            compare_hashes "$label, periodic, no thermostat" "${fluid[@]}" boundaries.z=periodic thermostat.kind=none
            compare_hashes "$label, walls all around" "${fluid[@]}" boundaries.x=no_slip boundaries.y=no_slip
            compare_hashes "$label, sheared faces" "${fluid[@]}" boundaries.z=periodic \
                'boundaries.y={kind: lees_edwards, shear_rate: 0.02, along: x}'
            compare_hashes "$label, a force that is a wave and swings" "${fluid[@]}" \
                'forces=[{sine: {amplitude: [0.05, 0, 0], along: y}, period: 17}]'
            compare_hashes "$label, a wall that moves, a face of slip" "${fluid[@]}" boundaries.y=slip \
                'boundaries.z={lower: {kind: no_slip, velocity: [0.1, 0, 0], temperature: 1.2}, upper: slip}'
            compare_hashes "$label, rule at, walls" "execution.precision=$precision" thermostat.kind=none \
                "collision={rule: at, time_step: 0.1, conserve_angular_momentum: $law}"
        done
    done
    note "compared in $((SECONDS - began)) s"
fi

# Two and three ranks on the GPUs that there are, against the CPU. Where each has a GPU of its own, sums go from one to
# the next by NCCL, and particles, too, where flights are so long that many leave their domain in a step: at a time step
# of 2 some 35,000 do, twice as many as go through the host in mixed precision. On fewer GPUs nothing goes by NCCL.
compare_ranks() {
    local label=$1 setting expected="" ranks same=0
    shift
    local run=(run examples/equilibrium.yaml --set 'box.size=[96, 64, 65]' --set run.equilibration=0 --set run.steps=20
        --set 'output={series: {every: 20}}')
    for setting in "$@"; do run+=(--set "$setting"); done
    hash_of() { sed -n 's/^state hash *\([0-9a-f]*\)$/\1/p' "$scratch/ranks.log"; }
    if "$mpcflow" "${run[@]}" --device cpu --output "$scratch/ranks" >"$scratch/ranks.log" 2>&1; then expected=$(hash_of); fi
    [[ -n $expected ]] || { tail -n 5 "$scratch/ranks.log"; fail "$label: the reference run"; return; }
    for ranks in 2 3; do
        rm -rf -- "${scratch:?}/ranks"
        # A run takes seconds; one that waits for ever is a finding, too.
        if OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
            OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe \
            timeout --kill-after=10 120 mpirun -n "$ranks" "$mpcflow" "${run[@]}" --device cuda \
            --output "$scratch/ranks" >"$scratch/ranks.log" 2>&1 && [[ $(hash_of) == "$expected" ]]; then
            same=$((same + 1))
        else
            tail -n 5 "$scratch/ranks.log"
            fail "$label, $ranks ranks: no good end, or the hash $(hash_of), not the CPU's $expected"
        fi
    done
    rm -rf -- "${scratch:?}/ranks"
    printf '    %-66s %s   %d of 2 the same\n' "$label" "$expected" "$same"
}

if [[ $test_it == yes ]] && command -v mpirun >/dev/null && "$mpcflow" devices | grep -q 'several processes'; then
    say "State hashes: CPU, and 2 and 3 ranks on $(nvidia-smi --list-gpus 2>/dev/null | grep -c .) GPU(s)"
    began=$SECONDS
    for time_step in 0.1 2.0; do
        for fluid in "false mixed" "true double"; do
            read -r law precision <<<"$fluid"
            compare_ranks "conserve_angular_momentum $law, $precision, time step $time_step" \
                "collision.conserve_angular_momentum=$law" "execution.precision=$precision" "collision.time_step=$time_step"
        done
    done
    note "compared in $((SECONDS - began)) s"
fi

# ------------------------------------------------------------------------------------- sanitizers

if [[ $sanitize == yes ]]; then
    sanitizer=$(command -v compute-sanitizer || echo "$(dirname -- "$(find_nvcc || echo /usr/local/cuda/bin/nvcc)")/compute-sanitizer")
    if [[ -x $sanitizer ]]; then
        # sanitize TOOL LABEL COMMAND...: in the background. A run is a finding until it says that it was clean, however it
        # ends; so is one that chose no test. What it printed is shown then. A tool that says that it lost track itself
        # may try once more.
        labels=()
        sanitize() {
            local tool=$1 label=$2 log=$scratch/sanitizer-${#labels[@]}
            shift 2
            labels+=("$tool, $label")
            # For a free processor; how a run ended is asked of all of them afterwards.
            while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
            (for _ in first second; do
                if "$sanitizer" --tool "$tool" --error-exitcode 9 --print-limit 5 "$@" >"$log" 2>&1 &&
                    ! grep -qF 'PASSED  ] 0 tests' "$log"; then
                    : >"$log.clean"
                    exit
                fi
                cat "$log"
                grep -qF 'Internal Sanitizer Error' "$log" || break
            done) &
        }
        # A short run with everything that has a kernel of its own: both kinds of faces, all observables, frames of a
        # selection with the one law and of all particles with the other.
        sanitize_run() {
            local tool=$1 way=$2 law=$3 precision=$4 steps=$5 rule=${6:-srd} frames="{every: 5}" quantities outputs
            local fluid=(--set "collision.conserve_angular_momentum=$law")
            [[ $rule == at ]] && fluid=(--set thermostat.kind=none
                --set "collision={rule: at, time_step: 0.1, conserve_angular_momentum: $law}")
            [[ $law == true ]] && frames="{every: 5, every_nth_id: 3, region: {lower: [2, 2, 2], upper: [8, 9, 7]}}"
            quantities="[density, velocity, temperature, pressure_tensor]"
            outputs="{series: {every: 5}, fields: {every: 3, quantities: $quantities, bins: [1, 1, 9]}, histograms: {every: 3},"
            outputs+=" stress: {every: 5, burst: 3}, walls: {every: 4}, modes: {every: 2}, diffusion: {every: 3},"
            outputs+=" structure_factor: {every: 2}, radial_distribution: {every: 5}, trajectory: $frames}"
            sanitize "$tool" "run with rule $rule, summation $way, conserve_angular_momentum $law, $precision" \
                "$mpcflow" run examples/poiseuille.yaml --quiet --set "output=$outputs" \
                --output "$scratch/$tool-$rule-$way-$law-$precision" --device cuda --set 'box.size=[12, 10, 9]' \
                --set checkpoint.every=6 \
                --set run.equilibration=0 --set "run.steps=$steps" --set execution.reorder=3 \
                --set "execution.summation=$way" --set "execution.precision=$precision" "${fluid[@]}"
        }
        # Examples in which cells are cut, faces are sheared or particles have masses.
        sanitize_example() {
            local tool=$1 example=$2 precision=$3 outputs bins="[1, 2, 1]"
            if [[ $example == cylinder ]]; then bins="[1, 3, 1]"; fi
            outputs="{series: {every: 5}, stress: {every: 5, burst: 2},"
            outputs+=" fields: {every: 5, quantities: [density, velocity, temperature, pressure_tensor], bins: $bins}}"
            sanitize "$tool" "examples/$example, $precision" "$mpcflow" run "examples/$example.yaml" --quiet \
                --output "$scratch/$tool-$example-$precision" --device cuda --set "output=$outputs" --set run.equilibration=0 \
                --set run.steps=10 --set "execution={reorder: 3, summation: tile, precision: $precision}"
        }
        began=$SECONDS
        say "compute-sanitizer: memcheck, racecheck, initcheck"
        for tool in memcheck racecheck initcheck; do
            for way in tile peers match direct cas; do
                sanitize_run "$tool" "$way" true double 10
                sanitize_run "$tool" "$way" false mixed 10
            done
            sanitize_run "$tool" match false double 10
            sanitize_run "$tool" match true mixed 10
            sanitize_run "$tool" auto true mixed 300
            sanitize_run "$tool" tile false double 10
            sanitize_run "$tool" tile true mixed 10
            sanitize_run "$tool" tile true double 10 at
            sanitize_run "$tool" tile false mixed 10 at
            sanitize_run "$tool" peers false mixed 10 at
            for example in sphere pipe mixture lees_edwards taylor_couette cylinder; do
                sanitize_example "$tool" "$example" double
                sanitize_example "$tool" "$example" mixed
            done
            sanitize "$tool" "tests of the warp algorithms" "$build/tests/gpu/gpu_warp_test"
            sanitize "$tool" "domains on the card" "$build/tests/gpu/gpu_domains_test" \
                --gtest_filter='*go_on*:*more_than_there*:*deep_tiles*:*srd_free_walls_yz_double'
            sanitize "$tool" "particles that change domains" "$build/tests/gpu/gpu_memory_test" \
                --gtest_filter='Migration*'
            sanitize "$tool" "tests of the block algorithms" "$build/tests/gpu/gpu_block_test" \
                --gtest_filter='*two_stage_9*:*segmented_9*:*grouped_10*:Selection*:Reduce*:Scan*:Waiting*:*Vote*'
            if [[ $tool == memcheck ]]; then
                sanitize memcheck "bench kernels" "$mpcflow" bench kernels --size small
            fi
            wait
            note "$tool is done after $((SECONDS - began)) s"
        done
        for run in "${!labels[@]}"; do
            [[ -e $scratch/sanitizer-$run.clean ]] || fail "compute-sanitizer ${labels[run]}"
        done
        note "${#labels[@]} runs sanitized in $((SECONDS - began)) s"
    else
        fail "--sanitizer: no compute-sanitizer is here"
    fi
fi

# ------------------------------------------------------------------------------------- benchmarks

# A sample of the stress takes one or two steps, among surfaces three. Code for surfaces, in systems that have none, once
# made it twenty, and in a pipe it was fourteen; no test of bits can tell.
most_steps=5
# check_outputs LABEL EXAMPLE SETTING...: prints what samples take, and fails where the stress takes more steps than that.
check_outputs() {
    local label=$1 example=$2 fields="{quantities: [density, velocity, temperature, pressure_tensor], bins: [10, 10, 100], every: 100}"
    shift 2
    local settings=(--set 'box.size=[100, 100, 100]' --set "output={stress: {}, fields: $fields}") setting
    for setting in "$@"; do settings+=(--set "$setting"); done
    note "$label"
    if ! "$mpcflow" bench outputs "examples/$example.yaml" --device cuda "${settings[@]}" >"$scratch/outputs" 2>&1; then
        cat "$scratch/outputs"
        fail "mpcflow bench outputs, $label"
        return
    fi
    grep -E 'ms a step|^output|^stress|^fields' "$scratch/outputs" | sed 's/^/        /'
    awk -v most="$most_steps" '/ ms a step/ { for (i = 2; i <= NF; ++i) if ($i == "ms") step = $(i - 1) }
        $1 == "stress" && $4 == "ms" { sample = $3 }
        END { exit !(step > 0 && sample > 0 && sample < most * step) }' "$scratch/outputs" ||
        fail "mpcflow bench outputs, $label: a sample of the stress takes more than $most_steps steps"
}

if [[ $bench == yes ]]; then
    say "Benchmark of the step"
    "$mpcflow" bench step || fail "mpcflow bench step"
    say "Benchmark of the outputs"
    check_outputs "a periodic box" equilibrium
    check_outputs "a channel" poiseuille
    check_outputs "sheared faces" lees_edwards boundaries.y.shear_rate=0.02
    check_outputs "a pipe" pipe 'forces=[]' \
        'surfaces=[{cylinder: {axis: z, centre: [50, 50], radius: 48}, fluid: inside, kind: no_slip}]'
    say "Benchmark of the kernels"
    began=$SECONDS
    "$mpcflow" bench kernels || fail "mpcflow bench kernels"
    note "measured in $((SECONDS - began)) s"
fi
finish
