#pragma once
/// A fiber: a function with a stack of its own that hands control back and forth with the one who resumes
/// it. Boost.Context does the switch; this tells the address and thread sanitizers of it.

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#ifdef MPCFLOW_SANITIZED_ADDRESS
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef MPCFLOW_SANITIZED_THREAD
#include <sanitizer/tsan_interface.h>
#endif

namespace mpcflow::test {

/// Runs one body after the other, each on the fiber's own stack.
class Fiber {
public:
    Fiber() {
        // Roomy: sanitizers make frames several times larger. Pages that are not touched cost nothing.
        boost::context::protected_fixedsize_stack allocator{std::size_t{512} * 1024};
        const auto stack = allocator.allocate();
        stack_ = static_cast<char*>(stack.sp) - stack.size;
        stack_size_ = stack.size;
        const boost::context::preallocated place{stack.sp, stack.size, stack};
        fiber_ = boost::context::fiber{
            std::allocator_arg, place, allocator,
            [this](boost::context::fiber&& resumer) { return run_bodies(std::move(resumer)); }};
#ifdef MPCFLOW_SANITIZED_THREAD
        tsan_fiber_ = __tsan_create_fiber(0);
#endif
    }
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    ~Fiber() {
        resume();  // without a body: the fiber ends, and Boost frees the stack
#ifdef MPCFLOW_SANITIZED_THREAD
        __tsan_destroy_fiber(tsan_fiber_);
#endif
    }

    /// To be called when there is no body or the last one has returned. A body must not throw, and must
    /// have returned before the Fiber is destroyed.
    void set_body(std::function<void()> body) { body_ = std::move(body); }

    /// Goes on with the body, from outside, until it suspends itself or returns.
    void resume() {
        void* fake_stack = nullptr;
#ifdef MPCFLOW_SANITIZED_ADDRESS
        __sanitizer_start_switch_fiber(&fake_stack, stack_, stack_size_);
#endif
#ifdef MPCFLOW_SANITIZED_THREAD
        tsan_resumer_ = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(tsan_fiber_, 0);
#endif
        jump(fiber_);
        finish_switch(fake_stack, nullptr, nullptr);
    }

    /// Hands control back to the resumer, from inside the body, until the next resume.
    void suspend() {
        void* fake_stack = nullptr;
        start_switch_to_resumer(&fake_stack);
        jump(resumer_);
        finish_switch(fake_stack, nullptr, nullptr);
    }

private:
    boost::context::fiber run_bodies(boost::context::fiber&& resumer) {
        finish_switch(nullptr, &resumer_stack_, &resumer_stack_size_);
        resumer_ = std::move(resumer);
        while (body_) {
            body_();
            body_ = nullptr;
            suspend();
        }
        start_switch_to_resumer(nullptr);
        return std::move(resumer_);
    }

    // The thread sanitizer counts the calls and returns of each fiber, and a jump is called in one and
    // returns in another: both ways must do so alike, or the counts drift. For the same reason the function
    // below has no call and return of its own.
    [[gnu::noinline]] static void jump(boost::context::fiber& to) { to = std::move(to).resume(); }

    [[gnu::always_inline]] void start_switch_to_resumer([[maybe_unused]] void** fake_stack) {
#ifdef MPCFLOW_SANITIZED_ADDRESS
        __sanitizer_start_switch_fiber(fake_stack, resumer_stack_, resumer_stack_size_);
#endif
#ifdef MPCFLOW_SANITIZED_THREAD
        __tsan_switch_to_fiber(tsan_resumer_, 0);
#endif
    }

    static void finish_switch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** old_stack,
                              [[maybe_unused]] std::size_t* old_stack_size) {
#ifdef MPCFLOW_SANITIZED_ADDRESS
        __sanitizer_finish_switch_fiber(fake_stack, old_stack, old_stack_size);
#endif
    }

    std::function<void()> body_;
    const void* stack_ = nullptr;  // its lower end
    std::size_t stack_size_ = 0;
    boost::context::fiber fiber_;
    boost::context::fiber resumer_;
    const void* resumer_stack_ = nullptr;
    std::size_t resumer_stack_size_ = 0;
#ifdef MPCFLOW_SANITIZED_THREAD
    void* tsan_fiber_ = nullptr;
    void* tsan_resumer_ = nullptr;
#endif
};

/// Fibers are made once and used again: a test starts thousands of warps.
class FiberPool {
public:
    static FiberPool& of_this_thread() {
        thread_local FiberPool pool;
        return pool;
    }

    std::unique_ptr<Fiber> take() {
        if (free_.empty()) return std::make_unique<Fiber>();
        auto fiber = std::move(free_.back());
        free_.pop_back();
        return fiber;
    }

    void put_back(std::unique_ptr<Fiber> fiber) { free_.push_back(std::move(fiber)); }

private:
    std::vector<std::unique_ptr<Fiber>> free_;
};

}  // namespace mpcflow::test
