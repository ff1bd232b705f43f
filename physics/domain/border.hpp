#pragma once
/// What a domain gives to others and takes from them: particles, sums of cells that both have, and at the end
/// of a run what went wrong. docs/design.md tells when.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "physics/domain/domain_grid.hpp"
#include "physics/domain/exchange.hpp"
#include "physics/grid_rounding.hpp"
#include "physics/step.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// The border of the whole box: there is nobody beyond.
template <class Real>
struct NoBorder {
    using Grid = CellGrid<Real>;
    static constexpr bool is_open = false;
    [[nodiscard]] static Grid first_grid(const System& system) { return {system, 0}; }
};

template <class Real>
class Border {
public:
    using Grid = DomainGrid<Real>;
    static constexpr bool is_open = true;

    /// Of domain `number`. `exchange` must outlive it.
    Border(const System& system, const Cut& cut, int number, Exchange& exchange)
        : grid_(system, 0, cut, number), exchange_(&exchange) {
        // Within a step a particle flies so many cells at most, from a cell of this grid, and the grid
        // shifts.
        const double flight = speed_limit(system.fluid) * system.collision.time_step;
        const int longest = *std::ranges::max_element(system.box.size);
        flight_ = 2 + static_cast<int>(std::min<double>(flight, longest));
        reach_ = cut.halo + flight_;
        Cut far = cut;
        far.halo = cut.halo + reach_;
        const Grid reach(system, 0, far, number);
        for (int other = 0; other < cut.count(); ++other) {
            if (other == number || !reach.reaches(other)) continue;
            neighbours_.push_back(other);
            grids_.emplace_back(system, 0, cut, other);
            shared_.push_back(shared_cells(grids_.back()));
        }
    }

    [[nodiscard]] const Grid& first_grid(const System& /*system*/) const { return grid_; }
    [[nodiscard]] const std::vector<int>& neighbours() const { return neighbours_; }
    /// Of each neighbour, its grid: which cells of the box it has does not depend on the step.
    [[nodiscard]] const std::vector<Grid>& grids() const { return grids_; }
    /// Of each neighbour, this domain's cells that it has, too, in an order that both know.
    [[nodiscard]] const std::vector<std::vector<int>>& shared() const { return shared_; }
    /// A particle gets from its cell in a collision to one of the next so many cells further, at most.
    [[nodiscard]] int flight() const { return flight_; }
    /// In so many layers of its own cells other domains have a part, or particles that come from them.
    [[nodiscard]] int reach() const { return reach_; }
    /// Room for particles that the domain will take, about: it grows by a quarter at a time.
    [[nodiscard]] std::int64_t most_particles(const System& system) const {
        return 64 + static_cast<std::int64_t>(1.25 * system.fluid.density *
                                              static_cast<double>(grid_.own().volume()));
    }
    /// Bytes of sums of cells that it sends in a step to all its neighbours.
    [[nodiscard]] std::int64_t bytes_of_sums(std::size_t bytes_of_cell) const {
        std::size_t cells = 0;
        for (const std::vector<int>& shared : shared_) cells += shared.size();
        return static_cast<std::int64_t>(cells * bytes_of_cell);
    }
    /// To the one of them to which it sends most.
    [[nodiscard]] std::int64_t most_bytes_of_sums(std::size_t bytes_of_cell) const {
        std::size_t cells = 0;
        for (const std::vector<int>& shared : shared_) cells = std::max(cells, shared.size());
        return static_cast<std::int64_t>(cells * bytes_of_cell);
    }

    /// Begins to give each neighbour what it needs of this domain for the next collision, which is on `grid`:
    /// of the particles that have left this domain's grid those whose cells it has, and what this domain's
    /// particles add to cells that both have. Notes a fault of a particle that flew further than any may, and
    /// is lost.
    template <class Particle, class SumsOfCells>
    void begin_exchange(const Grid& grid, const std::vector<Particle>& leaving, SumsOfCells& sums,
                        std::uint32_t& faults) {
        using Sums = std::decay_t<decltype(sums[0])>;
        static_assert(std::is_trivially_copyable_v<Sums> && std::is_trivially_copyable_v<Particle>);
        std::vector<std::vector<Particle>> to(neighbours_.size());
        for (const Particle& particle : leaving) {
            const Vec3<int> cell = grid.locate_in_box(particle.position);
            if (std::ranges::find(neighbours_, grid.owner_of(cell)) == neighbours_.end())
                faults |= fault_speed;
            for (std::size_t i = 0; i < to.size(); ++i)
                if (grids_[i].find(cell) != no_cell) to[i].push_back(particle);
        }
        // What came a step ago is about as long, and needs no new memory; what it said is not moved on.
        messages_.resize(neighbours_.size());
        for (std::size_t i = 0; i < to.size(); ++i) {
            const auto count = static_cast<std::int64_t>(to[i].size());
            const std::size_t bytes_of_particles = to[i].size() * sizeof(Particle);
            messages_[i].clear();
            messages_[i].resize(sizeof count + bytes_of_particles + shared_[i].size() * sizeof(Sums));
            std::byte* at = messages_[i].data();
            std::memcpy(at, &count, sizeof count);
            at += sizeof count;
            if (count > 0) std::memcpy(at, to[i].data(), bytes_of_particles);
            at += bytes_of_particles;
            for (const int cell : shared_[i]) {
                std::memcpy(at, &sums[cell], sizeof(Sums));
                at += sizeof(Sums);
            }
        }
        exchange_->begin_trade(neighbours_, std::move(messages_));
    }

    /// Ends it: adds what neighbours gave to the sums of the cells that both have, and calls take(particle)
    /// for each particle that came into a cell of this grid; it may be another domain's own.
    template <class Particle, class SumsOfCells, class Take>
    void end_exchange(SumsOfCells& sums, const Take& take) {
        using Sums = std::decay_t<decltype(sums[0])>;
        messages_ = exchange_->end_trade();
        for (std::size_t i = 0; i < shared_.size(); ++i) {
            const std::byte* at = messages_[i].data();
            std::int64_t count = 0;
            std::memcpy(&count, at, sizeof count);
            at += sizeof count;
            for (; count > 0; --count) {
                Particle particle;
                std::memcpy(&particle, at, sizeof particle);
                at += sizeof particle;
                take(particle);
            }
            for (const int cell : shared_[i]) {
                Sums theirs;
                std::memcpy(&theirs, at, sizeof(Sums));
                sums[cell] += theirs;
                at += sizeof(Sums);
            }
        }
    }

    /// What connects this domain with all others.
    [[nodiscard]] Exchange& exchange() const { return *exchange_; }
    [[nodiscard]] int number() const { return grid_.number(); }

private:
    /// This domain's cells that are on the grid of another, too, in the order of their keys, as the other has
    /// them.
    [[nodiscard]] std::vector<int> shared_cells(const Grid& other) const {
        std::vector<int> cells;
        for (int cell = 0; cell < grid_.cell_count(); ++cell)
            if (other.find(grid_.in_box(cell)) != no_cell) cells.push_back(cell);
        std::ranges::sort(cells, {}, [&](int cell) { return grid_.key(cell); });
        return cells;
    }

    Grid grid_;
    Exchange* exchange_;
    int flight_ = 0;
    int reach_ = 0;
    std::vector<int> neighbours_;
    std::vector<Grid> grids_;
    std::vector<std::vector<int>> shared_;
    std::vector<Message> messages_;
};

}  // namespace mpcflow
