#pragma once
/// What rank 0 tells the other ranks to do with their solvers, as messages. Of this folder alone.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "physics/domain/exchange.hpp"
#include "physics/observables/rules.hpp"

namespace mpcflow {

/// A function of Solver or of its FieldSampler; `make` and `release` begin and end a solver, `report` asks
/// how its ranks have spent their time.
enum class Call : std::int32_t {
    make,
    release,
    run,
    state_hash,
    copy_particles,
    copy_selection,
    restore,
    restore_shares,
    save_own,
    measure,
    sample,
    take,
    put,
    report
};

/// A command: which call, and what it is given.
class Command {
public:
    explicit Command(Call call) { add(call); }

    template <class T>
    Command& add(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::size_t before = message_.size();
        message_.resize(before + sizeof(T));
        std::memcpy(message_.data() + before, &value, sizeof(T));
        return *this;
    }
    [[nodiscard]] const Message& message() const { return message_; }

private:
    Message message_;
};

/// Reads values in the order in which they were added.
class CommandReader {
public:
    explicit CommandReader(const Message& message) : rest_(message) {}

    template <class T>
    [[nodiscard]] T take() {
        static_assert(std::is_trivially_copyable_v<T>);
        if (rest_.size() < sizeof(T)) throw std::logic_error("a command of rank 0 is cut short");
        std::array<std::byte, sizeof(T)> bytes;
        std::ranges::copy(rest_.first(sizeof(T)), bytes.begin());
        rest_ = rest_.subspan(sizeof(T));
        return std::bit_cast<T>(bytes);
    }

private:
    std::span<const std::byte> rest_;
};

/// The number of a rule in the list.
template <class Rule, class... All>
[[nodiscard]] constexpr std::int32_t number_of_rule(RuleList<All...>) {
    std::int32_t number = 0;
    static_cast<void>((... && (!std::is_same_v<Rule, All> && ++number > 0)));
    return number;
}

/// How long a rank ran steps, and how long of that it waited for others.
struct RankTimes {
    double ran = 0.0;
    double waited = 0.0;
};

/// What rank 0 gives to all others.
template <class T>
void give_to_all(Exchange& exchange, std::span<T> values) {
    const std::vector<int> others = exchange.all_others();
    static_cast<void>(exchange.trade(others, std::vector<Message>(others.size(), message_of(values))));
}
[[nodiscard]] inline Message take_message_from_rank_0(Exchange& exchange) {
    constexpr int rank_0 = 0;
    return exchange.trade(std::span(&rank_0, 1), std::vector<Message>(1)).front();
}
template <class T>
[[nodiscard]] std::vector<T> take_from_rank_0(Exchange& exchange) {
    return values_of<T>(take_message_from_rank_0(exchange));
}

}  // namespace mpcflow
