// Inputs that mean harm, or are harmed: refused in bounded time and memory, with a message.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "input/text.hpp"
#include "input/yaml_tree.hpp"
#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

std::string repeated(const std::string& text, std::size_t count) {
    std::string result;
    result.reserve(text.size() * count);
    for (std::size_t i = 0; i < count; ++i) result += text;
    return result;
}

/// Either a Scenario or an InputError of clean messages; anything else fails the test.
void expect_handled(const std::string& text) {
    try {
        (void)parse_scenario(text, "f.yaml");
    } catch (const InputError& error) {
        EXPECT_FALSE(error.messages().empty());
        for (const std::string& message : error.messages())
            EXPECT_FALSE(input::find_text_fault(message)) << message;
    }
}

TEST(HostileInput, AliasBomb) {
    std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 30; ++i) {
        const std::string alias = "*a" + std::to_string(i - 1);
        bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeated(alias + ", ", 9) +
                alias + "]\n";
    }
    const auto messages = errors_of(bomb);
    EXPECT_EQ(messages.size(), 101U);
    EXPECT_EQ(messages[0], "f.yaml:1:5: a0: anchors (&name) are not allowed; write the value out");
    EXPECT_EQ(messages[2], "f.yaml:2:10: a1.0: aliases (*name) are not allowed; write the value out");
}

TEST(HostileInput, DeepNesting) {
    const std::string message = "maps and lists are more than 16 deep, which no input needs";
    EXPECT_TRUE(errors_of("box: " + repeated("[", 100000)).at(0).ends_with(message));
    EXPECT_EQ(errors_of("box: " + repeated("[", 100000) + repeated("]", 100000)).at(0),
              "f.yaml:1:21: " + message);
    EXPECT_EQ(errors_of(repeated("{a: ", 100000)).at(0), "f.yaml:1:61: " + message);
    EXPECT_EQ(errors_of(repeated("- ", 100000)).at(0), "f.yaml:1:33: " + message);
    EXPECT_EQ(errors_of(repeated("? ", 100000)).at(0), "f.yaml:1:33: " + message);
    std::string block;
    for (std::size_t i = 0; i < 1000; ++i) block += std::string(i, ' ') + "a:\n";
    EXPECT_EQ(errors_of(block).at(0), "f.yaml:17:17: " + message);
}

TEST(HostileInput, ManyValues) {
    EXPECT_EQ(errors_of("box: [" + repeated("1,", 2000000) + "1]").at(0),
              "f.yaml:1:800001: more than 400000 values, which no input needs");
    EXPECT_EQ(errors_of(repeated("a: 1\n", 100000)).back().substr(0, 11), "f.yaml: and");
}

TEST(HostileInput, EveryKeyUnknown) {
    std::string text;
    for (int i = 0; i < 4900; ++i) text += "key" + std::to_string(i) + ": 1\n";
    EXPECT_EQ(errors_of(text).size(), 101U);
    EXPECT_EQ(errors_of(least + repeated("a", 500000) + ": 1").size(), 1U);
}

TEST(HostileInput, ManyPlacesOnALongLine) {
    const std::string text = "box: [" + std::string(1'000'000, ' ') + repeated("&a 1,", 9000) + "]";
    const auto begin = std::chrono::steady_clock::now();
    const auto messages = errors_of(text);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(messages.at(0),
              "f.yaml:1:1000007: box.0: anchors (&name) are not allowed; write the value out");
    EXPECT_LT(time.count(), 10.0);
}

