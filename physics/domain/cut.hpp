#pragma once
/// How a box is cut along cell planes into domains.

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "physics/system.hpp"

namespace mpcflow {

/// The cut: so many domains along each axis, of sizes that differ by a cell at most. A domain's number is
/// x + domains[0] * (y + domains[1] * z).
struct Cut {
    std::array<int, 3> domains{1, 1, 1};
    int halo = 1;  ///< cells that a domain's grid has beyond its own, on each side

    [[nodiscard]] int count() const { return domains[0] * domains[1] * domains[2]; }
};

/// A domain's own cells of the box: [origin, origin + extent) along each axis.
struct CellBlock {
    std::array<int, 3> origin{};
    std::array<int, 3> extent{};

    [[nodiscard]] std::int64_t volume() const { return std::int64_t{extent[0]} * extent[1] * extent[2]; }
};

/// The cells of domain `number`. Throws std::invalid_argument where an axis has fewer cells than domains.
[[nodiscard]] inline CellBlock cut(const Box& box, const Cut& cut, int number) {
    CellBlock block;
    for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t domains = cut.domains[axis];
        if (domains < 1 || domains > box.size[axis] || cut.halo < 1) {
            throw std::invalid_argument("a cut into " + std::to_string(domains) +
                                        " domains, with a halo of " + std::to_string(cut.halo) +
                                        ", of an axis of " + std::to_string(box.size[axis]) + " cells");
        }
        const std::int64_t along = number % domains;
        number /= static_cast<int>(domains);
        block.origin[axis] = static_cast<int>(box.size[axis] * along / domains);
        block.extent[axis] = static_cast<int>(box.size[axis] * (along + 1) / domains) - block.origin[axis];
    }
    return block;
}

}  // namespace mpcflow
