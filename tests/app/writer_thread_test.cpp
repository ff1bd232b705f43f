/// The thread that writes, and the memory of what it writes.

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "app/output/permits.hpp"
#include "app/output/records_pool.hpp"
#include "app/output/writer_thread.hpp"
#include "tests/support/failing_memory.hpp"

namespace mpcflow {
namespace {

constexpr std::size_t plenty = 1000;

/// A task that is not done before release() is called.
class Gate {
public:
    [[nodiscard]] WriterThread::Task task() const {
        return [gate = gate_] { gate.wait(); };
    }
    void release() { promise_.set_value(); }

private:
    std::promise<void> promise_;
    std::shared_future<void> gate_ = promise_.get_future().share();
};

bool is_ready_soon(const std::future<void>& future) {
    return future.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
}

TEST(WriterThread, DoesTasksInTheirOrderOnOneThread) {
    WriterThread writer(plenty);
    std::vector<int> done;
    std::vector<std::thread::id> threads;
    for (int i = 0; i < 500; ++i) {
        writer.post([&, i] {
            done.push_back(i);
            threads.push_back(std::this_thread::get_id());
        });
    }
    writer.wait();
    ASSERT_EQ(done.size(), 500U);
    for (int i = 0; i < 500; ++i) {
        EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
        EXPECT_EQ(threads[static_cast<std::size_t>(i)], threads[0]);
    }
    EXPECT_NE(threads[0], std::this_thread::get_id());
    writer.wait();  // nothing to wait for
}

TEST(WriterThread, GoesOnWhileTheOthersCompute) {
    Gate gate;
    std::atomic<bool> is_done{false};
    WriterThread writer(plenty);
    writer.post(gate.task());
    writer.post([&] { is_done = true; });
    EXPECT_FALSE(is_done) << "post() does not wait for it";
    gate.release();
    writer.wait();
    EXPECT_TRUE(is_done);
}

TEST(WriterThread, HasRoomForSoManyTasks) {
    Gate gate;
    int done = 0;
    WriterThread writer(2);
    writer.post(gate.task());
    std::promise<void> posted;
    const std::future<void> all_posted = posted.get_future();
    std::thread poster([&] {
        for (int i = 0; i < 4; ++i) writer.post([&] { ++done; });
        posted.set_value();
    });
    EXPECT_FALSE(is_ready_soon(all_posted)) << "at most one is done and two wait";
    gate.release();
    poster.join();
    writer.wait();
    EXPECT_EQ(done, 4);
}

TEST(WriterThread, AFailureDropsWhatComesAfterItAndIsThrownOnce) {
    for (const char* where : {"post", "wait", "check"}) {
        SCOPED_TRACE(where);
        int done = 0;
        Gate gate;
        auto held = std::make_shared<int>(7);
        WriterThread writer(plenty);
        writer.post(gate.task());
        writer.post([&] { ++done; });
        writer.post([] { throw std::runtime_error("disk full"); });
        writer.post([&done, held] { done += 100; });
        gate.release();
        while (held.use_count() > 1) std::this_thread::yield();
        // Dropped a moment before the failure is there to be seen.
        std::string message;
        while (message.empty()) {
            try {
                if (where == std::string("post")) writer.post([] {});
                else if (where == std::string("wait")) writer.wait();
                else writer.check();
            } catch (const std::runtime_error& error) {
                message = error.what();
            }
        }
        EXPECT_EQ(message, "disk full");
        writer.check();
        writer.post([&] { done += 10; });
        writer.wait();
        EXPECT_EQ(done, 11);
    }
}

TEST(WriterThread, EndsWithItsTasksDone) {
    int done = 0;
    {
        WriterThread writer(plenty);
        for (int i = 0; i < 100; ++i) writer.post([&] { ++done; });
    }
    EXPECT_EQ(done, 100);
    {
        Gate gate;
        WriterThread writer(plenty);
        writer.post(gate.task());
        writer.post([] { throw std::runtime_error("never asked for"); });
        writer.post([&] { done = -1; });
        gate.release();
    }
    EXPECT_EQ(done, 100);
}

TEST(RecordsPool, GivesWhatNobodyHolds) {
    RecordsPool pool(2);
    auto first = pool.take();
    static_cast<void>(first->begin<ParticleDouble>(1, 10));
    const ParticleRecords* const place = first.get();
    auto second = pool.take();
    EXPECT_NE(second.get(), place);
    first.reset();
    first = pool.take();
    EXPECT_EQ(first.get(), place) << "memory that is there is used again";
    EXPECT_EQ(first->capacity(), 640U);
}

TEST(RecordsPool, WaitsForTheWriter) {
    RecordsPool pool(1);
    std::int64_t sum = 0;
    WriterThread writer(plenty);
    for (std::int64_t step = 0; step < 200; ++step) {
        const auto records = pool.take();
        // The thread sanitizer sees it if another task still reads them.
        records->begin<ParticleDouble>(step, 1)[0].label.identity = static_cast<std::uint64_t>(step);
        writer.post([records, &sum] {
            std::int64_t id = 0;
            copy_ids(*records, 0, 1, &id);
            EXPECT_EQ(id, records->step);
            sum += id;
        });
    }
    writer.wait();
    EXPECT_EQ(sum, 199 * 200 / 2);
}

TEST(RecordsPool, AFailureOfTheWriterFreesWhatItHolds) {
    RecordsPool pool(1);
    WriterThread writer(plenty);
    writer.post([records = pool.take()] { throw std::runtime_error("disk full"); });
    EXPECT_NE(pool.take(), nullptr);
    EXPECT_THROW(writer.wait(), std::runtime_error);
}

TEST(Permits, AreGivenOutSoManyAtATime) {
    Permits permits(200);
    std::atomic<int> held{0};
    std::atomic<int> most{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int k = 0; k < 200; ++k) {
                const auto permit = permits.take(100);
                const int now = ++held;
                int before = most;
                while (now > before && !most.compare_exchange_weak(before, now)) {}
                std::this_thread::yield();
                --held;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(most, 2);
    EXPECT_EQ(held, 0);
}

TEST(Permits, AreForAsManyBytesAsThereAre) {
    Permits permits(200);
    auto small = permits.take(120);
    auto rest = permits.take(80);
    std::atomic<bool> is_large_taken{false};
    std::thread waiting([&] {
        const auto large = permits.take(180);
        is_large_taken = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(is_large_taken) << "80 are held";
    small.reset();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(is_large_taken);
    EXPECT_NE(permits.take(120), nullptr) << "who waits for more is no hindrance";
    rest.reset();
    waiting.join();
    EXPECT_NE(permits.take(1000), nullptr) << "more than there are, where none is held";
}

TEST(Permits, AFailureOfTheWriterGivesBackThoseOfTheTasksDropped) {
    Permits permits(200);
    Gate gate;
    WriterThread writer(plenty);
    writer.post(gate.task());
    writer.post([permit = permits.take(100)] { throw std::runtime_error("disk full"); });
    writer.post([permit = permits.take(100)] {});
    gate.release();
    const auto first = permits.take(100);
    EXPECT_NE(permits.take(100), nullptr) << "two were held, both came back";
    EXPECT_THROW(writer.wait(), std::runtime_error);
}

TEST(RecordsPool, MayGoBeforeItsRecords) {
    std::shared_ptr<ParticleRecords> records;
    {
        RecordsPool pool(1);
        records = pool.take();
    }
    EXPECT_EQ(records->count(), 0);
}

#ifndef MPCFLOW_MEMORY_CANNOT_FAIL

TEST(WriterThread, TellsOfAFailureWithoutMemory) {
    WriterThread writer(plenty);
    std::optional<test::FailingMemory> failing;
    const std::exception_ptr failure = std::make_exception_ptr(std::runtime_error("out of everything"));
    Gate gate;
    writer.post(gate.task());
    writer.post([&] {
        failing.emplace(0);
        std::rethrow_exception(failure);
    });
    writer.post([] {});
    gate.release();
    bool has_told = false;
    try {
        writer.wait();
    } catch (const std::runtime_error&) {
        has_told = true;
    }
    failing.reset();
    EXPECT_TRUE(has_told);
    bool is_done = false;
    writer.post([&] { is_done = true; });
    writer.wait();
    EXPECT_TRUE(is_done);
}

TEST(RecordsPool, WithoutMemoryForThePointerTheRecordsStay) {
    RecordsPool pool(1);
    bool has_failed = false;
    try {
        const test::FailingMemory failing(0);
        static_cast<void>(pool.take());
    } catch (const std::bad_alloc&) {
        has_failed = true;
    }
    EXPECT_TRUE(has_failed);
    EXPECT_NE(pool.take(), nullptr);
}

TEST(Permits, WithoutMemoryForThePointerThePermitStays) {
    Permits permits(100);
    bool has_failed = false;
    try {
        const test::FailingMemory failing(0);
        static_cast<void>(permits.take(100));
    } catch (const std::bad_alloc&) {
        has_failed = true;
    }
    EXPECT_TRUE(has_failed);
    EXPECT_NE(permits.take(100), nullptr);
}

#endif

}  // namespace
}  // namespace mpcflow
