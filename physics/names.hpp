#pragma once
/// How the input (and every report of a run) spells the choices of physics/system.hpp and solver_options.hpp.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "physics/collision/laws.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

template <class E>
struct Named {
    E value;
    std::string_view name;
};
template <class E>
Named(E, const char*) -> Named<E>;

// names_of(any value of an enumeration): all its values with their names, the table that the reader,
// the schema and the messages share.
constexpr auto names_of(CollisionRule) {
    constexpr auto is_named = [](const LawInfo& law) { return !law.conserves_angular_momentum; };
    std::array<Named<CollisionRule>, std::ranges::count_if(all_laws, is_named)> names{};
    std::size_t next = 0;
    for (const LawInfo& law : all_laws)
        if (is_named(law)) names[next++] = {law.rule, law.name};
    return names;
}
constexpr auto names_of(ThermostatKind) {
    return std::array{
        Named{ThermostatKind::none, "none"}, Named{ThermostatKind::maxwell_boltzmann, "maxwell_boltzmann"},
        Named{ThermostatKind::monte_carlo, "monte_carlo"}, Named{ThermostatKind::simple, "simple"}};
}
constexpr auto names_of(FaceKind) {
    return std::array{Named{FaceKind::periodic, "periodic"}, Named{FaceKind::no_slip, "no_slip"},
                      Named{FaceKind::slip, "slip"}, Named{FaceKind::thermal, "thermal"}};
}
constexpr auto names_of(StreamProfile) {
    return std::array{Named{StreamProfile::uniform, "uniform"}, Named{StreamProfile::parabolic, "parabolic"}};
}
constexpr auto names_of(FluidSide) {
    return std::array{Named{FluidSide::inside, "inside"}, Named{FluidSide::outside, "outside"}};
}
constexpr auto names_of(Precision) {
    return std::array{Named{Precision::double_precision, "double"}, Named{Precision::mixed, "mixed"}};
}
constexpr auto names_of(Summation) {
    return std::array{Named{Summation::automatic, "auto"}, Named{Summation::tile, "tile"},
                      Named{Summation::match, "match"},    Named{Summation::peers, "peers"},
                      Named{Summation::direct, "direct"},  Named{Summation::cas, "cas"}};
}
constexpr auto names_of(VectorUnits) {
    return std::array{Named{VectorUnits::plain, "plain"}, Named{VectorUnits::avx2, "avx2"},
                      Named{VectorUnits::avx512, "avx512"}};
}

/// The name of one value: name_of(Precision::mixed) is "mixed".
template <class E>
constexpr std::string_view name_of(E value) {
    for (const auto& named : names_of(value))
        if (named.value == value) return named.name;
    return "?";
}

}  // namespace mpcflow
