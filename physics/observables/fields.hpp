#pragma once
/// Sums over the particles of a bin, from which fields are averaged. Rounded to fixed grids before adding,
/// like the sums of cells, so their bits do not depend on the order. In a sheared box velocities are relative
/// to the flow that its faces impose, which FieldAverages have again.

#include <array>
#include <cstdint>
#include <vector>

#include "physics/grid_rounding.hpp"
#include "physics/lees_edwards.hpp"
#include "physics/observables/sums.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Sums of one bin over the samples of a block, from which averages are made.
struct FieldSums {
    double particles = 0.0;            ///< sum over samples of N
    std::array<double, 3> momentum{};  ///< sum over samples of sum m v
    double relative_energy = 0.0;      ///< sum over samples of (m/2) (sum v^2 - |sum v|^2 / N)
    double relative_freedoms = 0.0;    ///< sum over samples of 3 (N - 1) where N > 0; kT = 2 E / this
};

/// Sums of one bin over the samples of a block, from which its pressure tensor is made
/// (physics/observables/momentum_flux.hpp).
struct PressureSums {
    /// Sum over samples of the mass of the particles in units of the fluid's (so N where all have the same),
    /// in the middle of the flight that comes.
    double mass = 0.0;
    std::array<double, 3> momentum{};     ///< and of their m v
    std::array<double, 6> kinetic{};      ///< sum m u_a u_b of their flights: xx yy zz xy xz yz
    std::array<double, 9> collisional{};  ///< sum (m/h) dv_a r_b of the collision before it, in row order
};

/// What is kept of each bin, and of which fluid.
struct FieldLayout {
    std::int64_t bins = 0;
    PressureFields pressure = PressureFields::none;
    int species = 1;

    /// Rows of a bin: of all particles and, where there are several species, of each.
    [[nodiscard]] constexpr int rows() const { return species > 1 ? 1 + species : 1; }
    [[nodiscard]] constexpr std::int64_t row_count() const { return bins * rows(); }
    [[nodiscard]] constexpr std::int64_t bytes() const {
        const std::size_t of_pressure = pressure == PressureFields::sampled ? sizeof(PressureSums) : 0;
        return bins * static_cast<std::int64_t>(rows() * sizeof(FieldSums) + of_pressure);
    }
};

/// A block of field samples: bins in row order, index = x + bins[0] * (y + bins[1] * z). Of several species
/// all bins follow for the particles of the first one alone, then for the second ...
struct FieldBlock {
    std::int64_t samples = 0;
    std::vector<FieldSums> bins;
    std::vector<PressureSums> pressure{};  ///< of each bin, or none where SolverOptions::pressure is none
};

/// An empty block.
[[nodiscard]] FieldBlock make_field_block(const FieldLayout& layout);

/// Throws std::invalid_argument unless the block is of this layout.
void check_bins(const FieldBlock& block, const FieldLayout& layout);

/// The sums of one field bin in one sample: particles, velocity (3), velocity squared.
using BinSums = SumsOf<5>;

/// A bin is a block of whole cells (of the unshifted grid) of the box.
class BinRule {
public:
    BinRule() = default;
    BinRule(const System& system, const std::array<int, 3>& bins)
        : flow_(system), species_(system.species_count()) {
        for (int s = 0; s < species_; ++s) mass_[s] = system.mass_of(s);
        double cells_in_bin = 1.0;
        for (int axis = 0; axis < 3; ++axis) {
            bins_[axis] = bins[axis];
            const int width = bins[axis] > 0 ? system.box.size[axis] / bins[axis] : 1;
            reciprocal_[axis] = 0xffffffffU / static_cast<unsigned>(width) + std::uint64_t{1};
            cells_in_bin *= width;
        }
        occupancy_limit_ = mpcflow::occupancy_limit(system.fluid, cells_in_bin);
        const double speed = speed_limit(system.fluid);
        velocity_ = RoundingGrid(2.0 * occupancy_limit_ * speed);
        squared_ = RoundingGrid(2.0 * occupancy_limit_ * speed * speed);
    }

    [[nodiscard]] MPCFLOW_HD std::int64_t bin_count() const {
        return std::int64_t{bins_.x} * bins_.y * bins_.z;
    }
    /// Of a sample: the bins for the first species, for the second ...
    [[nodiscard]] MPCFLOW_HD std::int64_t row_count() const { return species_ * bin_count(); }
    [[nodiscard]] FieldLayout layout(PressureFields pressure) const {
        return {bin_count(), pressure, species_};
    }
    MPCFLOW_HD double occupancy_limit() const { return occupancy_limit_; }

    /// Of a sample the row that a particle of a species is added to.
    template <class Real>
    MPCFLOW_HD std::int64_t row(Vec3<Real> position, int species) const {
        return bin(position) + species * bin_count();
    }
    /// The bin of a row.
    [[nodiscard]] MPCFLOW_HD int bin_of(std::int32_t row) const {
        return species_ == 1 ? row : row % (bins_.x * bins_.y * bins_.z);
    }

