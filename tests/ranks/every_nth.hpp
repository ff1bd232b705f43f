#pragma once

#include <cstddef>

#include "physics/solver.hpp"

namespace mpcflow::test {

/// Those of a snapshot that a domain brings: every `count`-th from number `number` on.
inline ParticleSnapshot every_nth(const ParticleSnapshot& all, int number, int count) {
    ParticleSnapshot some;
    some.step = all.step;
    for (auto i = static_cast<std::size_t>(number); i < all.id.size(); i += static_cast<std::size_t>(count)) {
        some.id.push_back(all.id[i]);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            some.position.push_back(all.position[3 * i + axis]);
            some.velocity.push_back(all.velocity[3 * i + axis]);
            some.image.push_back(all.image[3 * i + axis]);
        }
    }
    return some;
}

}  // namespace mpcflow::test
