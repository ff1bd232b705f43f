#pragma once
/// How a system is run: with what numbers, on what machine, in what order. But for the precision none of it
/// changes a bit of the result.

#include <array>

namespace mpcflow {

/// How particles are stored. Cell sums are double precision in both.
enum class Precision {
    double_precision,  ///< 64-byte records of doubles ("double" in the input)
    mixed              ///< 32-byte records of floats
};

/// How particles are added to the sums of cells on the device (gpu/tile_kernels.cuh, gpu/cell_sums.cuh). The
/// bits of the result do not depend on it. `bench kernels` measures more ways (gpu/bench/sum_ways.cuh).
enum class Summation {
    automatic,  ///< the fastest of the others on this run, by timing its first steps ("auto" in the input)
    tile,       ///< a block adds up the particles of a tile of cells in its shared memory
    match,   ///< lanes that share a cell find each other by the match instruction and add up, a leader does
             ///< the atomics
    peers,   ///< the same, found by votes
    direct,  ///< every lane does its own atomics
    cas      ///< every lane does its own atomics by compare-and-swap loops
};

/// The vector units of a processor that the host solver uses, from the narrowest to the widest. The bits of
/// the result do not depend on it.
enum class VectorUnits { plain, avx2, avx512 };

/// Whether the pressure tensor is sampled along with the other fields.
enum class PressureFields { none, sampled };

/// How a run is executed; of these only `precision` changes the bits of the result.
struct SolverOptions {
    Precision precision = Precision::double_precision;
    Summation summation = Summation::automatic;
    int reorder = 0;  ///< steps between re-orderings of the particles in memory; 0: chosen by the solver
    int threads = 0;  ///< CPU threads of the host solver; 0: all that the machine has
    VectorUnits vectors =
        VectorUnits::avx512;  ///< the widest that the host solver may use, if there are such
    /// Fluid bins of the field observables along x, y, z; all zero: no fields are sampled.
    std::array<int, 3> bins{};
    PressureFields pressure = PressureFields::none;
};

}  // namespace mpcflow
