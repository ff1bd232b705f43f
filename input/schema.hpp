#pragma once
/// The input described for editors and for people.

#include <string>

namespace mpcflow {

/// The input as JSON Schema (draft 2020-12), with descriptions, defaults and ranges. It knows single keys;
/// what keys say together (bins that divide the box ...) only reading an input can check.
[[nodiscard]] std::string json_schema();

/// The keys as a Markdown table: name, what is allowed, default, meaning. docs/input.md has it.
[[nodiscard]] std::string key_table();

}  // namespace mpcflow
