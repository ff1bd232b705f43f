#include "app/output/permits.hpp"

#include <condition_variable>
#include <mutex>

namespace mpcflow {

struct Permits::Shared {
    std::mutex mutex;
    std::condition_variable returned;
    int free = 0;
};

Permits::Permits(int most) : shared_(std::make_shared<Shared>()) { shared_->free = most; }

std::shared_ptr<const void> Permits::take() {
    {
        std::unique_lock lock(shared_->mutex);
        shared_->returned.wait(lock, [this] { return shared_->free > 0; });
        --shared_->free;
    }
    return {shared_.get(), [shared = shared_](const void*) {
                {
                    const std::lock_guard guard(shared->mutex);
                    ++shared->free;
                }
                shared->returned.notify_one();
            }};
}

}  // namespace mpcflow
