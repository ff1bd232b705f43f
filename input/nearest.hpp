#pragma once
/// What a misspelt word was meant to be.

#include <span>
#include <string>
#include <string_view>

namespace mpcflow::input {

/// The candidate nearest to `word` by insertions, deletions, replacements and swaps of neighbours; empty
/// where none is near (more than a third of the word's letters differ, at least one and at most three).
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace mpcflow::input
