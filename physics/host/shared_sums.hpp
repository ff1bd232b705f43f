#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "physics/host/raw_array.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// The sums of cells, of which every thread owns a range. What a thread contributes to its own cells it adds
/// directly. To the cells of others next to its own ones, to which flights and the shift of the grid bring
/// its particles, it adds in margins, sums of its own, one before its cells and one behind; what it
/// contributes to any other cell goes to a list. The owner of the cells adds both when it collects. The sums
/// are exact, so the bits of the result do not depend on who adds what when.
template <class Sums>
class SharedSums {
public:
    /// Of the cells of a grid, whatever its shift. Nothing is set: each thread shall touch its own cells and
    /// margins first.
    template <class Grid>
    SharedSums(const Grid& grid, int threads)
        : threads_(threads),
          cells_(grid.cell_count()),
          width_(margin_width(grid, threads)),
          sums_(cells_ + 2 * width_ * threads),
          of_threads_(static_cast<std::size_t>(threads)) {
        for (int thread = 0; thread < threads_; ++thread) {
            of_threads_[thread].to.resize(of_threads_.size());
            of_threads_[thread].has_margins_for = owners_in_margins(thread);
        }
    }

    /// Makes room for the lists of so many particles.
    void make_room(std::int64_t particles) {
        for (int thread = 0; thread < threads_; ++thread)
            for (int owner = 0; owner < threads_; ++owner)
                if (owner != thread) of_threads_[thread].to[owner].list.reserve(room(particles, threads_));
    }
    /// What all but the cells' own sums take: margins, and that room.
    template <class Grid>
    [[nodiscard]] static std::int64_t bytes_of_room(const Grid& grid, std::int64_t particles, int threads) {
        const std::int64_t margins = 2 * margin_width(grid, threads);
        const std::int64_t listed = threads > 1 ? (threads - 1) * room(particles, threads) : 0;
        return threads * (margins * static_cast<std::int64_t>(sizeof(Sums)) +
                          listed * static_cast<std::int64_t>(sizeof(Listed)));
    }

    /// A thread owns the cells from its first one to the next thread's.
    [[nodiscard]] std::int64_t first_cell(int thread) const { return cells_ * thread / threads_; }

    [[nodiscard]] Sums& operator[](std::int64_t cell) { return sums_[cell]; }
    [[nodiscard]] std::int64_t cell_count() const { return cells_; }
    /// With margins, without lists.
    [[nodiscard]] std::int64_t bytes() const { return sums_.bytes(); }

    /// Where a thread adds.
    struct Places {
        static constexpr std::int64_t in_list = -1;

        std::int64_t first;    ///< the first of the thread's cells
        std::int64_t count;    ///< of its cells
        std::int64_t cells;    ///< of all threads
        std::int64_t width;    ///< of a margin
        std::int64_t margins;  ///< where the one behind its cells begins

        [[nodiscard]] bool is_own(int cell) const {
            return static_cast<std::uint64_t>(cell - first) < static_cast<std::uint64_t>(count);
        }
        /// The index, for operator[], of the sums that are the cell's or stand for it in the thread's
        /// margins; `in_list` where it is in neither. Without a branch: near the ends of the thread's cells
        /// none is guessed right.
        [[nodiscard]] std::int64_t index(int cell) const {
            std::int64_t on = cell - first;  // from the first one on, around the end of the box
            on += on < 0 ? cells : 0;
            const std::int64_t behind = on - count;
            const std::int64_t before = on - cells;  // below 0
            const std::int64_t in_margin = margins + (behind < width ? behind : before);
            const std::int64_t found = ((behind < width) | (before >= -width)) ? in_margin : in_list;
            return on < count ? cell : found;
        }
    };
    [[nodiscard]] Places places(int thread) const {
        const std::int64_t first = first_cell(thread);
        return {first, first_cell(thread + 1) - first, cells_, width_, margin_behind(thread)};
    }

    /// What `thread`, which has these places, contributes to any cell.
    void add(int thread, const Places& places, int cell, const Sums& sums) {
        const std::int64_t index = places.index(cell);
        if (index != Places::in_list) sums_[index] += sums;
        else list(thread, cell, sums);
    }
    /// The same to a cell that has no index.
    [[gnu::noinline]] void list(int thread, int cell, const Sums& sums) {
        of_threads_[thread].to[owner(cell)].list.push_back({cell, sums});
    }
    /// A thread has added what it has to, perhaps in its margins.
    void offer_margins(int thread) {
        OfThread& own = of_threads_[thread];
        for (const int owner : own.has_margins_for) own.to[owner].has_margins = true;
    }

