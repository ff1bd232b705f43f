/// The errors of execution.domains, and of a box that cannot be cut for the ranks that there are.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "input/reader.hpp"
#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

using Messages = std::vector<std::string>;

Messages errors_with(const std::string& text, std::optional<int> ranks) {
    try {
        static_cast<void>(parse_scenario(text, "f.yaml", {}, ranks));
    } catch (const InputError& error) {
        return error.messages();
    }
    return {};
}

TEST(DomainErrors, what_is_no_cut_is_told_where_it_is) {
    EXPECT_EQ(
        errors_with(least + "execution: {domains: some}", {}),
        Messages{"f.yaml:3:22: execution.domains: some is given; auto or a list of 3 whole numbers in [1, "
                 "65536] is needed"});
    EXPECT_EQ(
        errors_with(least + "execution: {domains: [2, 2]}", {}),
        Messages{"f.yaml:3:22: execution.domains: a list of 2 is given; auto or a list of 3 whole numbers "
                 "in [1, 65536] is needed"});
    EXPECT_EQ(
        errors_with(least + "execution: {domains: [2, 0, auto]}", {}),
        (Messages{"f.yaml:3:26: execution.domains.1: 0 is out of range [1, 65536]",
                  "f.yaml:3:29: execution.domains.2: auto is not a number; a whole number in [1, 65536] is "
                  "needed"}));
    EXPECT_EQ(
        errors_with(least + "execution: {domains: [1, 9, 8]}", {}),
        Messages{"f.yaml:3:26: execution.domains.1: 9 domains are more than the 8 cells of the box along y"});
}

TEST(DomainErrors, domains_that_are_not_as_many_as_ranks) {
    const std::string six = least + "execution: {domains: [1, 2, 3]}";
    EXPECT_EQ(errors_with(six, {}), Messages{});
    EXPECT_EQ(errors_with(six, 6), Messages{});
    EXPECT_EQ(
        errors_with(six, 4),
        Messages{"f.yaml:3:22: execution.domains: [1, 2, 3] are 6 domains, one for each rank, and there are "
                 "4 ranks; start 6 (mpirun -n 6), or use auto"});
    EXPECT_EQ(
        errors_with(six, 1),
        Messages{"f.yaml:3:22: execution.domains: [1, 2, 3] are 6 domains, one for each rank, and there is 1 "
                 "rank; start 6 (mpirun -n 6), or use auto"});
}

TEST(DomainErrors, more_ranks_than_the_box_has_cells_for) {
    EXPECT_EQ(errors_with(least, 512), Messages{});  // the box has 8 cells along each axis
    EXPECT_EQ(
        errors_with(least, 11),
        Messages{"f.yaml:1:13: box.size: cannot be cut along cell planes into 11 domains, one for each rank; "
                 "start 10 ranks, or take a larger box"});
    EXPECT_EQ(
        errors_with(least + "execution: {domains: auto}", 513),
        Messages{
            "f.yaml:1:13: box.size: cannot be cut along cell planes into 513 domains, one for each rank; "
            "start 512 ranks, or take a larger box"});
}

}  // namespace
}  // namespace mpcflow::tests
