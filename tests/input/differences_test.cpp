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
              (std::vector<std::string>{"box.size.1: 10 -> 20", "collision.angle: 90.0 -> 100.0",
                                        "execution.precision: mixed -> double",
                                        "forces.0.uniform.0: 0.001 -> ", "forces.0.uniform.1: 1.0 -> ",
                                        "forces.0.uniform.2: -0.0025 -> ", "title: All keys -> Other"}));
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
