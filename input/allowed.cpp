// What a key allows, in words: one wording for messages, schema and guide.
#include <fmt/format.h>

#include "input/key_visitor.hpp"
#include "input/numbers.hpp"

namespace mpcflow::input {

std::string in_words(const RealRange& range) {
    return fmt::format("{}{}, {}{}", range.lower_bound == Bound::closed ? '[' : '(', shortest(range.lower),
                       shortest(range.upper), range.upper_bound == Bound::closed ? ']' : ')');
}

std::string in_words(const IntegerRange& range) { return fmt::format("[{}, {}]", range.lower, range.upper); }

std::string allowed_real(const RealRange& range) { return "a number in " + in_words(range); }

std::string allowed_pair(const RealRange& range) { return "a list of 2 numbers in " + in_words(range); }

std::string allowed_real_or_reals(const RealRange& range) {
    return "a number or a list of 3 numbers in " + in_words(range);
}

std::string allowed_reals(const RealRange& range) { return "a list of 3 numbers in " + in_words(range); }

std::string allowed_integer(const IntegerRange& range) { return "a whole number in " + in_words(range); }

std::string allowed_integers(const IntegerRange& range) {
    return "a list of 3 whole numbers in " + in_words(range);
}

std::string allowed_integer_or_auto(const IntegerRange& range) { return "auto or " + allowed_integer(range); }

std::string allowed_integers_or_auto(const IntegerRange& range) {
    return "auto or " + allowed_integers(range);
}

std::string allowed_text(std::size_t longest) {
    return fmt::format("one line of text of at most {} characters", longest);
}

std::string allowed_flag() { return "true or false"; }

std::string allowed_names(std::span<const std::string_view> names) {
    std::string words;
    for (std::size_t i = 0; i < names.size(); ++i) {
        words += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
        words += names[i];
    }
    return words;
}

std::string allowed_words_or_map(std::span<const std::string_view> words) {
    std::vector<std::string_view> all(words.begin(), words.end());
    all.emplace_back("a map of keys");
    return allowed_names(all);
}

std::string allowed_subset(std::span<const NamedFlag> names) {
    std::string words;
    for (const NamedFlag& named : names) {
        words += words.empty() ? "" : ", ";
        words += named.name;
    }
    return "a list of one or more of " + words;
}

std::string allowed_faces() {
    const auto names = face_names();
    return allowed_names(names) + ", or a map of lower and upper, each " + allowed_names(names) +
           ", or a map of kind, velocity and temperature; or a map of kind " + std::string(sheared_kind) +
           ", shear_rate and along";
}

std::string allowed_device() {
    return fmt::format("auto, cpu, cuda or cuda:N with N in [0, {}]", largest_device_index);
}

std::vector<std::string_view> face_names() {
    std::vector<std::string_view> names;
    for (const auto& named : names_of(FaceKind{})) names.push_back(named.name);
    return names;
}

}  // namespace mpcflow::input
