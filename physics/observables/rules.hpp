#pragma once
/// The list of what can be measured of a fluid. A rule is a plain class that host and device share: what one
/// particle, or one cell, or one particle in its collision and flight adds to sums that are exact in any
/// order; and `Result`, what follows from the sums. Its constructor takes the System, and then what is
/// wanted.
///
/// Solvers know the kinds of rules, each with a loop on the host and a kernel on the device. A rule of a kind
/// needs nothing else than its line below; what no kind covers has a function `result_of` in both solvers.

#include <concepts>
#include <cstdint>

#include "physics/observables/density_modes.hpp"
#include "physics/observables/extremes.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/flux_rule.hpp"
#include "physics/observables/histogram_bins.hpp"
#include "physics/observables/mode_rule.hpp"
#include "physics/observables/pair_centres.hpp"
#include "physics/observables/totals.hpp"
#include "physics/particle.hpp"

namespace mpcflow {

template <class... All>
struct RuleList {};

using Rules = RuleList<  //
    TotalsRule,          // SumsParticles
    SpeedBins,           // CountsParticles
    OccupancyBins,       // CountsCells
    VelocityModes,       // SumsWaves
    DensityModes,        // SumsWaves
    ExtremesRule,        // particles and cells
    PairCentres,         // pairs of particles
    FluxRule,            // particles in their collision and flight
    FieldsRule>;         // particles by place, added up over time

/// Adds up `Rule::Sums` of all particles; `result` makes the Result of them.
template <class Rule>
concept SumsParticles = requires(const Rule& rule, const ParticleDouble& particle,
                                 const typename Rule::Sums& sums) {
    { rule.contribute(particle) } -> std::same_as<typename Rule::Sums>;
    { rule.result(sums) } -> std::same_as<typename Rule::Result>;
};

/// Counts particles in bins(), at most Histograms::most_bins.
template <class Rule>
concept CountsParticles = requires(const Rule& rule, const ParticleDouble& particle) {
    { rule.bin_of_particle(particle) } -> std::same_as<std::int32_t>;
    { rule.bins() } -> std::same_as<int>;
};

/// Counts the whole cells of the next collision, by the particles in each.
template <class Rule>
concept CountsCells = requires(const Rule& rule, double particles) {
    { rule.bin_of_cell(particles) } -> std::same_as<std::int32_t>;
    { rule.bins() } -> std::same_as<int>;
};

/// Adds up products of particles and waves (mode_rule.hpp).
template <class Rule>
concept SumsWaves = std::derived_from<Rule, WaveRule>;

/// What a solver answers by one rule.
template <class Rule>
class Measures {
public:
    [[nodiscard]] virtual typename Rule::Result measure(const Rule& rule) = 0;

protected:
    ~Measures() = default;
};

/// By all of a list.
template <class... All>
class Measures<RuleList<All...>> : public Measures<All>... {
public:
    using Measures<All>::measure...;
};

}  // namespace mpcflow
