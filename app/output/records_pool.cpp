#include "app/output/records_pool.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace mpcflow {

struct RecordsPool::Shared {
    std::mutex mutex;
    std::condition_variable returned;
    std::vector<std::unique_ptr<ParticleRecords>> free;
};

RecordsPool::RecordsPool(int most) : shared_(std::make_shared<Shared>()) {
    for (int i = 0; i < most; ++i) shared_->free.push_back(std::make_unique<ParticleRecords>());
}

RecordsPool::~RecordsPool() = default;

std::shared_ptr<ParticleRecords> RecordsPool::take() {
    std::unique_ptr<ParticleRecords> taken;
    {
        std::unique_lock lock(shared_->mutex);
        shared_->returned.wait(lock, [this] { return !shared_->free.empty(); });
        // The last one returned: its memory is there already.
        taken = std::move(shared_->free.back());
        shared_->free.pop_back();
    }
    // Unlocked: where there is no memory for the pointer, it is given back here.
    return {taken.release(), [shared = shared_](ParticleRecords* records) {
                {
                    const std::lock_guard guard(shared->mutex);
                    shared->free.emplace_back(records);
                }
                shared->returned.notify_one();
            }};
}

}  // namespace mpcflow
