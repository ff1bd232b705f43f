#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "physics/host/raw_array.hpp"

namespace mpcflow {

/// The sums of cells, of which every thread owns a range. What a thread contributes to its own cells it adds
/// directly; what it contributes to cells of others goes to a list, which the owner adds when it collects.
/// The sums are exact, so the bits of the result do not depend on who adds what when.
template <class Sums>
class SharedSums {
public:
    SharedSums(std::int64_t cells, int threads)
        : threads_(threads), sums_(cells), of_threads_(static_cast<std::size_t>(threads)) {
        for (OfThread& own : of_threads_) own.spilled.resize(of_threads_.size());
    }

    /// Makes room for what threads contribute to each other's cells.
    template <class Grid>
    void make_room(const Grid& grid, std::int64_t particles) {
        for (int thread = 0; thread < threads_; ++thread)
            for (int owner = 0; owner < threads_; ++owner)
                of_threads_[thread].spilled[owner].reserve(room(grid, particles, threads_, thread, owner));
    }
    /// What that room takes.
    template <class Grid>
    [[nodiscard]] static std::int64_t bytes_of_room(const Grid& grid, std::int64_t particles, int threads) {
        std::int64_t count = 0;
        for (int thread = 0; thread < threads; ++thread)
            for (int owner = 0; owner < threads; ++owner)
                count += room(grid, particles, threads, thread, owner);
        return count * static_cast<std::int64_t>(sizeof(Spilled));
    }

    /// A thread owns the cells from its first one to the next thread's.
    [[nodiscard]] std::int64_t first_cell(int thread) const { return sums_.size() * thread / threads_; }

    [[nodiscard]] Sums& operator[](std::int64_t cell) { return sums_[cell]; }
    [[nodiscard]] std::int64_t cell_count() const { return sums_.size(); }
    [[nodiscard]] std::int64_t bytes() const { return sums_.bytes(); }

    /// What `thread` contributes to any cell.
    void add(int thread, int cell, const Sums& sums) {
        if (cell >= first_cell(thread) && cell < first_cell(thread + 1)) sums_[cell] += sums;
        else add_to_others(thread, cell, sums);
    }
    /// What `thread` contributes to a cell of another one.
    [[gnu::noinline]] void add_to_others(int thread, int cell, const Sums& sums) {
        of_threads_[thread].spilled[owner(cell)].push_back({cell, sums});
    }
    /// Adds what others contributed to the cells of a thread.
    void collect(int thread) {
        for (OfThread& other : of_threads_) {
            for (const Spilled& spilled : other.spilled[thread]) sums_[spilled.cell] += spilled.sums;
            other.spilled[thread].clear();
        }
    }
    /// Forgets what was not collected.
    void forget() {
        for (OfThread& thread : of_threads_)
            for (std::vector<Spilled>& spilled : thread.spilled) spilled.clear();
    }

private:
    struct Spilled {
        std::int32_t cell;
        Sums sums;
    };
    /// On cache lines of its own.
    struct alignas(128) OfThread {
        std::vector<std::vector<Spilled>> spilled;  ///< by owner
    };

    [[nodiscard]] int owner(std::int64_t cell) const {
        return static_cast<int>(((cell + 1) * threads_ - 1) / sums_.size());
    }

    /// Contributions of a thread to the cells of another one: as many as there are at most, but for odd
    /// cases, so that lists need not grow, and it is known before what they take. Before the first
    /// re-ordering a particle may be in anybody's cells; from then on in those of neighbours along z, where
    /// it comes by flight and by the shift of the grid from up to about a layer of cells.
    template <class Grid>
    static std::int64_t room(const Grid& grid, std::int64_t particles, int threads, int thread, int owner) {
        if (thread == owner) return 0;
        constexpr double deviations = 6.0;
        const int apart = std::abs(thread - owner);
        const bool are_neighbours = apart == 1 || apart == threads - 1;
        const double layers = static_cast<double>(grid.layer_count()) / threads;
        const double at_first = 1.0 / threads;
        const double later = are_neighbours ? std::min(1.0, 1.0 / layers) : 0.0;
        const double mean = static_cast<double>(particles) / threads * std::max(at_first, later);
        return static_cast<std::int64_t>(mean + deviations * std::sqrt(mean)) + 16;
    }

    int threads_;
    RawArray<Sums> sums_;
    std::vector<OfThread> of_threads_;
};

}  // namespace mpcflow
