#pragma once
/// What a key of the input can be. `visit_keys` (keys.hpp) declares every key once, against this
/// interface; the reader, the writer, the JSON Schema and the guide's table are its implementations,
/// so they cannot disagree.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input/names.hpp"
#include "input/scenario.hpp"

namespace mpcflow::input {

enum class Presence { optional, required };

/// A key or a section: its name, one line on what it means (with units), whether it must be given.
struct Key {
    const char* name;
    const char* doc;
    Presence presence = Presence::optional;
};

/// Whether a bound of a range belongs to it.
enum class Bound { open, closed };

struct RealRange {
    double lower;
    Bound lower_bound;
    double upper;
    Bound upper_bound;

    [[nodiscard]] constexpr bool contains(double value) const {
        return (lower_bound == Bound::closed ? value >= lower : value > lower) &&
               (upper_bound == Bound::closed ? value <= upper : value < upper);
    }
};

/// (0, upper]
constexpr RealRange positive_up_to(double upper) { return {0.0, Bound::open, upper, Bound::closed}; }
/// [lower, upper]
constexpr RealRange between(double lower, double upper) {
    return {lower, Bound::closed, upper, Bound::closed};
}

/// [lower, upper]
struct IntegerRange {
    std::int64_t lower;
    std::int64_t upper;

    [[nodiscard]] constexpr bool contains(std::int64_t value) const {
        return value >= lower && value <= upper;
    }
};

/// A number, or a list of three.
struct RealOrReals {
    bool is_one = true;  ///< the first alone is meant
    std::array<double, 3> values{};
};

/// One name of a list of names, and whether it is in the list.
struct NamedFlag {
    std::string_view name;
    bool* value;
};

/// Walks the keys. Every value is handed over by reference: it holds the default on the way in (or the
/// value to write), and what was read on the way out.
class KeyVisitor {
public:
    virtual ~KeyVisitor() = default;

    /// A section, in which the calls until leave_section() are.
    virtual void enter_section(const Key& key) = 0;
    virtual void leave_section() = 0;
    /// A section that need not exist. `exists`: whether the Scenario has it now. Returns whether it is
    /// to be visited; if so, it is left by leave_section().
    virtual bool enter_optional_section(const Key& key, bool exists) = 0;
    /// A section in whose place one of `words` may stand: `index` says which, or is their number where it is
    /// the section. Returns whether this is to be visited; if so, it is left by leave_section(). It need not
    /// be given; the first word is the default.
    virtual bool enter_section_or_word(const Key& key, std::size_t& index,
                                       std::span<const std::string_view> words) = 0;
    /// A list of sections. `size`: the number of its items now. Returns the number of items to visit.
    virtual std::size_t enter_list(const Key& key, std::size_t size) = 0;
    virtual void enter_item(std::size_t index) = 0;
    virtual void leave_item() = 0;
    virtual void leave_list() = 0;

    virtual void flag(const Key& key, bool& value) = 0;
    /// One line of text of at most `longest` characters.
    virtual void text(const Key& key, std::string& value, std::size_t longest) = 0;
    virtual void real(const Key& key, double& value, const RealRange& range) = 0;
    /// A number that need not be given and has no default; 0, which the range does not have, is none.
    virtual void real_if_given(const Key& key, double& value, const RealRange& range) = 0;
    virtual void reals(const Key& key, std::array<double, 3>& values, const RealRange& range) = 0;
    virtual void pair(const Key& key, std::array<double, 2>& values, const RealRange& range) = 0;
    /// A number, or three.
    virtual void real_or_reals(const Key& key, RealOrReals& value, const RealRange& range) = 0;
    virtual void whole(const Key& key, std::int64_t& value, const IntegerRange& range) = 0;
    virtual void integers(const Key& key, std::array<int, 3>& values, const IntegerRange& range) = 0;
    /// `auto` (held as 0) or a whole number of the range.
    virtual void integer_or_auto(const Key& key, int& value, const IntegerRange& range) = 0;
    /// `auto` (held as 0, 0, 0) or three whole numbers of the range.
    virtual void integers_or_auto(const Key& key, std::array<int, 3>& values, const IntegerRange& range) = 0;
    /// One of `names`; `index` says which.
    virtual void one_of(const Key& key, std::size_t& index, std::span<const std::string_view> names) = 0;
    /// A list of at least one of the names.
    virtual void some_of(const Key& key, std::span<const NamedFlag> names) = 0;
    /// The faces of one axis: one kind for both, or a map of lower and upper; each of these a kind, or a map
    /// of kind, velocity and temperature. Or a map of the kind lees_edwards, shear_rate and along.
    virtual void faces(const Key& key, AxisFaces& value) = 0;
    virtual void device(const Key& key, DeviceChoice& value) = 0;
    /// A key that means nothing beside what others say, and must not be given; `why` is the message.
    virtual void without(const Key& /*key*/, const std::string& /*why*/) {}
    /// Whether to visit a value that need not be given. `exists`: whether the Scenario has it now.
    [[nodiscard]] virtual bool is_given(const Key& /*key*/, bool exists) { return exists || tells_of_all(); }
    /// Whether it tells of all keys that there are, whatever a Scenario says.
    [[nodiscard]] virtual bool tells_of_all() const { return false; }

