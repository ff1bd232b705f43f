#include "input/yaml_tree.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <utility>

#include "input/text.hpp"

namespace mpcflow::input {
namespace {

/// Thrown through yaml-cpp when there is no use in reading on; the error is in the diagnostics.
struct Abandoned {};

/// yaml-cpp counts columns in bytes and from 0.
class Places {
public:
    Places(std::string_view text, std::size_t source) : text_(text), source_(source) {
        line_begins_.push_back(0);
        for (std::size_t at = 0; at < text.size(); ++at)
            if (text[at] == '\n') line_begins_.push_back(at + 1);
    }

    [[nodiscard]] Place at(const YAML::Mark& mark) {
        if (!is_inside(mark)) return {source_, 1, 1};
        const auto line = static_cast<std::size_t>(mark.line);
        const auto column = static_cast<std::size_t>(mark.column);
        // A hostile line can be very long and have many places: count on from the one before.
        if (line != counted_line_ || column < counted_bytes_) {
            counted_line_ = line;
            counted_bytes_ = 0;
            counted_characters_ = 0;
        }
        const std::string_view rest =
            text_.substr(std::min(line_begins_[line] + counted_bytes_, text_.size()));
        counted_characters_ += count_characters(rest.substr(0, column - counted_bytes_));
        counted_bytes_ = column;
        return {source_, mark.line + 1, static_cast<int>(counted_characters_) + 1};
    }

    /// The text from there on.
    [[nodiscard]] std::string_view text_from(const YAML::Mark& mark) const {
        if (!is_inside(mark)) return {};
        const std::size_t line_begin = line_begins_[static_cast<std::size_t>(mark.line)];
        return text_.substr(std::min(line_begin + static_cast<std::size_t>(mark.column), text_.size()));
    }

private:
    [[nodiscard]] bool is_inside(const YAML::Mark& mark) const {
        return mark.line >= 0 && mark.column >= 0 &&
               static_cast<std::size_t>(mark.line) < line_begins_.size();
    }

    std::string_view text_;
    std::size_t source_;
    std::vector<std::size_t> line_begins_;
    std::size_t counted_line_ = 0;
    std::size_t counted_bytes_ = 0;  ///< of that line, and how many characters they are
    std::size_t counted_characters_ = 0;
};

/// Whether `text` begins with a quote that is never closed. yaml-cpp lets the end of the text close it.
bool has_open_quote(std::string_view text) {
    const char quote = text.empty() ? '\0' : text.front();
    if (quote != '"' && quote != '\'') return false;
    for (std::size_t at = 1; at < text.size(); ++at) {
        const bool doubled = quote == '\'' && text.substr(at).starts_with("''");
        if (doubled || (quote == '"' && text[at] == '\\')) ++at;
        else if (text[at] == quote) return false;
    }
    return true;
}

/// Builds the tree from yaml-cpp's events.
class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(Places& places, Diagnostics& diagnostics) : places_(places), diagnostics_(diagnostics) {}

    [[nodiscard]] Node take_root() { return std::move(root_); }

    /// What yaml-cpp found wrong. It places a bracket that is never closed at the beginning of the text;
    /// we place it at the bracket.
    void report(const YAML::Exception& error) {
        const auto open =
            std::find_if(frames_.rbegin(), frames_.rend(), [](const Frame& f) { return f.bracket; });
        if (error.msg.starts_with("end of ") && open != frames_.rend())
            diagnostics_.error(open->node.place, "", "not YAML: this bracket is never closed");
        else diagnostics_.error(places_.at(error.mark), "", "not YAML: " + printable(error.msg, 200));
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ > 1) {
            diagnostics_.error(places_.at(mark), "",
                               "a second document begins here; an input is a single one");
            throw Abandoned{};
        }
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        refuse_anchor(mark, anchor);
        attach(make_node(NodeKind::null, mark));
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        diagnostics_.error(places_.at(mark), path(), "aliases (*name) are not allowed; write the value out");
        attach(make_node(NodeKind::null, mark));
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        refuse_anchor(mark, anchor);
        refuse_tag(mark, tag, NodeKind::scalar);
        if (has_open_quote(places_.text_from(mark))) {
            diagnostics_.error(places_.at(mark), "", "not YAML: this quote is never closed");
            throw Abandoned{};
        }
        Node node = make_node(NodeKind::scalar, mark);
        node.text = value;
        node.quoting = tag == "!" ? Quoting::quoted : Quoting::plain;
        attach(std::move(node));
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(NodeKind::sequence, mark, tag, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(NodeKind::map, mark, tag, anchor);
    }
    void OnMapEnd() override { close(); }

private:
    enum class Await { key, value, value_to_drop };

    /// A collection that is being read.
    struct Frame {
        Node node;
        bool bracket = false;      ///< written with [] or {}
        Await await = Await::key;  ///< of a map
        std::string key;           ///< of a map, while a value is awaited
        Place key_place;
        std::map<std::string, Place, std::less<>> keys;
    };

    [[nodiscard]] Node make_node(NodeKind kind, const YAML::Mark& mark) {
        if (++nodes_ > most_nodes) {
            diagnostics_.error(places_.at(mark), "",
                               fmt::format("more than {} values, which no input needs", most_nodes));
            throw Abandoned{};
        }
        Node node;
        node.kind = kind;
        node.place = places_.at(mark);
        return node;
    }

    void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
        if (anchor != 0) {
            diagnostics_.error(places_.at(mark), path(),
                               "anchors (&name) are not allowed; write the value out");
        }
    }

