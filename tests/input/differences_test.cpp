// What two inputs say differently, key by key.

#include "input/differences.hpp"

#include <gtest/gtest.h>

#include "input/writer.hpp"
#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

std::vector<std::string> lines(const std::string& before, const std::string& after) {
    std::vector<std::string> lines;
    for (const KeyDifference& difference : find_differences(before, after))
        lines.push_back(difference.path + ": " + difference.before + " -> " + difference.after);
    return lines;
}

TEST(Differences, OfAnInputWithItselfAreNone) {
    const std::string all = to_yaml(read_scenario(source_file("tests/input/corpus/all_keys.yaml")));
    EXPECT_TRUE(lines(all, all).empty());
}

TEST(Differences, AreFoundKeyByKey) {
    const std::string file = source_file("tests/input/corpus/all_keys.yaml");
    const std::string before = to_yaml(read_scenario(file));
    const std::string after =
        to_yaml(read_scenario(file, {"collision.angle=100", "box.size.1=20", "execution.precision=double",
                                     "title=Other", "forces=[]"}));
    EXPECT_EQ(lines(before, after),
              (std::vector<std::string>{"box.size.1: 10 -> 20",
                                        "collision.angle: 90.0 -> 100.0",
                                        "execution.precision: mixed -> double",
                                        "forces.0.uniform.0: 0.001 -> ",
                                        "forces.0.uniform.1: 1.0 -> ",
                                        "forces.0.uniform.2: -0.0025 -> ",
                                        "forces.1.from: 10 -> ",
                                        "forces.1.gravity.0: 0.0 -> ",
                                        "forces.1.gravity.1: 0.0 -> ",
                                        "forces.1.gravity.2: 0.5 -> ",
                                        "forces.1.period: 100 -> ",
                                        "forces.1.until: 2000 -> ",
                                        "forces.2.sine.along: x -> ",
                                        "forces.2.sine.amplitude.0: 0.0 -> ",
                                        "forces.2.sine.amplitude.1: 0.25 -> ",
                                        "forces.2.sine.amplitude.2: 0.0 -> ",
                                        "forces.2.sine.waves: 2 -> ",
                                        "forces.3.from: 5 -> ",
                                        "forces.3.opposed_blocks.along: y -> ",
                                        "forces.3.opposed_blocks.amplitude.0: 0.125 -> ",
                                        "forces.3.opposed_blocks.amplitude.1: 0.0 -> ",
                                        "forces.3.opposed_blocks.amplitude.2: 0.0 -> ",
                                        "forces.3.opposed_blocks.waves: 1 -> ",
                                        "title: All keys -> Other"}));
}

TEST(Differences, NameWhatOneOfThemLacks) {
    EXPECT_EQ(lines("a: 1\nb: {c: 2}\n", "a: 1\nd: x\n"),
              (std::vector<std::string>{"b.c: 2 -> ", "d:  -> x"}));
    // An input of before there were surfaces had none.
    EXPECT_EQ(lines("a: 1\n", "a: 1\nsurfaces: []\n"), (std::vector<std::string>{}));
    EXPECT_EQ(lines("not: [closed", "a: 1\n").back(), "a:  -> 1");
}

}  // namespace
}  // namespace mpcflow::tests
