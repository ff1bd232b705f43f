#pragma once
/// Memory that runs out when a test wants it to.

#include <cstdint>

namespace mpcflow::test {

/// While it lives, operator new throws std::bad_alloc on all threads, but for the first few calls. The
/// executable has failing_memory.cpp among its sources. One at a time.
class FailingMemory {
public:
    explicit FailingMemory(std::int64_t granted_calls);
    ~FailingMemory();
    FailingMemory(const FailingMemory&) = delete;
    FailingMemory& operator=(const FailingMemory&) = delete;

    /// Whether a call has failed.
    [[nodiscard]] bool has_failed() const;
};

}  // namespace mpcflow::test
