#pragma once
/// All that a solver measures, as bits.

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/observables/pair_centres.hpp"
#include "physics/particle_records.hpp"
#include "physics/selection.hpp"
#include "physics/solver.hpp"
#include "tests/solver/same_bits.hpp"

namespace mpcflow::test {

/// Bins for the fields, with the pressure, of the box of golden cases, 13 x 12 x 11.
inline SolverOptions options_with_fields(Precision precision) {
    SolverOptions options;
    options.precision = precision;
    options.bins = {1, 3, 11};
    options.pressure = PressureFields::sampled;
    return options;
}

/// Every rule of the list, of the present state; all domains of a solver call it alike. Pairs are of
/// `centres`, which domains have of elsewhere.
inline std::vector<std::uint64_t> measured(Solver& solver, const ParticleRecords& centres) {
    const System& system = solver.system();
    std::vector<std::uint64_t> all{solver.state_hash(), static_cast<std::uint64_t>(solver.current_step()),
                                   static_cast<std::uint64_t>(solver.fast_steps())};
    const auto add_numbers = [&](const std::vector<double>& numbers) {
        for (const std::uint64_t bits : bits_of(numbers)) all.push_back(bits);
    };
    const auto add_counts = [&](const std::vector<std::uint64_t>& counts) {
        all.insert(all.end(), counts.begin(), counts.end());
    };
    const Histograms histograms(40, 30, 4.0);
    add_numbers(numbers_of(solver.measure<TotalsRule>()));
    add_numbers(numbers_of(solver.measure<ExtremesRule>()));
    add_numbers(numbers_of(solver.measure<FluxRule>()));
    add_counts(solver.measure<SpeedBins>(histograms));
    add_counts(solver.measure<OccupancyBins>(histograms));
    const WaveNumbers waves = waves_of(system, 5);
    add_numbers(solver.measure<VelocityModes>(waves));
    add_numbers(solver.measure<DensityModes>(waves));
    const PairRule pairs(system, {2.5, 10});
    const ShearedFaces<double> faces(system, 2 * static_cast<std::uint64_t>(solver.current_step()));
    add_counts(solver.measure(PairCentres(pairs, choose_centres(pairs, centres, faces).centres)));
    FieldSampler& fields = solver.measure<FieldsRule>();
    fields.sample();
    fields.sample();
    const FieldBlock block = fields.take();
    fields.put(block);
    fields.sample();
    add_numbers(numbers_of(block));
    add_numbers(numbers_of(fields.take()));
    return all;
}

/// Every 7th particle.
inline ParticleRecords some_of(Solver& solver) {
    ParticleRecords records;
    solver.copy_selection({std::nullopt, 7}, records);
    return records;
}

inline bool have_same_bits(const ParticleSnapshot& a, const ParticleSnapshot& b) {
    return a.step == b.step && a.id == b.id && bits_of(a.position) == bits_of(b.position) &&
           bits_of(a.velocity) == bits_of(b.velocity) && a.image == b.image;
}

}  // namespace mpcflow::test
