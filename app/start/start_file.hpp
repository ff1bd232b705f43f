#pragma once
/// The file that an input begins with: `start.from`, a checkpoint or a frame of a trajectory, or
/// `start.arrays`, the user's own.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "input/scenario.hpp"
#include "physics/particle_source.hpp"

namespace mpcflow {

/// Such a file that fits its input.
struct StartFile {
    std::string description;     ///< for people: which particles of which file
    std::uint64_t identity = 0;  ///< differs where another file has the name
    /// Opens the share that number `number` of `count` reads, as particles of the input's system; the shares
    /// together are all. Throws EnvironmentError.
    std::function<std::unique_ptr<ParticleSource>(int number, int count)> open_share;
};

/// Opens the file of an input that has one. Throws InputError where it does not fit the input, and
/// EnvironmentError where it cannot be read or is not what it should be; of particles nothing is read but, of
/// a frame, for its checksum.
[[nodiscard]] StartFile open_start(const Scenario& scenario);

/// The same, having gone through all of its particles, a piece at a time.
[[nodiscard]] StartFile read_start(const Scenario& scenario);

}  // namespace mpcflow
