#pragma once
/// Where particles are by their place in memory: they were put there in the order of cells, and since then
/// have gone a little way.

#include <cstdint>
#include <span>

namespace mpcflow {

/// What is kept of a re-ordering: the number of the first particle of a cell. Both count from the first ones
/// of a thread.
struct CellMark {
    /// A cell has a mark if its number is a multiple of this. In between as many particles are taken to be in
    /// each cell.
    static constexpr std::int64_t spacing = 1024;

    std::int64_t cell;
    std::int64_t particle;
};

/// Goes through a thread's particles, and through the cells in which they were when they were re-ordered.
class CellWalk {
public:
    /// Of so many cells and particles. Where there are no marks, which `marks` has in their order, particles
    /// are spread over the cells evenly.
    CellWalk(std::span<const CellMark> marks, std::int64_t cells, std::int64_t particles)
        : marks_(marks), last_{cells, particles} {
        go_to_next();
    }

    /// About in which cell particle number `particle` was, which is no lower than that of the call before.
    [[nodiscard]] std::int64_t cell_of(std::int64_t particle) {
        while (particle >= to_.particle && to_.particle < last_.particle) go_to_next();
        return from_.cell + static_cast<std::int64_t>(static_cast<double>(particle - from_.particle) *
                                                      cells_per_particle_);
    }

private:
    /// The part of the way between two marks, or from the last one to the end.
    void go_to_next() {
        from_ = to_;
        to_ = last_;
        if (!marks_.empty()) {
            to_ = marks_.front();
            marks_ = marks_.subspan(1);
        }
        const auto particles = static_cast<double>(to_.particle - from_.particle);
        cells_per_particle_ = particles > 0.0 ? static_cast<double>(to_.cell - from_.cell) / particles : 0.0;
    }

    std::span<const CellMark> marks_;  ///< those ahead
    CellMark from_{0, 0};
    CellMark to_{0, 0};
    CellMark last_;
    double cells_per_particle_ = 0.0;
};

}  // namespace mpcflow
