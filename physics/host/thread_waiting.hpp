#pragma once
/// How threads wait for each other on processors that they may share with other programs.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "physics/host/processors.hpp"

namespace mpcflow {

/// A counter that threads wait for: they look at it for some 50 microseconds, a few steps of a small box, and
/// sleep then. They never yield, as std::barrier and std::atomic::wait of GCC do before they sleep: on a busy
/// machine each yield leaves the rest of a time slice to another program, milliseconds several times a step,
/// whereas a thread that slept is among the first to run again.
class AwaitedCount {
public:
    /// For `threads` threads. Where these are more than processors none looks: it would keep the one it waits
    /// for from running.
    explicit AwaitedCount(int threads) : looks_(threads <= available_processors() ? 2000 : 0) {}

    [[nodiscard]] std::uint32_t value() const { return value_.load(std::memory_order_acquire); }

    /// What the caller wrote before is seen by those whose wait this ends.
    void raise() {
        {
            const std::lock_guard lock(mutex_);
            value_.fetch_add(1, std::memory_order_release);
        }
        raised_.notify_all();
    }

    /// Returns once the count is another than `seen`.
    void wait_past(std::uint32_t seen) {
        for (int look = 0; look < looks_; ++look) {
            if (value() != seen) return;
            pause();
        }
        std::unique_lock lock(mutex_);
        raised_.wait(lock, [&] { return value() != seen; });
    }

private:
    /// Tells the processor that this loop waits.
    static void pause() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("isb");
#endif
    }

    int looks_;
    alignas(64) std::atomic<std::uint32_t> value_{0};
    std::mutex mutex_;
    std::condition_variable raised_;
};

/// Where `size` threads wait for each other, again and again.
class ThreadBarrier {
public:
    explicit ThreadBarrier(int size) : size_(size), phase_(size) {}

    /// Returns when all have come. One of them calls `once_all_are_here()`, which must not throw, before any
    /// goes on.
    template <typename Completion>
    void arrive_and_wait(const Completion& once_all_are_here) {
        const std::uint32_t phase = phase_.value();
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < size_) {
            phase_.wait_past(phase);
            return;
        }
        arrived_.store(0, std::memory_order_relaxed);
        once_all_are_here();
        phase_.raise();
    }

private:
    int size_;
    alignas(64) std::atomic<int> arrived_{0};
    AwaitedCount phase_;
};

}  // namespace mpcflow
