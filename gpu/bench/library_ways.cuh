#pragma once
/// What CUB and Thrust do of that which is measured, behind plain functions: their headers take a compiler
/// three times as long as a measurement itself, and so are read in one file.
///
/// Those with `scratch` and `bytes` are called as CUB's: with no scratch they set `bytes` to how much of it
/// they need, and do nothing else. All launch on the default stream.

#include <cstdint>

#include "gpu/particle_columns.cuh"
#include "physics/particle.hpp"
#include "physics/selection.hpp"

namespace mpcflow::bench::library {

// ---- of an array

void sum(void* scratch, std::size_t& bytes, const double* numbers, double* result, std::int64_t count);
void maximum(void* scratch, std::size_t& bytes, const double* numbers, double* result, std::int64_t count);
/// Keys of 0 to bins - 1.
void histogram(void* scratch, std::size_t& bytes, const std::int32_t* keys, unsigned* counts, int bins,
               std::int64_t count);
/// Inclusive sums.
void scan(void* scratch, std::size_t& bytes, const std::uint32_t* from, std::uint32_t* to,
          std::int64_t count);
/// Inclusive sums over each run of equal keys.
void scan_by_key(void* scratch, std::size_t& bytes, const std::uint32_t* keys, const std::uint32_t* values,
                 std::uint32_t* sums, std::int64_t count);

/// Keeps elements below a limit: of uniform random elements the fraction limit / 2^32.
struct Below {
    std::uint32_t limit;
    MPCFLOW_HD bool operator()(std::uint32_t element) const { return element < limit; }
};

void select(void* scratch, std::size_t& bytes, const std::uint32_t* from, std::uint32_t* to, unsigned* number,
            std::int64_t count, Below predicate);
/// Thrust's, which takes scratch memory for itself; returns how many were selected.
[[nodiscard]] std::int64_t copy_if(const std::uint32_t* from, std::uint32_t* to, std::int64_t count,
                                   Below predicate);

/// Selects numbers of particles, and writes records: so it reads of a particle that is not selected no more
/// than the rule asks for.
void select_particles(void* scratch, std::size_t& bytes, const SelectionRule& rule,
                      const ParticleColumns<ParticleDouble>& particles, ParticleDouble* found,
                      unsigned long long* number, std::int64_t count);

// ---- of each 32 elements of `count`, which is a multiple of the block size and of what a block takes

/// By 32 threads with one key each, or by 8 with four.
enum class SortShape { threads_32, threads_8 };

void sort_keys(SortShape shape, std::int64_t count, const std::uint32_t* from, std::uint32_t* to);
/// Each key's value is where it was.
void sort_pairs(SortShape shape, std::int64_t count, const std::uint32_t* from, std::uint32_t* to,
                std::uint32_t* values);
void scan_warps(std::int64_t count, const std::uint32_t* from, std::uint32_t* to);
void sum_warps(std::int64_t count, const std::uint32_t* from, std::uint32_t* to);

// ---- of each block

/// Inclusive sums over each run of equal keys; runs end with the blocks, too. CUB has no segments: it scans
/// pairs of a head and what was summed since then, combined as those of segments are.
void scan_blocks_by_key(std::int64_t count, const std::uint32_t* keys, const std::uint32_t* values,
                        std::uint32_t* sums);

}  // namespace mpcflow::bench::library
