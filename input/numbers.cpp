#include "input/numbers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace mpcflow::input {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The parts of  [-+] digits [. digits] [e [-+] digits].
struct Decimal {
    bool negative = false;
    std::string_view whole;
    std::string_view fraction;
    std::int64_t exponent = 0;  ///< held within +-exponent_limit
    NumberFault fault = NumberFault::none;
};

/// Far past any double, far from overflow.
constexpr std::int64_t exponent_limit = 1'000'000'000;

std::string_view take_digits(std::string_view& text) {
    const auto is_other = [](char c) { return !is_digit(c); };
    const auto count = std::find_if(text.begin(), text.end(), is_other) - text.begin();
    const std::string_view digits = text.substr(0, static_cast<std::size_t>(count));
    text.remove_prefix(digits.size());
    return digits;
}

bool take_sign(std::string_view& text) {
    const bool negative = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    return negative;
}

bool spells_not_finite(std::string_view text) {
    std::string word(text.substr(0, 12));
    std::transform(word.begin(), word.end(), word.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    static constexpr std::array<std::string_view, 5> words{".inf", ".nan", "inf", "nan", "infinity"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

Decimal split(std::string_view text) {
    Decimal number;
    number.negative = take_sign(text);
    if (spells_not_finite(text)) {
        number.fault = NumberFault::not_finite;
        return number;
    }
    number.fault = NumberFault::not_a_number;
    number.whole = take_digits(text);
    if (!text.empty() && text.front() == '.') {
        text.remove_prefix(1);
        number.fraction = take_digits(text);
    }
    if (number.whole.empty() && number.fraction.empty()) return number;
    if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
        text.remove_prefix(1);
        const bool negative = take_sign(text);
        const std::string_view digits = take_digits(text);
        if (digits.empty()) return number;
        for (const char c : digits)
            number.exponent = std::min(exponent_limit, 10 * number.exponent + (c - '0'));
        number.exponent = negative ? -number.exponent : number.exponent;
    }
    if (!text.empty()) return number;
    const bool leading_zero = number.whole.size() > 1 && number.whole.front() == '0';
    number.fault = leading_zero ? NumberFault::leading_zero : NumberFault::none;
    return number;
}

bool is_zero(const Decimal& number) {
    const auto zero = [](char c) { return c == '0'; };
    return std::all_of(number.whole.begin(), number.whole.end(), zero) &&
           std::all_of(number.fraction.begin(), number.fraction.end(), zero);
}

/// The power of ten just above a number that is not 0: 2 for 12.5, -1 for 0.0125.
std::int64_t leading_place(const Decimal& number) {
    const std::size_t whole_zeros = std::min(number.whole.find_first_not_of('0'), number.whole.size());
    std::int64_t place = static_cast<std::int64_t>(number.whole.size() - whole_zeros);
    if (place == 0) {
        place = -static_cast<std::int64_t>(
            std::min(number.fraction.find_first_not_of('0'), number.fraction.size()));
    }
    return place + number.exponent;
}

}  // namespace

ParsedNumber<double> parse_real(std::string_view text) {
    const Decimal number = split(text);
    ParsedNumber<double> parsed{0.0, number.fault};
    if (parsed.fault != NumberFault::none) return parsed;
    if (text.front() == '+') text.remove_prefix(1);  // from_chars knows no plus
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), parsed.value);
    if (status == std::errc::result_out_of_range || !std::isfinite(parsed.value)) {
        // Both ends of the range give this status: tell them apart by the place of the first digit.
        parsed.fault = leading_place(number) > 0 ? NumberFault::too_large : NumberFault::too_small;
        parsed.value = 0.0;
    } else if (parsed.value == 0.0 && !is_zero(number)) {
        parsed.fault = NumberFault::too_small;
    }
    return parsed;
}

ParsedNumber<std::int64_t> parse_integer(std::string_view text) {
    const Decimal number = split(text);
    ParsedNumber<std::int64_t> parsed{0, number.fault};
    if (parsed.fault != NumberFault::none || is_zero(number)) return parsed;
    std::string digits(number.whole);
    digits += number.fraction;
    std::int64_t exponent = number.exponent - static_cast<std::int64_t>(number.fraction.size());
    while (digits.back() == '0') {
        digits.pop_back();
        ++exponent;
    }
    if (exponent < 0) {
        parsed.fault = NumberFault::not_whole;
        return parsed;
    }
    digits.erase(0, digits.find_first_not_of('0'));
    constexpr std::int64_t most_digits = std::numeric_limits<std::int64_t>::digits10 + 1;
    if (static_cast<std::int64_t>(digits.size()) + exponent > most_digits) {
        parsed.fault = NumberFault::too_large;
        return parsed;
    }
    digits.append(static_cast<std::size_t>(exponent), '0');
    if (number.negative) digits.insert(digits.begin(), '-');
    const auto status = std::from_chars(digits.data(), digits.data() + digits.size(), parsed.value).ec;
    if (status != std::errc{}) parsed.fault = NumberFault::too_large;
    return parsed;
}

std::string_view describe(NumberFault fault) {
    switch (fault) {
        case NumberFault::none: return "is a number";
        case NumberFault::not_a_number: return "is not a number";
        case NumberFault::leading_zero:
            return "begins with a zero, which some read as octal: leave the zero out";
        case NumberFault::not_whole: return "is not a whole number";
        case NumberFault::not_finite: return "is not finite";
        case NumberFault::too_large: return "is too large a number";
        case NumberFault::too_small: return "is too small a number to tell from 0";
    }
    return "is not a number";
}

std::string shortest(double value) {
    std::array<char, 40> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    std::string text(buffer.data(), result.ptr);
    // to_chars writes exponents as printf does, 1e+06; 1e6 is the same number.
    if (const auto e = text.find('e'); e != std::string::npos) {
        if (text[e + 1] == '+') text.erase(e + 1, 1);
        const std::size_t digits = text[e + 1] == '-' ? e + 2 : e + 1;
        while (digits + 1 < text.size() && text[digits] == '0') text.erase(digits, 1);
    }
    return text;
}

std::string shortest_real(double value) {
    std::string text = shortest(value);
    const auto e = text.find('e');
    if (text.find('.') == std::string::npos) text.insert(e == std::string::npos ? text.size() : e, ".0");
    // YAML 1.1 readers want a sign in the exponent.
    if (const auto at = text.find('e'); at != std::string::npos && text[at + 1] != '-')
        text.insert(at + 1, "+");
    return text;
}

}  // namespace mpcflow::input
