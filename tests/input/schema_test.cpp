// The schema and the guide say what the reader does.

#include "input/schema.hpp"

#include <gtest/gtest.h>

#include <string>

#include "input/key_index.hpp"
#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

TEST(Schema, HasEveryKey) {
    const std::string schema = json_schema();
    for (const std::string& path : input::all_paths()) {
        const std::string name = path.substr(path.rfind('.') + 1);
        if (name != "0") EXPECT_NE(schema.find("\"" + name + "\": {"), std::string::npos) << path;
    }
    EXPECT_NE(schema.find("https://json-schema.org/draft/2020-12/schema"), std::string::npos);
}

TEST(Guide, HasTheTableOfKeys) {
    const std::string guide = read_file(source_file("docs/input.md"));
    EXPECT_NE(guide.find(key_table()), std::string::npos) << "docs/input.md should have this table:\n"
                                                          << key_table();
}

TEST(Guide, ExplainsTheFirstInput) {
    const std::string guide = read_file(source_file("docs/input.md"));
    const std::string begin = "```yaml\n";
    const std::size_t at = guide.find(begin);
    ASSERT_NE(at, std::string::npos);
    const std::size_t text = at + begin.size();
    EXPECT_TRUE(errors_of(guide.substr(text, guide.find("```", text) - text)).empty());
}

}  // namespace
}  // namespace mpcflow::tests
