#pragma once
/// Memory for copies of the particles on their way to the disk.

#include <memory>

#include "physics/particle_records.hpp"

namespace mpcflow {

/// A few ParticleRecords that are used over and over. Who wants one while all are in use waits: so a run that
/// makes frames faster than the disk takes them goes as fast as the disk, in bounded memory.
class RecordsPool {
public:
    /// Of `most` >= 1, which take memory when they are first filled.
    explicit RecordsPool(int most);
    ~RecordsPool();
    RecordsPool(const RecordsPool&) = delete;
    RecordsPool& operator=(const RecordsPool&) = delete;

    /// One that nobody else holds, its contents of earlier; waits for it. It comes back when the last pointer
    /// to it goes, on whichever thread, also after the pool is gone.
    [[nodiscard]] std::shared_ptr<ParticleRecords> take();

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace mpcflow
