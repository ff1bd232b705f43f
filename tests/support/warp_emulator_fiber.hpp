#pragma once
/// A fiber: a function with a stack of its own that hands control back and forth with the one who resumes
/// it. Boost.Context does the switch; this tells the address and thread sanitizers of it.

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace mpcflow::test {

/// Stacks are made once and used again: a test starts thousands of warps.
class StackPool {
public:
    StackPool() = default;
    StackPool(const StackPool&) = delete;
    StackPool& operator=(const StackPool&) = delete;
    ~StackPool() {
        for (auto& stack : free_) {
            allocator_.deallocate(stack);
        }
    }

    static StackPool& of_this_thread() {
        thread_local StackPool pool;
        return pool;
    }

    boost::context::stack_context take() {
        if (free_.empty()) {
            return allocator_.allocate();
        }
        const auto stack = free_.back();
        free_.pop_back();
        return stack;
    }

    void put_back(const boost::context::stack_context& stack) { free_.push_back(stack); }

private:
    // Roomy: sanitizers make frames several times larger. Pages that are not touched cost nothing.
    boost::context::protected_fixedsize_stack allocator_{std::size_t{512} * 1024};
    std::vector<boost::context::stack_context> free_;
};

class Fiber {
public:
    /// `body` must return, and before the Fiber is destroyed; it must not throw.
    explicit Fiber(std::function<void()> body)
        : body_{std::move(body)}, stack_{StackPool::of_this_thread().take()} {
        const boost::context::preallocated place{stack_.sp, stack_.size, stack_};
        fiber_ = boost::context::fiber{std::allocator_arg, place, ReturnToPool{}, [this](auto&& resumer) {
                                           finish_switch(nullptr, &resumer_stack_, &resumer_stack_size_);
                                           resumer_ = std::forward<decltype(resumer)>(resumer);
                                           body_();
                                           start_switch_to_resumer(nullptr);
                                           return std::move(resumer_);
                                       }};
#if defined(__SANITIZE_THREAD__)
        tsan_fiber_ = __tsan_create_fiber(0);
#endif
    }
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    ~Fiber() {
#if defined(__SANITIZE_THREAD__)
        __tsan_destroy_fiber(tsan_fiber_);
#endif
    }

    /// Goes on with the body, from outside, until it suspends itself or ends.
    void resume() {
        void* fake_stack = nullptr;
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(&fake_stack, static_cast<char*>(stack_.sp) - stack_.size, stack_.size);
#endif
#if defined(__SANITIZE_THREAD__)
        tsan_resumer_ = __tsan_get_current_fiber();
        __tsan_switch_to_fiber(tsan_fiber_, 0);
#endif
        fiber_ = std::move(fiber_).resume();
        finish_switch(fake_stack, nullptr, nullptr);
    }

    /// Hands control back to the resumer, from inside the body, until the next resume.
    void suspend() {
        void* fake_stack = nullptr;
        start_switch_to_resumer(&fake_stack);
        resumer_ = std::move(resumer_).resume();
        finish_switch(fake_stack, nullptr, nullptr);
    }

private:
    struct ReturnToPool {
        static boost::context::stack_context allocate() { return StackPool::of_this_thread().take(); }
        static void deallocate(const boost::context::stack_context& stack) noexcept {
            StackPool::of_this_thread().put_back(stack);
        }
    };

    void start_switch_to_resumer([[maybe_unused]] void** fake_stack) {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(fake_stack, resumer_stack_, resumer_stack_size_);
#endif
#if defined(__SANITIZE_THREAD__)
        __tsan_switch_to_fiber(tsan_resumer_, 0);
#endif
    }

    static void finish_switch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** old_stack,
                              [[maybe_unused]] std::size_t* old_stack_size) {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(fake_stack, old_stack, old_stack_size);
#endif
    }

    std::function<void()> body_;
    boost::context::stack_context stack_;
    boost::context::fiber fiber_;
    boost::context::fiber resumer_;
    const void* resumer_stack_ = nullptr;
    std::size_t resumer_stack_size_ = 0;
#if defined(__SANITIZE_THREAD__)
    void* tsan_fiber_ = nullptr;
    void* tsan_resumer_ = nullptr;
#endif
};

}  // namespace mpcflow::test
