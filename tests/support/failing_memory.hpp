#pragma once
/// Memory that runs out when a test wants it to.

#include <cstdint>

// Clang's thread sanitizer has an operator new of its own, and no other may be there.
#if defined(MPCFLOW_SANITIZED_THREAD) && defined(__clang__)
#define MPCFLOW_MEMORY_CANNOT_FAIL
#endif

namespace mpcflow::test {

/// While it lives, operator new throws std::bad_alloc on all threads, but for the first few calls. The
/// executable has failing_memory.cpp among its sources. One at a time. None with MPCFLOW_MEMORY_CANNOT_FAIL.
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
