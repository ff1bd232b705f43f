#pragma once
/// What domains need of each other: messages. (What GPUs have much of goes from one to the next besides,
/// gpu/device_link.cuh.)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace mpcflow {

/// Whose vectors do not clear what they make room for.
template <class T>
struct UnclearedAllocator : std::allocator<T> {
    UnclearedAllocator() = default;
    template <class Other>
    explicit UnclearedAllocator(const UnclearedAllocator<Other>& /*other*/) {}

    template <class U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Arguments>
    void construct(U* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
};

/// Bytes that resize() adds, and those of Message(size), have any value: they are about to be written.
using Message = std::vector<std::byte, UnclearedAllocator<std::byte>>;

template <class T>
[[nodiscard]] Message message_of(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    Message message(values.size_bytes());
    std::ranges::copy(std::as_bytes(values), message.begin());
    return message;
}

template <class T>
[[nodiscard]] std::vector<T> values_of(const Message& message) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> values(message.size() / sizeof(T));
    std::copy_n(message.begin(), values.size() * sizeof(T),
                std::as_writable_bytes(std::span(values)).begin());
    return values;
}

/// One domain's end of it. What all take part in they must all call in the same order.
class Exchange {
public:
    Exchange() = default;
    virtual ~Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// This domain's number, of 0 ... count() - 1.
    [[nodiscard]] virtual int number() const = 0;
    [[nodiscard]] virtual int count() const = 0;

    /// Gives messages[i] to domain others[i] and returns, in the same order, what each of these gave to this
    /// one. They must all call it with this domain among their others; lengths need not be known. Throws
    /// where another domain has ended.
    [[nodiscard]] std::vector<Message> trade(std::span<const int> others, std::vector<Message> messages) {
        begin_trade(others, std::move(messages));
        return end_trade();
    }
    /// The two halves of trade(), between which the messages are on their way; nothing else of this exchange
    /// may be called there.
    virtual void begin_trade(std::span<const int> others, std::vector<Message> messages) = 0;
    [[nodiscard]] virtual std::vector<Message> end_trade() = 0;

    /// Of all: what each gives, by number, this one's own among it.
    [[nodiscard]] virtual std::vector<Message> share(Message own) {
        const std::vector<int> others = all_others();
        std::vector<Message> all = trade(others, std::vector<Message>(others.size(), own));
        all.insert(all.begin() + number(), std::move(own));
        return all;
    }

    /// Of all, of the same length: adds to each number those of the others. The sums must be exact, as that
    /// of floating numbers on a grid is: they are added in any order.
    virtual void add_up(std::span<double> sums) { add_what_is_shared(sums); }
    virtual void add_up(std::span<std::uint64_t> sums) { add_what_is_shared(sums); }

    /// Waits until done() says so, of what this domain is at by itself but needs others for. Throws where
    /// another domain has ended.
    virtual void wait_for_own(const std::function<bool()>& done) {
        while (!done()) continue;
    }

    /// Seconds that this domain has waited for what others send, since it began.
    [[nodiscard]] virtual double waited_seconds() const { return 0.0; }

    /// The numbers of the other domains, in order.
    [[nodiscard]] std::vector<int> all_others() const {
        std::vector<int> others;
        for (int other = 0; other < count(); ++other)
            if (other != number()) others.push_back(other);
        return others;
    }

private:
    template <class Number>
    void add_what_is_shared(std::span<Number> sums) {
        const std::vector<Message> all = share(message_of(sums));
        for (int other = 0; other < count(); ++other) {
            if (other == number()) continue;
            const std::vector<Number> theirs = values_of<Number>(all[other]);
            for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += theirs[i];
        }
    }
};

}  // namespace mpcflow
