#pragma once
/// A team of threads that runs one function together.

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "physics/errors.hpp"
#include "physics/host/thread_waiting.hpp"

namespace mpcflow {

/// `size` threads, of which the caller's is number 0; the others sleep between calls of `run`.
class ThreadTeam {
public:
    /// Throws EnvironmentError if there may not be so many threads.
    explicit ThreadTeam(int size) : size_(size), barrier_(size), tasks_(size) {
        try {
            workers_.reserve(static_cast<std::size_t>(size - 1));
            for (int t = 1; t < size; ++t) workers_.emplace_back([this, t] { work(t); });
        } catch (const std::system_error& error) {
            const std::size_t begun = workers_.size() + 1;
            stop();
            throw EnvironmentError("execution.threads: the system grants " + std::to_string(begun) + " of " +
                                   std::to_string(size) + " threads (" + error.code().message() +
                                   "); take fewer, or raise the limit (ulimit -u, ulimit -v)");
        } catch (...) {
            stop();
            throw;
        }
    }
    ~ThreadTeam() { stop(); }
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    [[nodiscard]] int size() const { return size_; }

    /// Calls task(thread) once on every thread of the team and returns when all have returned. Within
    /// the task all threads must call `wait` equally often. What the task throws on one of them ends it on
    /// the others at their next `wait`, and is thrown here.
    void run(const std::function<void(int)>& task) {
        if (size_ == 1) {
            task(0);
            return;
        }
        task_ = &task;
        tasks_.raise();
        take_part(task, 0);
        if (has_failed_) {
            // All others are past their last barrier: none touches these any more.
            has_failed_ = false;
            std::rethrow_exception(std::exchange(failure_, nullptr));
        }
    }

    /// Waits until every thread of the team has come here.
    void wait() {
        if (size_ == 1) return;
        meet();
        if (is_broken_) throw Broken{};
    }

private:
    /// Ends a task whose other threads wait no longer, for one of them has failed.
    struct Broken {};

    /// Whether one has failed is noted when all have come and none has gone on: so all see the same, whoever
    /// fails next.
    void meet() noexcept {
        barrier_.arrive_and_wait([this] { is_broken_ = has_failed_.load(); });
    }

    /// The task and the barrier at its end. A thread that fails comes to the barrier at which the others
    /// wait; they leave the task there, so that it is the last one for all.
    void take_part(const std::function<void(int)>& task, int thread) noexcept {
        try {
            task(thread);
        } catch (const Broken&) {
            return;
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (failure_ == nullptr) failure_ = std::current_exception();
            has_failed_ = true;
        }
        meet();
    }

    void stop() {
        task_ = nullptr;
        tasks_.raise();
        for (std::thread& worker : workers_) worker.join();
    }

    void work(int thread) {
        for (std::uint32_t seen = 0;; ++seen) {
            tasks_.wait_past(seen);
            if (task_ == nullptr) return;
            take_part(*task_, thread);
        }
    }

    int size_;
    std::atomic<bool> has_failed_{false};  ///< a thread in its task
    std::atomic<bool> is_broken_{false};   ///< one had by the last barrier
    std::exception_ptr failure_;
    ThreadBarrier barrier_;
    AwaitedCount tasks_;                              ///< that were given
    const std::function<void(int)>* task_ = nullptr;  ///< the last of them; null: the threads end
    std::vector<std::thread> workers_;
    std::mutex mutex_;  ///< of failure_
};

}  // namespace mpcflow
