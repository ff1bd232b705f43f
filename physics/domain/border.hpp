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
        reach_ = cut.halo + 2 + static_cast<int>(std::min<double>(flight, longest));
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

    /// Sends particles to the owners of their cells on `grid` and returns those that come. One that flew
    /// further than any may is lost, and a fault.
    template <class Particle>
    [[nodiscard]] std::vector<Particle> exchange_particles(const Grid& grid,
                                                           const std::vector<Particle>& leaving,
                                                           std::uint32_t& faults) {
        std::vector<std::vector<Particle>> to(neighbours_.size());
        for (const Particle& particle : leaving) {
            const auto owner = std::ranges::find(neighbours_, grid.owner(particle.position));
            if (owner == neighbours_.end()) faults |= fault_speed;
            else to[owner - neighbours_.begin()].push_back(particle);
        }
        std::vector<Particle> came;
        for (const std::vector<Particle>& from : trade(neighbours_, to))
            came.insert(came.end(), from.begin(), from.end());
        return came;
    }

    /// Makes the sums of this domain's particles over its cells those of all particles.
    template <class SumsOfCells>
    void exchange_sums(SumsOfCells& sums) {
        using Sums = std::decay_t<decltype(sums[0])>;
        static_assert(std::is_trivially_copyable_v<Sums>);
        // What came a step ago is as long, and needs no new memory.
        sums_.resize(shared_.size());
        for (std::size_t i = 0; i < shared_.size(); ++i) {
            sums_[i].resize(shared_[i].size() * sizeof(Sums));
            std::byte* to = sums_[i].data();
            for (const int cell : shared_[i]) {
                std::memcpy(to, &sums[cell], sizeof(Sums));
                to += sizeof(Sums);
            }
        }
        sums_ = exchange_->trade(neighbours_, std::move(sums_));
        for (std::size_t i = 0; i < shared_.size(); ++i) {
            const std::byte* from = sums_[i].data();
            for (const int cell : shared_[i]) {
                Sums theirs;
                std::memcpy(&theirs, from, sizeof(Sums));
                sums[cell] += theirs;
                from += sizeof(Sums);
            }
        }
    }

    /// What connects this domain with all others.
    [[nodiscard]] Exchange& exchange() const { return *exchange_; }
    [[nodiscard]] int number() const { return grid_.number(); }

private:
    template <class T>
    [[nodiscard]] std::vector<std::vector<T>> trade(std::span<const int> others,
                                                    const std::vector<std::vector<T>>& values) {
        std::vector<Message> messages;
        for (const std::vector<T>& some : values) messages.push_back(message_of(std::span<const T>(some)));
        std::vector<std::vector<T>> theirs;
        for (const Message& message : exchange_->trade(others, std::move(messages)))
            theirs.push_back(values_of<T>(message));
        return theirs;
    }

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
    int reach_ = 0;
    std::vector<int> neighbours_;
    std::vector<Grid> grids_;
    std::vector<std::vector<int>> shared_;
    std::vector<Message> sums_;
};

}  // namespace mpcflow
