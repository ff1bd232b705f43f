#pragma once
/// YAML as a small tree that knows where everything stands.
///
/// The tree is the plain part of YAML: maps with text keys, sequences, scalars. Anchors, aliases, tags,
/// and keys given twice are errors; depth and number of nodes are bounded, so time and memory are too.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "input/diagnostics.hpp"

namespace mpcflow::input {

enum class NodeKind { null, scalar, sequence, map };
/// How a scalar was written; a quoted one is text, whatever it looks like.
enum class Quoting { plain, quoted };

struct Node {
    NodeKind kind = NodeKind::null;
    Place place;
    std::string text;  ///< of a scalar
    Quoting quoting = Quoting::plain;
    std::string name;            ///< in a map: the key
    Place name_place;            ///< in a map: where the key stands
    std::vector<Node> children;  ///< of a sequence, or of a map (names differ)

    /// The child of a map with that name; null pointer if there is none.
    [[nodiscard]] const Node* find(std::string_view child) const;
    [[nodiscard]] Node* find(std::string_view child);
};

inline constexpr std::size_t longest_text = std::size_t{4} << 20;  ///< bytes of a file
inline constexpr std::size_t deepest_node = 16;                    ///< maps and sequences in each other
inline constexpr std::size_t most_nodes = 400'000;

/// Reads one YAML document. What is wrong goes to `diagnostics` with `source` as its place; the tree
/// that is returned is then what could be understood (a null node at worst). An empty document is a
/// null node. Throws nothing of its own.
[[nodiscard]] Node parse_yaml(std::string_view text, std::size_t source, Diagnostics& diagnostics);

/// The place of the node at `path` (names and indices with dots between), or of the innermost node
/// around it that exists.
[[nodiscard]] Place locate(const Node& root, std::string_view path);

/// What a node is, for messages: `"abc"`, `200`, "a map", "a list", "nothing".
[[nodiscard]] std::string shown(const Node& node);

}  // namespace mpcflow::input