    /// "?" is no tag on a plain scalar or a collection, "!" none on a quoted scalar.
    void refuse_tag(const YAML::Mark& mark, const std::string& tag, NodeKind kind) {
        const bool untagged = tag.empty() || tag == "?" || (tag == "!" && kind == NodeKind::scalar);
        if (!untagged) {
            diagnostics_.error(places_.at(mark), path(),
                               fmt::format("tags ({}) are not allowed", printable(tag)));
        }
    }

    void open(NodeKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        refuse_anchor(mark, anchor);
        refuse_tag(mark, tag, kind);
        if (frames_.size() == deepest_node) {
            diagnostics_.error(
                places_.at(mark), "",
                fmt::format("maps and lists are more than {} deep, which no input needs", deepest_node));
            throw Abandoned{};
        }
        Frame frame;
        frame.node = make_node(kind, mark);
        const std::string_view text = places_.text_from(mark);
        frame.bracket = text.starts_with('[') || text.starts_with('{');
        frames_.push_back(std::move(frame));
    }

    void close() {
        Frame frame = std::move(frames_.back());
        frames_.pop_back();
        if (frame.await == Await::value) {
            Node nothing;
            nothing.place = frame.key_place;
            add_entry(frame, std::move(nothing));
        }
        attach(std::move(frame.node));
    }

    /// Gives a finished node to what it is in.
    void attach(Node node) {
        if (frames_.empty()) {
            root_ = std::move(node);
            return;
        }
        Frame& frame = frames_.back();
        if (frame.node.kind == NodeKind::sequence) {
            frame.node.children.push_back(std::move(node));
        } else if (frame.await == Await::key) {
            accept_key(frame, std::move(node));
        } else {
            if (frame.await == Await::value) add_entry(frame, std::move(node));
            frame.await = Await::key;
        }
    }

    void accept_key(Frame& frame, Node node) {
        frame.await = Await::value_to_drop;
        if (node.kind != NodeKind::scalar) {
            diagnostics_.error(node.place, path(), "a key must be a word, not " + shown(node));
            return;
        }
        const auto [entry, is_new] = frame.keys.try_emplace(node.text, node.place);
        if (!is_new) {
            const Place& first = entry->second;
            diagnostics_.error(
                node.place, joined_path(path(), printable(node.text)),
                fmt::format("given twice; the first is at line {}, column {}", first.line, first.column));
            return;
        }
        frame.await = Await::value;
        frame.key = std::move(node.text);
        frame.key_place = node.place;
    }

    static void add_entry(Frame& frame, Node value) {
        value.name = std::move(frame.key);
        value.name_place = frame.key_place;
        if (value.kind == NodeKind::null)
            value.place = frame.key_place;  // yaml-cpp places what is not there at whatever comes next
        frame.node.children.push_back(std::move(value));
    }

    /// Of what is being read now.
    [[nodiscard]] std::string path() const {
        std::string result;
        for (const Frame& frame : frames_)
            if (frame.node.kind == NodeKind::sequence)
                result = joined_path(result, std::to_string(frame.node.children.size()));
            else if (frame.await == Await::value) result = joined_path(result, printable(frame.key));
        return result;
    }

    Places& places_;
    Diagnostics& diagnostics_;
    Node root_;
    std::vector<Frame> frames_;
    std::size_t documents_ = 0;
    std::size_t nodes_ = 0;
};

}  // namespace

const Node* Node::find(std::string_view child) const {
    const auto found = std::find_if(children.begin(), children.end(), [&](const Node& node) {
        return kind == NodeKind::map && node.name == child;
    });
    return found == children.end() ? nullptr : &*found;
}

Node* Node::find(std::string_view child) { return const_cast<Node*>(std::as_const(*this).find(child)); }

Node parse_yaml(std::string_view text, std::size_t source, Diagnostics& diagnostics) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    if (text.size() > longest_text) {
        diagnostics.error({source, 0, 0}, "",
                          fmt::format("is {} bytes long; at most {} are read", text.size(), longest_text));
        return {};
    }
    if (const auto fault = find_text_fault(text)) {
        const LineColumn at = line_and_column(text, fault->offset);
        diagnostics.error({source, at.line, at.column}, "", fault->what);
        return {};
    }
    Places places(text, source);
    TreeBuilder builder(places, diagnostics);
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {}
    } catch (const Abandoned&) {
        return {};
    } catch (const YAML::Exception& error) {
        builder.report(error);
        return {};
    }
    return builder.take_root();
}

Place locate(const Node& root, std::string_view path) {
    const Node* node = &root;
    Place place = root.place;
    while (!path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        const std::string_view segment = path.substr(0, dot);
        path.remove_prefix(std::min(dot + 1, path.size()));
        const Node* next = node->find(segment);
        if (next == nullptr && node->kind == NodeKind::sequence) {
            std::size_t index = node->children.size();
            std::from_chars(segment.data(), segment.data() + segment.size(), index);
            next = index < node->children.size() ? &node->children[index] : nullptr;
        }
        if (next == nullptr) break;
        node = next;
        // A whole section is best shown at its name.
        place = node->kind == NodeKind::map && !node->name.empty() ? node->name_place : node->place;
    }
    return place;
}

std::string shown(const Node& node) {
    switch (node.kind) {
        case NodeKind::null: return "nothing";
        case NodeKind::scalar:
            return node.quoting == Quoting::quoted ? in_quotes(printable(node.text)) : printable(node.text);
        case NodeKind::sequence: return "a list";
        case NodeKind::map: return "a map";
    }
    return "nothing";
}

}  // namespace mpcflow::input
