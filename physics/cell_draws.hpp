#pragma once
/// What cells draw before their sums are (LawNeeds::draws_before_sums), and where it is kept.

#include <cstdint>

#include "physics/host_device.hpp"
#include "physics/step.hpp"

namespace mpcflow {

/// The draws of cells. A law that needs them before its sums has those of the next collision drawn while this
/// one is resolved, and kept in memory, one a cell; others draw when a cell is resolved.
template <class Law>
class CellDraws {
public:
    using Draw = typename Law::Draw;
    /// Of `cells`, how many draws are kept.
    static constexpr std::int64_t kept(std::int64_t cells) {
        return Law::needs.draws_before_sums ? cells : 0;
    }

    CellDraws() = default;
    explicit CellDraws(Draw* kept) : kept_(kept) {}

    /// Those that are kept, one a cell.
    [[nodiscard]] MPCFLOW_HD const Draw* kept() const { return kept_; }

    /// For the next collision: before sums for it are made, and after present() of this one.
    template <class Grid>
    MPCFLOW_HD void begin(const StepPlan<Law, Grid>& plan, int cell) const {
        if constexpr (Law::needs.draws_before_sums) kept_[cell] = Law::draw(plan.next_key(cell));
    }
    /// The same where the draw was made elsewhere.
    MPCFLOW_HD void keep(int cell, const Draw& draw) const {
        if constexpr (Law::needs.draws_before_sums) kept_[cell] = draw;
    }
    /// For this collision, until begin().
    template <class Grid>
    MPCFLOW_HD Draw present(const StepPlan<Law, Grid>& plan, int cell) const {
        if constexpr (Law::needs.draws_before_sums) return kept_[cell];
        else return Law::draw(plan.key(cell));
    }
    /// For contributions to the next collision; load(address) reads a draw.
    template <class Load>
    MPCFLOW_HD Draw next(int cell, const Load& load) const {
        if constexpr (Law::needs.draws_before_sums) return load(kept_ + cell);
        else return {};
    }

private:
    Draw* kept_ = nullptr;
};

}  // namespace mpcflow