    /// Adds what others contributed to the cells of a thread.
    void collect(int thread) {
        for (int other = 0; other < threads_; ++other) {
            ToOwner& to = of_threads_[other].to[thread];
            if (std::exchange(to.has_margins, false)) collect_margins(thread, other);
            for (const Listed& listed : to.list) sums_[listed.cell] += listed.sums;
            to.list.clear();
        }
    }
    /// Forgets what a thread has contributed to others, and was not collected.
    void forget(int thread) {
        Sums* const behind = sums_.data() + margin_behind(thread);
        std::fill(behind - width_, behind + width_, Sums{});
        for (ToOwner& to : of_threads_[thread].to) to.list.clear();
    }

private:
    struct Listed {
        std::int32_t cell;
        Sums sums;
    };
    struct ToOwner {
        std::vector<Listed> list;
        bool has_margins = false;
    };
    /// On cache lines of its own.
    struct alignas(128) OfThread {
        std::vector<ToOwner> to;           ///< by owner
        std::vector<int> has_margins_for;  ///< owners of cells in its margins
    };

    /// A thread's margin before its cells lies ahead of the one behind them.
    [[nodiscard]] std::int64_t margin_behind(int thread) const { return cells_ + (2 * thread + 1) * width_; }

    [[nodiscard]] int owner(std::int64_t cell) const {
        return static_cast<int>(((cell + 1) * threads_ - 1) / cells_);
    }
    /// No thread has fewer cells than a margin, so that one is of two threads at most, those at its ends.
    [[nodiscard]] std::vector<int> owners_in_margins(int thread) const {
        std::vector<int> owners;
        if (width_ == 0) return owners;
        const std::int64_t first = first_cell(thread);
        const std::int64_t end = first_cell(thread + 1);
        for (const std::int64_t cell : {first - width_, first - 1, end, end + width_ - 1}) {
            const int found = owner((cell + cells_) % cells_);
            if (found != thread && std::ranges::find(owners, found) == owners.end()) owners.push_back(found);
        }
        return owners;
    }

    /// Adds what is in the margins of another thread for cells of `thread`, and clears it.
    void collect_margins(int thread, int other) {
        Sums* const behind = sums_.data() + margin_behind(other);
        collect_margin(thread, first_cell(other) - width_, behind - width_);
        collect_margin(thread, first_cell(other + 1), behind);
    }
    /// Of one margin, that of the cells from number `from` on, around the ends of the box.
    void collect_margin(int thread, std::int64_t from, Sums* margin) {
        const std::int64_t first = first_cell(thread);
        const std::int64_t last = first_cell(thread + 1);
        for (const std::int64_t turn : {-cells_, std::int64_t{0}, cells_}) {
            const std::int64_t begin = std::max(first, from + turn);
            const std::int64_t end = std::min(last, from + turn + width_);
            for (std::int64_t cell = begin; cell < end; ++cell) {
                Sums& theirs = margin[cell - (from + turn)];
                if (theirs.number() == 0.0) continue;  // what is not written stays in their cache
                sums_[cell] += theirs;
                theirs = {};
            }
        }
    }

    /// Cells of a margin: as far as a step of one cell along each axis leads, but for those around the ends
    /// of the box along y; and no more than a thread has, for others look through it.
    template <class Grid>
    [[nodiscard]] static std::int64_t margin_width(const Grid& grid, int threads) {
        if (threads == 1) return 0;
        const Vec3<int> cells = grid.cells();
        return std::min(grid.cell_count() / threads, std::int64_t{cells.x} * cells.y + cells.x + 1);
    }
    /// Of a list, so that it need not grow but in long flights, and it is known before what it takes. Before
    /// the first re-ordering a particle may be in anybody's cells.
    [[nodiscard]] static std::int64_t room(std::int64_t particles, int threads) {
        constexpr double deviations = 6.0;
        const double mean = static_cast<double>(particles) / threads / threads;
        return static_cast<std::int64_t>(mean + deviations * std::sqrt(mean)) + 16;
    }

    int threads_;
    std::int64_t cells_;
    std::int64_t width_;   ///< of a margin
    RawArray<Sums> sums_;  ///< of all cells, then those in the margins of each thread
    std::vector<OfThread> of_threads_;
};

}  // namespace mpcflow
