#pragma once
/// What every Exchange must do, whatever carries its messages. All ends call it alike.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "physics/domain/exchange.hpp"

namespace mpcflow::test {

/// A message that says from whom to whom it is, and the how-manieth.
inline Message letter(int from, int to, int turn, std::size_t length) {
    Message message(length);
    for (std::size_t i = 0; i < length; ++i)
        message[i] = static_cast<std::byte>(static_cast<std::size_t>(from * 7 + to * 31 + turn * 101) + i);
    return message;
}

/// Lengths around those of pieces of 1000 bytes, another one each way, and shorter than the ones before.
inline void check_trades(Exchange& exchange) {
    const std::vector<int> others = exchange.all_others();
    const std::vector<std::size_t> lengths{0,    1,    999,     1000,   1001, 2000, 5003,
                                           3100, 1700, 100'000, 60'000, 0,    7};
    int turn = 0;
    for (const std::size_t length : lengths) {
        std::vector<Message> messages;
        for (const int other : others)
            messages.push_back(letter(exchange.number(), other, turn, length + other));
        const std::vector<Message> theirs = exchange.trade(others, std::move(messages));
        ASSERT_EQ(theirs.size(), others.size());
        for (std::size_t i = 0; i < others.size(); ++i)
            EXPECT_TRUE(theirs[i] == letter(others[i], exchange.number(), turn, length + exchange.number()))
                << length << " from " << others[i];
        ++turn;
    }
    // Between some alone, while others go on to the next.
    const int last = exchange.count() - 1;
    if (last > 0 && (exchange.number() == 0 || exchange.number() == last)) {
        const int other = exchange.number() == 0 ? last : 0;
        for (int i = 0; i < 3; ++i) {
            const auto theirs = exchange.trade(std::vector{other}, {letter(exchange.number(), other, i, 10)});
            EXPECT_TRUE(theirs.front() == letter(other, exchange.number(), i, 10));
        }
    }
}

inline void check_shares(Exchange& exchange) {
    const int own = exchange.number();
    const auto length_of = [](int number) { return static_cast<std::size_t>(1500 * number); };
    const std::vector<Message> all = exchange.share(letter(own, 0, 3, length_of(own)));
    ASSERT_EQ(static_cast<int>(all.size()), exchange.count());
    for (int number = 0; number < exchange.count(); ++number)
        EXPECT_TRUE(all[number] == letter(number, 0, 3, length_of(number))) << number;
}

/// Numbers on a grid that only exact sums leave there, and counts that go round.
inline void check_sums(Exchange& exchange) {
    const int own = exchange.number();
    const int count = exchange.count();
    std::vector<double> numbers(3000);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = (own + 1) * (std::ldexp(1.0, 36) + std::ldexp(static_cast<double>(i), -10));
    exchange.add_up(std::span(numbers));
    const double ranks = 0.5 * count * (count + 1);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        ASSERT_EQ(numbers[i], ranks * (std::ldexp(1.0, 36) + std::ldexp(static_cast<double>(i), -10))) << i;
    std::vector<std::uint64_t> counts{~std::uint64_t{0}, static_cast<std::uint64_t>(own)};
    exchange.add_up(std::span(counts));
    EXPECT_EQ(counts[0], std::uint64_t{0} - static_cast<std::uint64_t>(count));
    EXPECT_EQ(counts[1], static_cast<std::uint64_t>(count * (count - 1) / 2));
    std::vector<double> none;
    exchange.add_up(std::span(none));
}

inline void check_exchange(Exchange& exchange) {
    check_trades(exchange);
    check_shares(exchange);
    check_sums(exchange);
}

}  // namespace mpcflow::test
