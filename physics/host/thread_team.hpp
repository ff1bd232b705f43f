#pragma once
/// A team of threads that runs one function together.

#include <barrier>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace mpcflow {

/// `size` threads, of which the caller's is number 0; the others sleep between calls of `run`.
class ThreadTeam {
public:
    explicit ThreadTeam(int size) : size_(size), barrier_(size) {
        for (int t = 1; t < size; ++t) {
            workers_.emplace_back([this, t] { work(t); });
        }
    }
    ~ThreadTeam() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
            ++generation_;
        }
        wake_.notify_all();
        for (std::thread& worker : workers_) worker.join();
    }
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    [[nodiscard]] int size() const { return size_; }

    /// Calls task(thread) once on every thread of the team and returns when all have returned. Within
    /// the task all threads must call `wait` equally often. The task must not throw between waits.
    void run(const std::function<void(int)>& task) {
        if (size_ == 1) {
            task(0);
            return;
        }
        {
            const std::lock_guard lock(mutex_);
            task_ = &task;
            ++generation_;
        }
        wake_.notify_all();
        task(0);
        wait();
    }

    /// Waits until every thread of the team has come here.
    void wait() {
        if (size_ > 1) barrier_.arrive_and_wait();
    }

private:
    void work(int thread) {
        std::uint64_t seen = 0;
        for (;;) {
            const std::function<void(int)>* task = nullptr;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [&] { return generation_ != seen; });
                seen = generation_;
                if (stopping_) return;
                task = task_;
            }
            (*task)(thread);
            wait();
        }
    }

    int size_;
    std::barrier<> barrier_;
    std::vector<std::thread> workers_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::uint64_t generation_ = 0;
    const std::function<void(int)>* task_ = nullptr;
    bool stopping_ = false;
};

}  // namespace mpcflow