TEST(HostileInput, FillingAMebibyteTakesLittleTime) {
    const std::size_t all = std::size_t{1} << 20;
    const std::vector<std::string> pieces{"[",  "{",   "- ",  "? ",   "]",        "a: ",  "a:\n", "a",
                                          "a ", "a\n", " ",   "\n",   "#",        "'",    "\"",   "|",
                                          "!",  "&a ", "*a ", "%a\n", "---\n",    "[]:",  "{},",  "\\x41",
                                          ": ", ",",   "\t",  "<<: ", "[a,{b:\n", "- -\n"};
    for (const std::string prefix : {"", "a: ", "["}) {
        for (const std::string& piece : pieces) {
            const std::string text = prefix + repeated(piece, (all - prefix.size()) / piece.size());
            const auto begin = std::chrono::steady_clock::now();
            expect_handled(text);
            const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
            EXPECT_LT(time.count(), 10.0) << prefix << piece;
        }
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    EXPECT_LT(usage.ru_maxrss, 2 * 1024 * 1024) << "KiB of memory";
}

// As much as is read, and a fourth of the values, each of them an error.
TEST(HostileInput, FillingAllThatIsReadTakesLittleTime) {
    const auto begin = std::chrono::steady_clock::now();
    for (const std::string piece : {"#", "a: ", "'", "[a,{b:\n", "a\n"})
        expect_handled(repeated(piece, input::longest_text / piece.size()));
    EXPECT_GT(errors_of(least + "surfaces: [" + repeated("{}, ", input::most_nodes / 4) + "{}]\n").size(),
              50U);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(time.count(), 60.0);
}

TEST(HostileInput, HugeFiles) {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / "mpcflow_huge_input_test.yaml";
    {
        std::ofstream stream(path, std::ios::binary);
        stream << least;
    }
    std::filesystem::resize_file(path, 100'000'000);
    try {
        (void)read_scenario(path);
        ADD_FAILURE() << "100 MB were read";
    } catch (const InputError& error) {
        EXPECT_EQ(error.what(), path.string() + ": is 100000000 bytes long; at most 4194304 are read");
    }
    std::filesystem::remove(path);
    EXPECT_EQ(errors_of(least + std::string(input::longest_text, ' ')).at(0),
              "f.yaml: is 4194345 bytes long; at most 4194304 are read");
    EXPECT_TRUE(errors_of(least + std::string(input::longest_text - least.size(), ' ')).empty());
}

TEST(HostileInput, RandomBytes) {
    std::mt19937 random(12345);
    for (int i = 0; i < 3000; ++i) {
        std::string text(random() % 300, '\0');
        for (char& c : text) c = static_cast<char>(random());
        expect_handled(text);
        for (char& c : text)  // the same, but past the check of the bytes
            c = " \nabc:-?[]{},&*!|>'\"%@#\\0123456789.~"[static_cast<unsigned char>(c) % 37];
        expect_handled(text);
    }
}

class TruncatedInput : public testing::TestWithParam<const char*> {
protected:
#ifdef MPCFLOW_SANITIZED
    static constexpr std::size_t every = 37;  // the fuzzer has a sanitizer, too
#else
    static constexpr std::size_t every = 1;
#endif
};

TEST_P(TruncatedInput, IsHandled) {
    const std::string text = read_file(source_file(GetParam()));
    ASSERT_FALSE(text.empty());
    for (std::size_t length = 0; length <= text.size(); length += every)
        expect_handled(text.substr(0, length));
}

TEST_P(TruncatedInput, WithOneByteChangedIsHandled) {
    const std::string text = read_file(source_file(GetParam()));
    std::mt19937 random(99);
    for (std::size_t at = 0; at < text.size(); at += every) {
        std::string changed = text;
        changed[at] = ":-?[]{},&*!|>'\"%@#\n \t\x00\xff"[random() % 23];
        expect_handled(changed);
    }
}

INSTANTIATE_TEST_SUITE_P(Files, TruncatedInput,
                         testing::Values("examples/poiseuille.yaml", "examples/equilibrium.yaml",
                                         "tests/input/corpus/all_keys.yaml", "tests/input/corpus/styles.yaml",
                                         "tests/input/corpus/aliases.yaml",
                                         "tests/input/corpus/surfaces.yaml"));

}  // namespace
}  // namespace mpcflow::tests
