#include "input/numbers.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "input/names.hpp"
#include "input/nearest.hpp"
#include "input/text.hpp"

namespace mpcflow::input {
namespace {

TEST(ParseInteger, ReadsWholeNumbersExactly) {
    const std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    const std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
    const std::pair<const char*, std::int64_t> cases[] = {{"0", 0},
                                                          {"-0", 0},
                                                          {"+7", 7},
                                                          {"100000", 100000},
                                                          {"1e5", 100000},
                                                          {"1E+5", 100000},
                                                          {"2.5e3", 2500},
                                                          {"120e-1", 12},
                                                          {"12.0", 12},
                                                          {"12.", 12},
                                                          {"0.5e1", 5},
                                                          {".5e1", 5},
                                                          {"0e999999999999", 0},
                                                          {"0.000", 0},
                                                          {"9223372036854775807", largest},
                                                          {"-9223372036854775808", smallest},
                                                          {"9.223372036854775807e18", largest},
                                                          {"9007199254740993", 9007199254740993}};
    for (const auto& [text, value] : cases) {
        const auto parsed = parse_integer(text);
        EXPECT_EQ(parsed.fault, NumberFault::none) << text;
        EXPECT_EQ(parsed.value, value) << text;
    }
}

TEST(ParseInteger, RefusesTheRest) {
    const std::pair<const char*, NumberFault> cases[] = {{"", NumberFault::not_a_number},
                                                         {"-", NumberFault::not_a_number},
                                                         {".", NumberFault::not_a_number},
                                                         {"1e", NumberFault::not_a_number},
                                                         {"1e+", NumberFault::not_a_number},
                                                         {"0x10", NumberFault::not_a_number},
                                                         {"0b1", NumberFault::not_a_number},
                                                         {"0o7", NumberFault::not_a_number},
                                                         {"1_000", NumberFault::not_a_number},
                                                         {"1,000", NumberFault::not_a_number},
                                                         {" 1", NumberFault::not_a_number},
                                                         {"1 ", NumberFault::not_a_number},
                                                         {"--1", NumberFault::not_a_number},
                                                         {"1:30", NumberFault::not_a_number},
                                                         {"010", NumberFault::leading_zero},
                                                         {"-007", NumberFault::leading_zero},
                                                         {"00", NumberFault::leading_zero},
                                                         {"12.5", NumberFault::not_whole},
                                                         {"1e-1", NumberFault::not_whole},
                                                         {"1e-999999999999", NumberFault::not_whole},
                                                         {".inf", NumberFault::not_finite},
                                                         {"-Infinity", NumberFault::not_finite},
                                                         {"NaN", NumberFault::not_finite},
                                                         {"9223372036854775808", NumberFault::too_large},
                                                         {"1e19", NumberFault::too_large},
                                                         {"1e999999999999", NumberFault::too_large},
                                                         {"-9223372036854775809", NumberFault::too_large}};
    for (const auto& [text, fault] : cases) EXPECT_EQ(parse_integer(text).fault, fault) << text;
}

TEST(ParseReal, ReadsNumbers) {
    const std::pair<const char*, double> cases[] = {
        {"0", 0.0},     {"130", 130.0}, {"-2.5", -2.5}, {"+.5", 0.5},     {"5.", 5.0},       {"1e3", 1e3},
        {"1E-3", 1e-3}, {"0.1", 0.1},   {"0e999", 0},   {"1e308", 1e308}, {"5e-324", 5e-324}};
    for (const auto& [text, value] : cases) {
        const auto parsed = parse_real(text);
        EXPECT_EQ(parsed.fault, NumberFault::none) << text;
        EXPECT_EQ(parsed.value, value) << text;
    }
}

TEST(ParseReal, RefusesTheRest) {
    const std::pair<const char*, NumberFault> cases[] = {
        {"1e309", NumberFault::too_large},     {"-1e999999999999", NumberFault::too_large},
        {"1e-400", NumberFault::too_small},    {"0.0001e-999", NumberFault::too_small},
        {"nan", NumberFault::not_finite},      {"-.inf", NumberFault::not_finite},
        {"0x1p3", NumberFault::not_a_number},  {"1d3", NumberFault::not_a_number},
        {"nan(5)", NumberFault::not_a_number}, {"010.5", NumberFault::leading_zero}};
    for (const auto& [text, fault] : cases) EXPECT_EQ(parse_real(text).fault, fault) << text;
    EXPECT_EQ(parse_real("0." + std::string(400, '0') + "1").fault, NumberFault::too_small);
    EXPECT_EQ(parse_real(std::string(400, '9')).fault, NumberFault::too_large);
}

TEST(Shortest, ReadsBackToTheSameBits) {
    std::mt19937_64 random(20240601);
    for (int i = 0; i < 100000; ++i) {
        const auto value = std::bit_cast<double>(random());
        if (!std::isfinite(value)) continue;
        for (const std::string& text : {shortest(value), shortest_real(value)}) {
            const auto parsed = parse_real(text);
            ASSERT_EQ(parsed.fault, NumberFault::none) << text;
            ASSERT_EQ(std::bit_cast<std::uint64_t>(parsed.value), std::bit_cast<std::uint64_t>(value))
                << text;
        }
    }
}

TEST(Shortest, IsShort) {
    EXPECT_EQ(shortest(180), "180");
    EXPECT_EQ(shortest(0.1), "0.1");
    EXPECT_EQ(shortest(1e6), "1e6");
    EXPECT_EQ(shortest(1e-6), "1e-6");
    EXPECT_EQ(shortest(1e100), "1e100");
    EXPECT_EQ(shortest_real(180), "180.0");
    EXPECT_EQ(shortest_real(-0.0), "-0.0");
    EXPECT_EQ(shortest_real(1e6), "1.0e+6");
    EXPECT_EQ(shortest_real(1.5e-7), "1.5e-7");
}

TEST(Nearest, FindsWhatWasMeant) {
    const std::vector<std::string> words{"angle", "time_step", "random_shift", "x", "y"};
    EXPECT_EQ(nearest("angel", words), "angle");
    EXPECT_EQ(nearest("Angle", words), "angle");
    EXPECT_EQ(nearest("timestep", words), "time_step");
    EXPECT_EQ(nearest("randomshift", words), "random_shift");
    EXPECT_EQ(nearest("rotation", words), "");
    EXPECT_EQ(nearest("", words), "");
    EXPECT_EQ(nearest(std::string(100000, 'a'), words), "");
}

TEST(Text, FindsWhatIsNotUtf8) {
    EXPECT_FALSE(find_text_fault("plain\ttext\r\n\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"));
    const char* faulty[] = {"\x80",
                            "\xC3",
                            "\xC3(",
                            "\xC0\xAF",
                            "\xE0\x80\xAF",
                            "\xED\xA0\x80",
                            "\xE2\x82",
                            "\xF0\x80\x80\xAF",
                            "\xF4\x90\x80\x80",
                            "\xF5\x80\x80\x80",
                            "\x01",
                            "\x7F",
                            "\xC2\x80",
                            "\xC2\x85",
                            "\xC2\x9B",
                            "\xC2\x9F",
                            "\xD8\x9C",
                            "\xE2\x80\x8E",
                            "\xE2\x80\xA8",
                            "\xE2\x80\xAE",
                            "\xE2\x81\xA6",
                            "\xE2\x81\xA9",
                            "\r",
                            "\r\r\n"};
    for (const char* text : faulty) EXPECT_TRUE(find_text_fault(text)) << printable(text);
}

TEST(Text, IsShownWithoutWhatATerminalObeys) {
    const std::string hostile = "a\x1B[31m\xC2\x9B m\x7F\xE2\x80\xAE\n\t\xFF\xC3\xA9";
    EXPECT_EQ(printable(hostile), "a\\x1B[31m\\u009B m\\x7F\\u202E\\x0A\\x09\\xFF\xC3\xA9");
    EXPECT_EQ(printable_lines(hostile), "a\\x1B[31m\\u009B m\\x7F\\u202E\n\t\\xFF\xC3\xA9");
    EXPECT_EQ(printable_lines("one\n\ntwo\n"), "one\n\ntwo\n");
    EXPECT_EQ(printable_lines(""), "");
    EXPECT_EQ(in_quotes("\"\\\x1B\xC2\x9B\x7F\xE2\x80\xAE\xC3\xA9"),
              "\"\\\"\\\\\\u001b\\u009b\\u007f\\u202e\xC3\xA9\"");
    // What surrounds these is text.
    for (const char* text :
         {"\xC2\xA0", "\xE2\x80\x8D", "\xE2\x80\xAF", "\xE2\x81\xA5", "\xF0\x9F\x98\x80", "\xD7\x90"}) {
        EXPECT_EQ(printable(text), text);
        EXPECT_FALSE(find_text_fault(text));
    }
}

TEST(Names, OfDevices) {
    for (const char* name : {"auto", "cpu", "cuda", "cuda:1", "cuda:63"}) {
        const auto device = parse_device(name);
        ASSERT_TRUE(device) << name;
        EXPECT_EQ(device_name(*device), name);
    }
    EXPECT_EQ(device_name(*parse_device("cuda:0")), "cuda");
    for (const char* name :
         {"", "gpu", "cuda:", "cuda:-1", "cuda:+1", "cuda:01", "cuda:64", "cuda:1 ", "CPU"})
        EXPECT_FALSE(parse_device(name)) << name;
}

}  // namespace
}  // namespace mpcflow::input
