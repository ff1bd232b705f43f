#pragma once
/// The fixed grids that all contributions to sums are rounded to, so that the order of adding does
/// not matter.
///
/// A double holds every multiple of 2^-q up to 2^(53-q) exactly. If all contributions are such
/// multiples and no partial sum can leave that range, every addition is exact and any order of adding
/// gives the same bits. The grids follow from two bounds that the solver enforces (a violation is a
/// SimulationFault, never a silent change): no particle is faster than `speed_limit`, no cell holds
/// more than `occupancy_limit` particles.

#include <cmath>

#include "physics/host_device.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// A grid 2^-q, given by the constant that rounds to it: 1.5 x 2^(52-q).
class RoundingGrid {
public:
    RoundingGrid() = default;
    /// The finest grid on which sums up to `bound` are exact.
    explicit RoundingGrid(double bound) {
        int exponent = 0;
        std::frexp(bound, &exponent);  // bound <= 2^exponent
        q_ = 53 - exponent;
        magic_ = std::ldexp(1.5, 52 - q_);
    }

    /// x to the nearest multiple of 2^-q; |x| is at most 2^(51-q), a quarter of what sums may reach.
    MPCFLOW_HD double round(double x) const { return (x + magic_) - magic_; }
    /// The bits of x + magic(), less those of magic(), are x in multiples of the grid's spacing.
    [[nodiscard]] double magic() const { return magic_; }
    /// q: the grid is 2^-q.
    [[nodiscard]] int bits() const { return q_; }
    [[nodiscard]] double spacing() const { return std::ldexp(1.0, -q_); }

private:
    double magic_ = 0.0;
    int q_ = 0;
};

/// The grid that a sum over the particles of a cell is on.
enum class SumGrid : unsigned char {
    number,    ///< whole numbers
    mass,      ///< in units of the fluid's mass; the grids below are those of the sums weighted with it
    velocity,  ///< sum v
    velocity_squared,  ///< sum v^2
    offset,            ///< sum r and sum r r, |r| <= sqrt(3)/2
    offset_velocity    ///< sum r x v and sum r x (v - R v)
};

/// How finely contributions to the sums of a cell are rounded.
enum class SumWidth {
    wide,   ///< as finely as doubles hold the sums
    narrow  ///< so that cards may add up two sums in three words of 32 bits (gpu/word_sums.hpp)
};

/// The grids of cell sums.
struct CellRounding {
    double speed_limit = 0.0;
    double occupancy_limit = 0.0;
    int crowd_bits = 0;  ///< of narrow sums: words have room for 2^crowd_bits particles
    RoundingGrid mass;
    RoundingGrid velocity;
    RoundingGrid velocity_squared;
    RoundingGrid offset;
    RoundingGrid offset_velocity;

    CellRounding() = default;
    /// `heaviest` is the mass of the heaviest particles in units of the fluid's.
    explicit CellRounding(const Fluid& fluid, double heaviest = 1.0, SumWidth width = SumWidth::wide);

    /// Of any but numbers, which are whole as they are.
    template <SumGrid which>
    [[nodiscard]] MPCFLOW_HD const RoundingGrid& grid() const {
        static_assert(which != SumGrid::number);
        if constexpr (which == SumGrid::velocity) return velocity;
        else if constexpr (which == SumGrid::velocity_squared) return velocity_squared;
        else if constexpr (which == SumGrid::offset) return offset;
        else if constexpr (which == SumGrid::offset_velocity) return offset_velocity;
        else return mass;
    }
    template <SumGrid which>
    [[nodiscard]] MPCFLOW_HD double round(double x) const {
        if constexpr (which == SumGrid::number) return x;
        else return grid<which>().round(x);
    }
};

/// No particle may move faster than this many thermal speeds sqrt(kT/m), at the highest temperature of a run.
inline constexpr double speed_limit_in_thermal_speeds = 32.0;

/// Most particles that a region of `cells` cells may hold: eight times the mean and some.
inline double occupancy_limit(const Fluid& fluid, double cells) {
    return 8.0 * fluid.density * cells + 120.0;
}

inline double speed_limit(const Fluid& fluid) {
    return speed_limit_in_thermal_speeds * std::sqrt(fluid.highest_temperature() / fluid.mass);
}

/// The bits of a contribution to a narrow sum, beside its sign. Of a pair of sums each has a low word, which
/// adds 32 - crowd_bits bits of each contribution, and half a high word, whose sum is in [-2^15, 2^15).
constexpr int narrow_bits(int crowd_bits) { return 15 + 32 - 2 * crowd_bits; }

inline CellRounding::CellRounding(const Fluid& fluid, double heaviest, SumWidth width)
    : speed_limit(mpcflow::speed_limit(fluid)),
      occupancy_limit(mpcflow::occupancy_limit(fluid, 1.0)),
      // Sums of two occupancies stay below the bounds; a single contribution is far below a quarter of them.
      mass(2.0 * occupancy_limit * heaviest),
      velocity(2.0 * occupancy_limit * heaviest * speed_limit),
      velocity_squared(2.0 * occupancy_limit * heaviest * speed_limit * speed_limit),
      offset(2.0 * occupancy_limit * heaviest),
      offset_velocity(4.0 * occupancy_limit * heaviest * speed_limit) {
    // Beside heavy particles light ones would be rounded too coarsely.
    if (width == SumWidth::wide || heaviest > 1.0) return;
    // Narrow sums are of floats, so what they are rounded to need be little finer than a float's own
    // rounding: at ten particles a cell velocities are so to 2^-29 thermal speeds, and offsets to 2^-35.
    // Words have room for more particles than cells have by chance, up to some 150 on average. Who comes to a
    // fuller cell adds by himself, so that denser fluids lose speed.
    const double crowd = fluid.density + 8.0 * std::sqrt(fluid.density) + 8.0;
    crowd_bits = 6;
    while (crowd_bits < 8 && std::ldexp(1.0, crowd_bits) < crowd) ++crowd_bits;
    // What a particle contributes. A law may take another velocity off one at the limit, that of a Gaussian
    // variate, at most 7 thermal speeds, and sheared faces add up to 12.
    const double fastest = 1.6 * speed_limit;
    const double longest = 0.51;  // offset along an axis
    const auto grid_for = [&](double most) {
        return RoundingGrid(std::ldexp(most, 53 - narrow_bits(crowd_bits)));
    };
    velocity = grid_for(fastest);
    velocity_squared = grid_for(fastest * fastest);
    offset = grid_for(longest);
    offset_velocity = grid_for(2.0 * std::sqrt(2.0) * longest * fastest);
}

}  // namespace mpcflow
