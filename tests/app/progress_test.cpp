#include <algorithm>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "app/run/progress.hpp"
#include "app/text/formatting.hpp"

namespace mpcflow {
namespace {

using namespace std::chrono_literals;

ProgressState half_way() { return {12345, 24690, 754.0, 36.2e6, 1.00023, 1.2e-12}; }

TEST(ProgressFormat, Durations) {
    EXPECT_EQ(format_duration(-1.0), "0:00");
    EXPECT_EQ(format_duration(6.2), "0:07");
    EXPECT_EQ(format_duration(754), "12:34");
    EXPECT_EQ(format_duration(3723), "1:02:03");
    EXPECT_EQ(format_duration(2 * 86400 + 3 * 3600 + 4 * 60 + 5), "2 d 03:04:05");
}

TEST(Durations, AreReadAsBatchSystemsWriteThem) {
    EXPECT_EQ(parse_duration("300"), 300);
    EXPECT_EQ(parse_duration("0:07"), 7);
    EXPECT_EQ(parse_duration("90:00"), 5400) << "the first part may be any number";
    EXPECT_EQ(parse_duration("3:55:00"), 14100);
    EXPECT_EQ(parse_duration("1-12:00:30"), 129630);
    for (const char* text : {"", ":", "1:", ":1", "1:60", "1:2:3:4", "-1", "1-", "1-2:3", "1--2:3:4", "4h",
                             "1.5", " 1", "+1", "0x10", "1:-1", "99999999999999999999"})
        EXPECT_EQ(parse_duration(text), std::nullopt) << text;
}

TEST(ProgressFormat, RatesAndBytesKeepThreeDigits) {
    EXPECT_EQ(format_rate(0.0), "0 /s");
    EXPECT_EQ(format_rate(850e3), "850 k/s");
    EXPECT_EQ(format_rate(999.9e3), "1.00 M/s");
    EXPECT_EQ(format_rate(36.24e6), "36.2 M/s");
    EXPECT_EQ(format_rate(20.08e9), "20.1 G/s");
    EXPECT_EQ(format_rate(20.08e9, "particle updates"), "20.1 G particle updates/s");
    EXPECT_EQ(format_rate(7, "steps"), "7 steps/s");
    EXPECT_EQ(format_bytes(512), "512 B");
    EXPECT_EQ(format_bytes(3.4 * 1024 * 1024), "3.40 MiB");
}

TEST(ProgressFormat, TheLiveLineSaysAllWhereItFits) {
    EXPECT_EQ(format_progress_line(half_way(), 100),
              "step 12345/24690  50.0 %  12:34 left  36.2 M/s  T 1.0002  drift 1.2e-12");
}

TEST(ProgressFormat, TheLiveLineIsNeverWiderThanTheTerminal) {
    for (int width = 0; width < 120; ++width)
        EXPECT_LE(static_cast<int>(format_progress_line(half_way(), width).size()), width);
    EXPECT_EQ(format_progress_line(half_way(), 59), "50.0 %  12:34 left  36.2 M/s  T 1.0002  drift 1.2e-12");
    EXPECT_EQ(format_progress_line(half_way(), 30), "50.0 %  12:34 left  36.2 M/s");
}

TEST(ProgressFormat, WhatIsNotKnownYetIsLeftOut) {
    EXPECT_EQ(format_progress_line({0, 100, {}, 0.0, {}, {}}, 80), "step 0/100  0.0 %  0 /s");
    EXPECT_EQ(format_progress_line({0, 0, {}, 0.0, {}, {}}, 80), "step 0/0  100.0 %  0 /s");
}

/// What a display has written to its stream.
class DisplayTest : public testing::Test {
protected:
    ~DisplayTest() override { std::fclose(stream_); }

    std::string written() {
        std::string text(static_cast<std::size_t>(std::ftell(stream_)), '\0');
        std::rewind(stream_);
        const std::size_t got = std::fread(text.data(), 1, text.size(), stream_);
        text.resize(got);
        return text;
    }
    static int count(const std::string& text, char c) {
        return static_cast<int>(std::count(text.begin(), text.end(), c));
    }

    std::FILE* stream_ = std::tmpfile();
    ProgressDisplay::Clock::time_point start_ = ProgressDisplay::Clock::now();
};

TEST_F(DisplayTest, RedrawsAtMostFiveTimesASecondAndClearsItsLine) {
    {
        ProgressDisplay display(stream_, ProgressStyle::live_line);
        for (int i = 0; i <= 1000; ++i) display.update({i, 1000, {}, 0.0, {}, {}}, start_ + i * 1ms);
    }
    const std::string text = written();
    EXPECT_EQ(count(text, '\r'), 6 + 1);
    EXPECT_EQ(count(text, '\n'), 0);
    EXPECT_TRUE(text.ends_with("\r\x1b[K"));
}

TEST_F(DisplayTest, LogsEveryTenthOfALongRunAndEveryTenSeconds) {
    ProgressDisplay display(stream_, ProgressStyle::log_lines);
    // 200 seconds: tenths every 20 s, and one line between each.
    for (int i = 0; i <= 2000; ++i) display.update({i, 2000, {}, 0.0, {}, {}}, start_ + i * 100ms);
    EXPECT_EQ(count(written(), '\n'), 20);
}

TEST_F(DisplayTest, AShortRunIsNotFloodedWithLogLines) {
    ProgressDisplay display(stream_, ProgressStyle::log_lines);
    for (int i = 0; i <= 100; ++i) display.update({i, 100, {}, 0.0, {}, {}}, start_ + i * 10ms);
    EXPECT_LE(count(written(), '\n'), 2);
}

TEST_F(DisplayTest, ANoteStaysAboveTheLiveLine) {
    {
        ProgressDisplay display(stream_, ProgressStyle::live_line);
        display.update({1, 1000, {}, 0.0, {}, {}}, start_);
        display.note("told");
        display.update({2, 1000, {}, 0.0, {}, {}}, start_ + 1s);
    }
    const std::string text = written();
    EXPECT_NE(text.find("\r\x1b[Ktold\n\rstep 2/1000"), std::string::npos) << text;
}

TEST_F(DisplayTest, SilenceIsSilent) {
    ProgressDisplay display(stream_, ProgressStyle::silent);
    display.update({1, 1, {}, 0.0, {}, {}}, start_);
    display.note("told");
    display.clear();
    EXPECT_TRUE(written().empty());
    EXPECT_EQ(progress_style(stream_), ProgressStyle::log_lines) << "a file is no terminal";
}

}  // namespace
}  // namespace mpcflow
