#pragma once
/// A bound on the memory of what is on its way to the disk.

#include <cstdint>
#include <memory>

namespace mpcflow {

/// So many bytes; who wants some while too many are held waits.
class Permits {
public:
    explicit Permits(std::int64_t bytes);

    /// Waits for so many; for more than there are until none is held. They come back when the last pointer to
    /// them goes, on whichever thread, also after this is gone.
    [[nodiscard]] std::shared_ptr<const void> take(std::int64_t bytes);

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace mpcflow
