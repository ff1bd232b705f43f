#pragma once
/// The keys of `stream`.

#include <optional>

#include "input/key_visitor.hpp"
#include "physics/system.hpp"

namespace mpcflow::input {

/// As visit_keys().
void visit_stream(KeyVisitor& keys, std::optional<Stream>& stream);

}  // namespace mpcflow::input
