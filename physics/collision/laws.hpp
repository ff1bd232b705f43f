#pragma once
/// The table of collision laws. The input, the solvers, theory, `check`, the benchmarks and the tests read
/// it; so does gpu/CMakeLists.txt, which compiles the device solver of each.

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "physics/collision/andersen.hpp"
#include "physics/collision/andersen_angular.hpp"
#include "physics/collision/srd.hpp"
#include "physics/collision/srd_angular.hpp"

namespace mpcflow {

/// A line of the table. A rule is spelled in the input as its law without angular momentum is named.
template <template <class Real, Scaling scaling, Masses masses> class LawOf>
struct LawLine {
    template <class Real, Scaling scaling, Masses masses = Masses::equal>
    using Law = LawOf<Real, scaling, masses>;

    CollisionRule rule;
    std::string_view name;
    std::string_view meaning;
};

inline constexpr std::tuple law_table{
    LawLine<Srd>{CollisionRule::srd, "srd", "stochastic rotation dynamics"},
    LawLine<SrdAngular>{CollisionRule::srd, "srd+a", "srd that conserves angular momentum"},
    LawLine<Andersen>{CollisionRule::at, "at", "Andersen's thermostat as a collision"},
    LawLine<AndersenAngular>{CollisionRule::at, "at+a", "at that conserves angular momentum"},
};

/// A law as far as it does not matter what it calculates with.
struct LawInfo {
    CollisionRule rule;
    std::string_view name;
    std::string_view meaning;
    bool conserves_angular_momentum;
    bool has_angle;
    Energy energy;

    [[nodiscard]] constexpr bool is_law_of(const Collision& collision) const {
        return rule == collision.rule && conserves_angular_momentum == collision.conserve_angular_momentum;
    }
    void choose(Collision& collision) const {
        collision.rule = rule;
        collision.conserve_angular_momentum = conserves_angular_momentum;
    }
};

namespace detail {

template <class Line>
constexpr LawInfo info_of(const Line& line) {
    using Law = typename Line::template Law<double, Scaling::none>;
    static_assert(CollisionLaw<Law>);
    return {line.rule, line.name, line.meaning, Law::conserves_angular_momentum, Law::has_angle, Law::energy};
}

}  // namespace detail

/// The lines of the table.
inline constexpr auto all_laws =
    std::apply([](const auto&... line) { return std::array{detail::info_of(line)...}; }, law_table);

[[nodiscard]] inline const LawInfo& law_of(const Collision& collision) {
    for (const LawInfo& law : all_laws)
        if (law.is_law_of(collision)) return law;
    throw std::logic_error("law_of: no law of this rule does or does not conserve angular momentum");
}

namespace detail {

/// The laws of a line: without a thermostat, and with it where it takes one.
template <class Line, class Real, Masses masses>
using LawsOfLine =
    std::conditional_t<Line::template Law<Real, Scaling::none, masses>::energy == Energy::thermal,
                       std::tuple<typename Line::template Law<Real, Scaling::none, masses>>,
                       std::tuple<typename Line::template Law<Real, Scaling::none, masses>,
                                  typename Line::template Law<Real, Scaling::by_thermostat, masses>>>;

template <class Real, Masses masses, class... Lines>
auto laws_of(const std::tuple<Lines...>&)
    -> decltype(std::tuple_cat(std::declval<LawsOfLine<Lines, Real, masses>>()...));

template <class... Laws>
auto one_of(const std::tuple<Laws...>&) -> std::variant<Laws...>;

}  // namespace detail

/// One of all laws in arithmetic `Real`, which the program knows when it runs.
template <class Real, Masses masses>
using AnyLaw = decltype(detail::one_of(detail::laws_of<Real, masses>(law_table)));

/// Calls visitor(law) with the law that `law`, an AnyLaw, is, and returns what it returns. On a device, too.
template <std::size_t i = 0, class Law, class Visitor>
MPCFLOW_HD auto visit_any_law(const Law& law, const Visitor& visitor) {
    if constexpr (i + 1 < std::variant_size_v<Law>) {
        if (law.index() != i) return visit_any_law<i + 1>(law, visitor);
    }
    return visitor(*std::get_if<i>(&law));
}

/// Calls visitor(law) with the law of a line of the table, in arithmetic `Real` and with the thermostat of
/// `system`, and returns what it returns.
template <class Line, class Real, Masses masses, class Visitor>
auto visit_thermostat(const System& system, const Visitor& visitor) {
    using Plain = typename Line::template Law<Real, Scaling::none, masses>;
    const bool has_thermostat = system.thermostat.kind != ThermostatKind::none;
    if constexpr (Plain::energy != Energy::thermal) {
        if (has_thermostat)
            return visitor(typename Line::template Law<Real, Scaling::by_thermostat, masses>(system));
    }
    if (has_thermostat) throw std::logic_error("visit_thermostat: the law takes no thermostat");
    return visitor(Plain(system));
}

/// Calls visitor(line) with the line of the table that is the law of `collision`, and returns what it
/// returns.
template <std::size_t i = 0, class Visitor>
auto visit_law_line(const Collision& collision, const Visitor& visitor) {
    if constexpr (i + 1 < all_laws.size()) {
        if (&law_of(collision) != &all_laws[i]) return visit_law_line<i + 1>(collision, visitor);
    }
    return visitor(std::get<i>(law_table));
}

/// The same for the masses of `system`, too.
template <class Line, class Real, class Visitor>
auto visit_law_of_line(const System& system, const Visitor& visitor) {
    return system.masses() == Masses::equal
               ? visit_thermostat<Line, Real, Masses::equal>(system, visitor)
               : visit_thermostat<Line, Real, Masses::by_species>(system, visitor);
}

/// Calls visitor(law) with the law of `system` in arithmetic `Real`, and returns what it returns.
template <class Real, class Visitor>
auto visit_law(const System& system, const Visitor& visitor) {
    return visit_law_line(
        system.collision,
        [&]<class Line>(const Line&) { return visit_law_of_line<Line, Real>(system, visitor); });
}

}  // namespace mpcflow
