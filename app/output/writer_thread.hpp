#pragma once
/// A thread that writes while others compute.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace mpcflow {

/// Does the tasks that are posted to it, one after the other, in the order posted. HDF5 is not safe to be
/// called from several threads at a time: all its calls of a run are such tasks.
///
/// Where a task throws, those after it are dropped, and the next post(), wait() or check() throws what it
/// threw; from then on tasks are taken again. To be called from one thread.
class WriterThread {
public:
    using Task = std::function<void()>;

    /// post() waits while so many tasks are not begun.
    explicit WriterThread(std::size_t most_waiting);
    /// Does what is posted, unless a failure was not thrown yet.
    ~WriterThread();
    WriterThread(const WriterThread&) = delete;
    WriterThread& operator=(const WriterThread&) = delete;

    void post(Task task);
    /// Waits until all is done.
    void wait();
    /// Throws what a task threw; does not wait.
    void check();

private:
    void work();
    void throw_failure(std::unique_lock<std::mutex>& lock);

    std::size_t most_waiting_;
    std::mutex mutex_;
    std::condition_variable wake_;  ///< of the thread: a task or the end
    std::condition_variable done_;  ///< of who waits: a task was taken or done
    std::deque<Task> tasks_;
    std::deque<Task>
        dropped_;  ///< of the thread: made with all else, as a deque takes memory even when it is empty
    bool is_busy_ = false;
    bool is_ending_ = false;
    std::exception_ptr failure_;
    std::thread thread_;  ///< last: it begins when all else is there
};

}  // namespace mpcflow
