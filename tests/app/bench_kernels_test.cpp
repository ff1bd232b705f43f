/// What `bench kernels` makes of its arguments and measurements; the measurements themselves need a GPU.

#include "app/bench/bench_kernels.hpp"

#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace mpcflow {
namespace {

TEST(BenchKernels, PartsAreTakenOnceAndInTheirOrder) {
    EXPECT_EQ(parse_bench_parts("a"), "a");
    EXPECT_EQ(parse_bench_parts("d,a,d"), "ad");
    EXPECT_EQ(all_bench_parts().substr(0, 3), "abc");
    for (const char* wrong : {"", "h", "ab", "a,", ",a", "a b", "A"})
        EXPECT_THROW((void)parse_bench_parts(wrong), std::invalid_argument) << wrong;
}

TEST(BenchKernels, ATableHasItsColumnsUnderEachOther) {
    BenchTable table;
    table.title = "Filtering: GiB/s";
    table.note = "A note.";
    table.x = {"kept", "%"};
    table.columns = {{"warp", "GiB/s"}, {"direct", "ms"}};
    table.rows = {{5.0, {1234.56, 0.0123456}}, {12.5, {12.345678, std::numeric_limits<double>::quiet_NaN()}}};
    EXPECT_EQ(format_bench_table(table),
              "Filtering: GiB/s\n"
              "A note.\n"
              " kept   warp  direct\n"
              "    %  GiB/s      ms\n"
              "    5   1235   0.012\n"
              "12.50  12.35       -\n");
}

TEST(BenchKernels, LongNotesFitTheTerminal) {
    BenchTable table;
    for (int i = 0; i < 100; ++i) table.note += i == 0 ? "some" : " words";
    const std::string text = format_bench_table(table);
    std::size_t widest = 0;
    for (std::size_t first = 0; first < text.size();) {
        const std::size_t last = text.find('\n', first);
        widest = std::max(widest, last - first);
        first = last + 1;
    }
    EXPECT_LE(widest, 120U);
    EXPECT_GT(widest, 110U);
}

}  // namespace
}  // namespace mpcflow
