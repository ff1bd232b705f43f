#pragma once
/// Numbers as an input writes them: decimal, exact, and never read in two ways.

#include <cstdint>
#include <string>
#include <string_view>

namespace mpcflow::input {

enum class NumberFault {
    none,
    not_a_number,  ///< words, hexadecimal, digits with underscores ...
    leading_zero,  ///< 010: ten in YAML 1.2, eight in YAML 1.1
    not_whole,     ///< 12.5 where a whole number is needed
    not_finite,    ///< .inf, .nan and what they are spelled like
    too_large,     ///< a number, but past the largest double or 64-bit integer
    too_small      ///< a number that is not 0, but smaller than any double
};

template <class T>
struct ParsedNumber {
    T value{};
    NumberFault fault = NumberFault::none;
};

/// A decimal number, to the nearest double.
[[nodiscard]] ParsedNumber<double> parse_real(std::string_view text);

/// A decimal number whose value is whole: 100000, 1e5 and 2.5e3 are, exactly.
[[nodiscard]] ParsedNumber<std::int64_t> parse_integer(std::string_view text);

/// What is wrong, to follow the number as it was given: "is not a number".
[[nodiscard]] std::string_view describe(NumberFault fault);

/// The shortest decimal form that reads back to the same double: 180, 0.1, 1e6.
[[nodiscard]] std::string shortest(double value);

/// The same with a decimal point, so that every reader of YAML takes it for a real number: 180.0, 1.0e6.
[[nodiscard]] std::string shortest_real(double value);

}  // namespace mpcflow::input
