#include "app/output/permits.hpp"

#include <condition_variable>
#include <mutex>

namespace mpcflow {

struct Permits::Shared {
    std::mutex mutex;
    std::condition_variable returned;
    std::int64_t most = 0;
    std::int64_t held = 0;
};

Permits::Permits(std::int64_t bytes) : shared_(std::make_shared<Shared>()) { shared_->most = bytes; }

std::shared_ptr<const void> Permits::take(std::int64_t bytes) {
    {
        std::unique_lock lock(shared_->mutex);
        shared_->returned.wait(lock,
                               [&] { return shared_->held == 0 || bytes <= shared_->most - shared_->held; });
        shared_->held += bytes;
    }
    return {shared_.get(), [shared = shared_, bytes](const void*) {
                {
                    const std::lock_guard guard(shared->mutex);
                    shared->held -= bytes;
                }
                shared->returned.notify_all();
            }};
}

}  // namespace mpcflow
