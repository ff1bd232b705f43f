#pragma once
/// Inputs with errors, and the exact messages.

#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace mpcflow::tests {

using Messages = std::vector<std::string>;

struct ErrorCase {
    std::string name;
    std::string text;
    Messages messages;
};

inline std::ostream& operator<<(std::ostream& stream, const ErrorCase& c) { return stream << c.name; }

}  // namespace mpcflow::tests
