#include "app/output/writer_thread.hpp"

#include <utility>

namespace mpcflow {

WriterThread::WriterThread(std::size_t most_waiting)
    : most_waiting_(most_waiting), thread_([this] { work(); }) {}

WriterThread::~WriterThread() {
    {
        const std::lock_guard lock(mutex_);
        is_ending_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void WriterThread::throw_failure(std::unique_lock<std::mutex>& lock) {
    if (failure_ == nullptr) return;
    const std::exception_ptr failure = std::exchange(failure_, nullptr);
    lock.unlock();
    std::rethrow_exception(failure);
}

void WriterThread::post(Task task) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return tasks_.size() < most_waiting_ || failure_ != nullptr; });
    throw_failure(lock);
    tasks_.push_back(std::move(task));
    wake_.notify_one();
}

void WriterThread::wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return tasks_.empty() && !is_busy_; });
    throw_failure(lock);
}

void WriterThread::check() {
    std::unique_lock lock(mutex_);
    throw_failure(lock);
}

void WriterThread::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return !tasks_.empty() || is_ending_; });
        if (tasks_.empty()) return;
        Task task = std::move(tasks_.front());
        tasks_.pop_front();
        is_busy_ = true;
        lock.unlock();
        done_.notify_one();
        std::exception_ptr failure;
        try {
            task();
        } catch (...) {
            failure = std::current_exception();
        }
        // What it holds goes now, not when the next one comes.
        task = nullptr;
        lock.lock();
        is_busy_ = false;
        if (failure != nullptr) {
            failure_ = failure;
            dropped_.swap(tasks_);
        }
        if (!dropped_.empty()) {
            lock.unlock();
            dropped_.clear();
            lock.lock();
        }
        done_.notify_one();
    }
}

}  // namespace mpcflow