    template <class Real>
    MPCFLOW_HD int bin(Vec3<Real> position) const {
        const int x = bin_axis(position.x, reciprocal_.x, bins_.x);
        const int y = bin_axis(position.y, reciprocal_.y, bins_.y);
        const int z = bin_axis(position.z, reciprocal_.z, bins_.z);
        return x + bins_.x * (y + bins_.y * z);
    }

    /// The velocity of a particle that counts.
    template <class Real>
    MPCFLOW_HD Vec3<Real> velocity(Vec3<Real> position, Vec3<Real> velocity) const {
        return flow_.relative(position, velocity);
    }
    /// What a particle of such a velocity adds to its bin.
    template <class Real>
    MPCFLOW_HD BinSums contribute(Vec3<Real> velocity) const {
        const Vec3<double> v = vector_cast<double>(velocity);
        return {{1.0, velocity_.round(v.x), velocity_.round(v.y), velocity_.round(v.z),
                 squared_.round(dot(v, v))}};
    }

    /// Adds a bin's rows of one sample to those of a block; false where it has more particles than sums are
    /// exact for. The energy is relative to the mean velocity of the bin, or of a species in it, and the
    /// freedoms are counted alike, so small bins have no bias.
    [[nodiscard]] MPCFLOW_HD bool fold(const BinSums* sample, std::int64_t bin, FieldSums* block) const {
        const BinSums& first = sample[bin];
        if (species_ == 1) {
            fold_one(first, mass_[0], block[bin]);
            return first.value[0] <= occupancy_limit_;
        }
        double n = 0.0, mass = 0.0, squares = 0.0;
        Vec3<double> momentum{};
        for (int s = 0; s < species_; ++s) {
            const BinSums& own = sample[bin + s * bin_count()];
            fold_one(own, mass_[s], block[bin + (1 + s) * bin_count()]);
            n += own.value[0];
            mass += mass_[s] * own.value[0];
            momentum += mass_[s] * Vec3<double>{own.value[1], own.value[2], own.value[3]};
            squares += mass_[s] * own.value[4];
        }
        if (n == 0.0) return true;
        FieldSums& all = block[bin];
        all.particles += n;
        for (int axis = 0; axis < 3; ++axis) all.momentum[axis] += momentum[axis];
        all.relative_energy += 0.5 * (squares - dot(momentum, momentum) / mass);
        all.relative_freedoms += 3.0 * (n - 1.0);
        return n <= occupancy_limit_;
    }

private:
    MPCFLOW_HD static void fold_one(const BinSums& sample, double mass, FieldSums& block) {
        const double n = sample.value[0];
        if (n == 0.0) return;
        const Vec3<double> total{sample.value[1], sample.value[2], sample.value[3]};
        block.particles += n;
        block.momentum[0] += mass * total.x;
        block.momentum[1] += mass * total.y;
        block.momentum[2] += mass * total.z;
        block.relative_energy += 0.5 * mass * (sample.value[4] - dot(total, total) / n);
        block.relative_freedoms += 3.0 * (n - 1.0);
    }

    /// n / width for n from 0 to an edge's most, 2^16, by the reciprocal in units of 2^-32, rounded up: what
    /// reciprocal times width exceeds 2^32 by is less than the width, and times n less than 2^32.
    template <class Real>
    MPCFLOW_HD static int bin_axis(Real x, std::uint64_t reciprocal, int bins) {
        const auto cell = static_cast<std::uint32_t>(static_cast<int>(x));
        const int b = static_cast<int>(cell * reciprocal >> 32U);
        return b < bins ? b : bins - 1;  // a particle on the upper wall belongs to the last bin
    }

    ShearFlow flow_;
    Vec3<int> bins_{};
    Vec3<std::uint64_t> reciprocal_{};  ///< of a bin's edge
    int species_ = 1;
    double mass_[SpeciesList::most]{};  ///< of a particle of each
    double occupancy_limit_ = 0.0;
    RoundingGrid velocity_, squared_;
};

/// The sums of fields, which a solver keeps where its particles are: they are added to at every sample and
/// fetched at the end of a block only, for on a card they are many.
class FieldSampler {
public:
    virtual ~FieldSampler() = default;
    FieldSampler(const FieldSampler&) = delete;
    FieldSampler& operator=(const FieldSampler&) = delete;

    /// Adds the present state to the current block (needs SolverOptions::bins), and with
    /// SolverOptions::pressure the flux of momentum in the step to come.
    virtual void sample() = 0;
    /// Returns the current block and begins a new one.
    [[nodiscard]] virtual FieldBlock take() = 0;
    /// Makes a block that take() gave the current one; what was sampled since is dropped.
    virtual void put(const FieldBlock& block) = 0;

protected:
    FieldSampler() = default;
};

/// Throws std::logic_error where there are no bins.
void check_can_sample(const BinRule& rule);

/// Averages over blocks of time: gives what the solver adds them up in.
struct FieldsRule {
    using Result = FieldSampler&;
    explicit FieldsRule(const System&) {}
};

}  // namespace mpcflow
