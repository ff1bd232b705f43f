#pragma once
/// What rank 0 asks of the other ranks beside their solvers: with files, of which this folder knows nothing.

#include <functional>
#include <memory>

#include "physics/domain/exchange.hpp"
#include "physics/particle_records.hpp"
#include "physics/particle_source.hpp"

namespace mpcflow {

/// Orders and answers are whatever the one who gives these functions makes of them. What they throw ends all
/// ranks, as any failure of one does.
struct Errands {
    /// Does what the order says with this rank's own particles; the answer goes to rank 0.
    std::function<Message(const Message& order, const ParticleRecords& own)> save;
    /// The particles that this rank brings to a restore.
    std::function<std::unique_ptr<ParticleSource>(const Message& order)> open;
};

}  // namespace mpcflow