    /// A number that means something only where `applies`.
    void real_where(bool applies, const Key& key, double& value, const RealRange& range,
                    const std::string& why) {
        if (applies || tells_of_all()) real(key, value, range);
        else without(key, why);
    }

    /// A whole number of whatever integer type the Scenario holds it in.
    template <class T>
    void integer(const Key& key, T& value, const IntegerRange& range) {
        auto wide = static_cast<std::int64_t>(value);
        whole(key, wide, range);
        value = static_cast<T>(wide);
    }

    /// A value of an enumeration that names_of() knows.
    template <class E>
    void choice(const Key& key, E& value) {
        constexpr auto table = names_of(E{});
        std::array<std::string_view, table.size()> names;
        std::size_t index = 0;
        for (std::size_t i = 0; i < table.size(); ++i) {
            names[i] = table[i].name;
            if (table[i].value == value) index = i;
        }
        one_of(key, index, names);
        value = table[index].value;
    }

    /// `visit()` is called for what is in the section.
    template <class Visit>
    void section(const Key& key, Visit visit) {
        enter_section(key);
        visit();
        leave_section();
    }

    /// `visit(T&)` is called if the section is to be visited.
    template <class T, class Visit>
    void optional_section(const Key& key, std::optional<T>& value, Visit visit) {
        if (enter_optional_section(key, value.has_value())) {
            if (!value) value.emplace();
            visit(*value);
            leave_section();
        }
    }

    /// `visit(T&)` is called for each item.
    template <class T, class Visit>
    void list(const Key& key, std::vector<T>& values, Visit visit) {
        values.resize(enter_list(key, values.size()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            enter_item(i);
            visit(values[i]);
            leave_item();
        }
        leave_list();
    }
};

// What a key allows, in words that follow "is needed" or stand in a table.
[[nodiscard]] std::string in_words(const RealRange& range);     ///< "(0, 180]"
[[nodiscard]] std::string in_words(const IntegerRange& range);  ///< "[1, 64]"
[[nodiscard]] std::string allowed_real(const RealRange& range);
[[nodiscard]] std::string allowed_reals(const RealRange& range);
[[nodiscard]] std::string allowed_pair(const RealRange& range);
[[nodiscard]] std::string allowed_real_or_reals(const RealRange& range);
[[nodiscard]] std::string allowed_integer(const IntegerRange& range);
[[nodiscard]] std::string allowed_integers(const IntegerRange& range);
[[nodiscard]] std::string allowed_integer_or_auto(const IntegerRange& range);
[[nodiscard]] std::string allowed_integers_or_auto(const IntegerRange& range);
[[nodiscard]] std::string allowed_text(std::size_t longest);
[[nodiscard]] std::string allowed_flag();
[[nodiscard]] std::string allowed_names(std::span<const std::string_view> names);  ///< "a, b or c"
[[nodiscard]] std::string allowed_words_or_map(std::span<const std::string_view> words);
[[nodiscard]] std::string allowed_subset(std::span<const NamedFlag> names);
[[nodiscard]] std::string allowed_faces();
[[nodiscard]] std::string allowed_device();

/// The names of the kinds that a face can be.
[[nodiscard]] std::vector<std::string_view> face_names();
/// The kind of a pair of faces that are periodic and sheared.
inline constexpr std::string_view sheared_kind = "lees_edwards";
/// What the rate of their shear, and the velocity and the temperature of a face can be.
inline constexpr RealRange shear_rate_range = between(-1e6, 1e6);
inline constexpr RealRange face_velocity_range = between(-1e6, 1e6);
inline constexpr RealRange face_temperature_range = between(1e-6, 1e6);

}  // namespace mpcflow::input
