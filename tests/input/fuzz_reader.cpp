// Fuzzing of the reader: any bytes are either refused with an InputError or give a Scenario that, written
// as YAML, reads back to the same one. Lines `#--set path=value` of the bytes are given as overrides too.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "input/reader.hpp"
#include "input/text.hpp"
#include "input/writer.hpp"
#include "tests/input/same_settings.hpp"

namespace {

void require(bool condition, std::string_view what, std::string_view shown) {
    if (!condition) {
        std::cerr << what << ":\n" << shown << '\n';
        std::abort();
    }
}

std::vector<std::string> find_overrides(std::string_view text) {
    constexpr std::string_view mark = "#--set ";
    std::vector<std::string> overrides;
    for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at)) {
        at += mark.size();
        overrides.emplace_back(text.substr(at, text.find('\n', at) - at));
    }
    return overrides;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const mpcflow::Scenario scenario = mpcflow::parse_scenario(text, "fuzz.yaml", find_overrides(text));
        const std::string yaml = mpcflow::to_yaml(scenario);
        try {
            const mpcflow::Scenario again = mpcflow::parse_scenario(yaml, "again.yaml");
            require(mpcflow::tests::same_settings(scenario, again), "reads back to something else", yaml);
            require(mpcflow::to_yaml(again) == yaml, "is written differently", yaml);
        } catch (const mpcflow::InputError& error) {
            require(false, error.what(), yaml);
        }
    } catch (const mpcflow::InputError& error) {
        require(!error.messages().empty(), "an error without a message", "");
        for (const std::string& message : error.messages()) {
            const bool clean = message.find_first_of("\t\r\n") == std::string::npos &&
                               !mpcflow::input::find_text_fault(message) && message.size() < 20000;
            require(clean, "a message that spoils a terminal", message);
        }
    }
    return 0;
}
