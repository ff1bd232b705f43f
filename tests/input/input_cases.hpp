#pragma once
/// Inputs and messages that the tests of the reader share.

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "input/reader.hpp"

namespace mpcflow::tests {

/// The least that an input can be.
inline const std::string least = "box: {size: [8, 8, 8]}\nrun: {steps: 100}\n";

/// The messages of the InputError that reading `text` as `f.yaml` gives; none if it is read.
inline std::vector<std::string> errors_of(const std::string& text,
                                          const std::vector<std::string>& overrides = {}) {
    try {
        (void)parse_scenario(text, "f.yaml", overrides);
    } catch (const InputError& error) {
        return error.messages();
    }
    return {};
}

inline std::string read_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// A file of the repository.
inline std::string source_file(const std::string& path) {
    return std::string(MPCFLOW_SOURCE_DIR) + "/" + path;
}

}  // namespace mpcflow::tests
