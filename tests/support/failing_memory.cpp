#include "tests/support/failing_memory.hpp"

#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

namespace {

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
std::atomic<std::int64_t> granted{endless};
std::atomic<bool> failed{false};

/// Counts down, and stays at nothing.
[[maybe_unused]] void count_call() {
    std::int64_t left = granted.load();
    if (left == endless) return;
    while (left > 0 && !granted.compare_exchange_weak(left, left - 1)) {}
    if (left > 0) return;
    failed = true;
    throw std::bad_alloc();
}

[[maybe_unused]] void* checked(void* memory) {
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

#ifndef MPCFLOW_MEMORY_CANNOT_FAIL

void* operator new(std::size_t size) {
    count_call();
    return checked(std::malloc(size > 0 ? size : 1));
}

void* operator new(std::size_t size, std::align_val_t alignment) {
    count_call();
    const auto line = static_cast<std::size_t>(alignment);
    return checked(std::aligned_alloc(line, (size + line - 1) / line * line));
}

// All forms, as a sanitizer would bring the others from its own memory.
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return operator new(size, alignment); }

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    try {
        return operator new(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
void* operator new[](std::size_t size, const std::nothrow_t& tag) noexcept { return operator new(size, tag); }

void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif

namespace mpcflow::test {

FailingMemory::FailingMemory(std::int64_t granted_calls) {
    failed = false;
    granted = granted_calls;
}

FailingMemory::~FailingMemory() { granted = endless; }

bool FailingMemory::has_failed() const { return failed; }

}  // namespace mpcflow::test
