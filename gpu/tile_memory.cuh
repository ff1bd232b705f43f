#pragma once
/// The shared memory of a block that takes the particles of a tile through a step (tile_kernels.cuh): the
/// sums of the cells of its box, and what these have drawn.

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "gpu/cell_kernels.cuh"
#include "gpu/compiler_hints.cuh"
#include "gpu/cuda_support.cuh"
#include "gpu/particle_kernels.cuh"
#include "gpu/record_access.cuh"
#include "gpu/tile_box.hpp"
#include "gpu/word_sums.hpp"
#include "physics/cell_draws.hpp"

namespace mpcflow {

/// What the cells of a box have drawn for the next collision, for laws whose particles ask for it: in shared
/// memory where a draw is small, else where it is. Draws of 32 bytes would take the place of a block, and so
/// would any beside the sums of a mixture on cards with 100 KB of shared memory a multiprocessor.
template <class Law, bool has_copies = Law::needs.draws_before_sums && sizeof(typename Law::Draw) <= 8 &&
                                       Law::masses == Masses::equal>
class BoxDraws {
public:
    __device__ void begin_copy(const CellDraws<Law>& /*draws*/, int /*local*/, int /*cell*/) {}
    __device__ static void wait() {}
    /// Of a cell of the grid, with a number in the box or outside of it.
    __device__ typename Law::Draw of(const CellDraws<Law>& draws, int /*local*/, int cell) const {
        return draws.next(cell, LoadConstant{});
    }
};
template <class Law>
class BoxDraws<Law, true> {
public:
    /// Of a cell with a number in the box: each thread waits for its copies.
    __device__ void begin_copy(const CellDraws<Law>& draws, int local, int cell) {
        __pipeline_memcpy_async(of_box_ + local, draws.kept() + cell, sizeof(Draw));
    }
    __device__ static void wait() {
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    __device__ typename Law::Draw of(const CellDraws<Law>& draws, int local, int cell) const {
        if (local == TileBox::outside) return draws.next(cell, LoadConstant{});
        return of_box_[local];
    }

private:
    using Draw = typename Law::Draw;
    static_assert(sizeof(Draw) == 4 || sizeof(Draw) == 8);  // which are copied at once
    Draw of_box_[TileBox::cells];
};

template <class Law>
struct TileMemory {
    static constexpr int cells = TileBox::cells;
    /// Of words that follow each other those of one cell are in different banks.
    static constexpr int row_length = cells | 1;
    static constexpr int words = WordSums<Law>::count * row_length;

    union {
        alignas(16) std::uint32_t sums[(words + 3) / 4 * 4];  ///< [word][cell]
        BlockLeaders<Law> leaders;                            ///< when the sums are done with
    };
    BoxDraws<Law> draws;
    std::int32_t cell[cells];    ///< in the grid, of those on it
    std::uint32_t at_wall;       ///< particles listed there,
    std::uint32_t outside;       ///< and outside of the box
    std::uint32_t first_queued;  ///< of the particles at walls, in the wall queue

    /// The sums become zero, and nothing is listed.
    __device__ void clear() {
        if (threadIdx.x == 0) at_wall = outside = 0;
        for (int j = static_cast<int>(threadIdx.x); j < static_cast<int>(sizeof sums / sizeof(uint4));
             j += block_size)
            reinterpret_cast<uint4*>(sums)[j] = uint4{0, 0, 0, 0};
    }

    /// Copies what the cells of the box have drawn, of a grid of `grid_cells`; cell[] has been set by the
    /// same threads. Of cells that are not on the grid something or nothing is copied: nobody asks for it.
    __device__ void fetch_draws(const CellDraws<Law>& of_grid, int grid_cells) {
        for (int local = static_cast<int>(threadIdx.x); local < cells; local += block_size)
            if (static_cast<unsigned>(cell[local]) < static_cast<unsigned>(grid_cells))
                draws.begin_copy(of_grid, local, cell[local]);
        draws.wait();
    }

    /// Adds a contribution to a cell of the box; false, and nothing is added, where the cell is full.
    [[nodiscard]] __device__ __forceinline__ bool add(const WordSums<Law>& words_of_sums,
                                                      const typename Law::Sums& contribution, int local) {
        std::uint32_t* number = word(0, local);
        const std::uint32_t one = words_of_sums.first_word(contribution);
        // Never so of narrow sums, and asked all the same: SRD+a was 1 % slower where the compiler knew.
        if (words_of_sums.split().is_enough()) add_unasked(number, one);
        else if (words_of_sums.number(atomicAdd(number, one)) >= words_of_sums.split().most()) {
            atomicAdd(number, 0U - one);
            return false;
        }
        words_of_sums.for_each_word(
            contribution, [&](int which, std::uint32_t value) { atomicAdd(word(which, local), value); });
        return true;
    }

    /// Adds the sums of the box to the rows of its cells, each thread the same sum of all its cells.
    __device__ __forceinline__ void flush(const WordSums<Law>& words_of_sums, SumRow<Law>* rows) {
        constexpr int K = Law::sum_count;
        constexpr int cells_at_once = block_size / K;
        if (threadIdx.x >= cells_at_once * K) return;
        const int k = static_cast<int>(threadIdx.x % K);
        const auto sum = words_of_sums.sum(k);
        for (int local = static_cast<int>(threadIdx.x) / K; local < cells; local += cells_at_once) {
            const std::uint32_t number = words_of_sums.number(*word(0, local));
            if (number == 0) continue;
            const std::uint32_t low = k == 0 ? number : *word(sum.low_word, local);
            const std::uint32_t high = k == 0 ? 0U : *word(sum.high_word, local);
            atomicAdd(rows[cell[local]].value + k, sum(words_of_sums.split(), low, high, number));
        }
    }

private:
    __device__ std::uint32_t* word(int word, int local) { return sums + word * row_length + local; }
};

}  // namespace mpcflow
