#include "physics/lattice.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mpcflow {

namespace {

/// L_z (N / V)^(1/3) to the nearest whole number: the greatest n of (n - 1/2)^3 <= L_z^3 N / V, by products,
/// which are the same on every machine.
std::uint64_t layers_of(const System& system) {
    const auto count = static_cast<double>(system.particle_count());
    const auto volume = static_cast<double>(system.box.volume());
    const double length = system.box.size[2];
    const auto is_reached = [&](std::uint64_t layers) {
        const double twice = 2.0 * static_cast<double>(layers) - 1.0;
        return twice * twice * twice * volume <= 8.0 * length * length * length * count;
    };
    std::uint64_t layers = 1;
    // From the greatest power of two on, which is more than any box has.
    for (std::uint64_t more = std::uint64_t{1} << 22; more > 0; more /= 2)
        if (is_reached(layers + more)) layers += more;
    const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(system.particle_count(), 1));
    return std::min(layers, most);
}

/// The same of the rows of a layer, in two dimensions.
std::uint64_t rows_of(const System& system, std::uint64_t layers) {
    const double in_layer = static_cast<double>(system.particle_count()) / static_cast<double>(layers);
    const double rows =
        std::round(std::sqrt(in_layer * system.box.size[1] / static_cast<double>(system.box.size[0])));
    return static_cast<std::uint64_t>(std::max(std::min(rows, std::floor(in_layer)), 1.0));
}

}  // namespace

Lattice::Lattice(const System& system)
    : count_(static_cast<std::uint64_t>(system.particle_count())),
      layers_(layers_of(system)),
      rows_(rows_of(system, layers_)),
      bits_(std::max(static_cast<int>(std::bit_width(count_ - 1)), 1)) {
    for (int axis = 0; axis < 3; ++axis) length_[axis] = system.box.size[axis];
}

}  // namespace mpcflow
