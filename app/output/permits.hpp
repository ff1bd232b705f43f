#pragma once
/// A bound on how many things are on their way to the disk.

#include <memory>

namespace mpcflow {

/// So many permits; who wants one while all are held waits.
class Permits {
public:
    /// Of `most` >= 1.
    explicit Permits(int most);

    /// Waits for one. It comes back when the last pointer to it goes, on whichever thread, also after this is
    /// gone.
    [[nodiscard]] std::shared_ptr<const void> take();

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

}  // namespace mpcflow
