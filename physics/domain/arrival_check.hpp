#pragma once
/// Whether particles that domains bring from somewhere are all those of a system, each once.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "physics/domain/exchange.hpp"
#include "physics/domain/share.hpp"
#include "physics/particle.hpp"
#include "physics/snapshot.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Each domain adds the particles that it brings; all finish together.
class ArrivalCheck {
public:
    ArrivalCheck(const System& system, Exchange& exchange) : system_(system), exchange_(exchange) {}

    /// Whether it can be a particle of the system.
    bool add(const ParticleSnapshot& piece, std::size_t index) {
        const bool is_one = is_possible(system_, piece, index);
        ++found_[is_one ? possible : impossible];
        if (is_one) found_[ids] += detail::mix_bits(static_cast<std::uint64_t>(piece.id[index]));
        return is_one;
    }

    /// Throws std::invalid_argument, in all domains alike, where some are missing, double or impossible.
    void finish() {
        // The ids that there should be, each domain a share of them: what is left of all is nothing.
        const Share share = share_of(system_.particle_count(), exchange_.number(), exchange_.count());
        for (std::int64_t id = share.first; id < share.end; ++id)
            found_[ids] -= detail::mix_bits(static_cast<std::uint64_t>(id));
        exchange_.add_up(std::span<std::uint64_t>(found_));
        if (found_[impossible] > 0) {
            throw std::invalid_argument(std::to_string(found_[impossible]) +
                                        " particles are outside of the box, without a velocity, or of ids or "
                                        "species that there are not");
        }
        if (found_[possible] != static_cast<std::uint64_t>(system_.particle_count()) || found_[ids] != 0) {
            throw std::invalid_argument(std::to_string(found_[possible]) + " particles, which are not the " +
                                        std::to_string(system_.particle_count()) +
                                        " of the system, each once");
        }
    }

private:
    enum : std::size_t { possible, impossible, ids };

    const System& system_;
    Exchange& exchange_;
    std::array<std::uint64_t, 3> found_{};
};

}  // namespace mpcflow
