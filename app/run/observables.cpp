#include "app/run/observables.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "physics/observables/diffusion.hpp"
#include "physics/observables/fields_observable.hpp"
#include "physics/observables/histograms.hpp"
#include "physics/observables/modes.hpp"
#include "physics/observables/radial_distribution.hpp"
#include "physics/observables/series.hpp"
#include "physics/observables/stress.hpp"
#include "physics/observables/structure_factor.hpp"
#include "physics/observables/walls.hpp"

namespace mpcflow {

Observables make_observables(const Scenario& scenario) {
    const System& system = scenario.system;
    const Output& output = scenario.output;
    const std::int64_t equilibration = scenario.run.equilibration;
    Observables all;
    if (output.series) all.push_back(std::make_unique<SeriesObservable>(system, *output.series));
    if (output.fields)
        all.push_back(std::make_unique<FieldsObservable>(system, *output.fields, equilibration));
    if (output.histograms)
        all.push_back(
            std::make_unique<HistogramsObservable>(system.fluid, *output.histograms, equilibration));
    if (output.diffusion)
        all.push_back(std::make_unique<DiffusionObservable>(system, *output.diffusion, equilibration));
    if (output.radial_distribution) {
        all.push_back(std::make_unique<RadialDistributionObservable>(system, *output.radial_distribution,
                                                                     equilibration));
    }
    if (output.modes) all.push_back(std::make_unique<ModesObservable>(system, *output.modes, equilibration));
    if (output.structure_factor) {
        all.push_back(
            std::make_unique<StructureFactorObservable>(system, *output.structure_factor, equilibration));
    }
    if (output.stress)
        all.push_back(std::make_unique<StressObservable>(system, *output.stress, equilibration));
    if (output.walls) all.push_back(std::make_unique<WallsObservable>(system, *output.walls, equilibration));
    return all;
}

void restore_observables(Observables& observables, std::vector<ObservableState>& states, std::int64_t step,
                         std::vector<std::string>& remarks) {
    for (const std::unique_ptr<Observable>& observable : observables) {
        const std::string& name = observable->name();
        const auto state = std::find_if(states.begin(), states.end(),
                                        [&](const ObservableState& s) { return s.name == name; });
        if (state == states.end()) {
            // The sample of this step is still to come.
            if (observable->times().count(step - 1) > 0)
                remarks.push_back(
                    fmt::format("step {}: output.{} begins here; the run had none before", step, name));
            continue;
        }
        const std::int64_t samples = state->samples;
        const std::string differences = observable->restore(std::move(*state));
        states.erase(state);
        if (!differences.empty() && samples > 0) {
            remarks.push_back(
                fmt::format("step {}: output.{} begins anew, and its {} samples of before are dropped: {}",
                            step, name, samples, differences));
        }
    }
    for (const ObservableState& state : states) {
        if (state.samples == 0) continue;
        remarks.push_back(
            fmt::format("step {}: output.{} is not asked for any more, and its {} samples are dropped", step,
                        state.name, state.samples));
    }
}

std::string in_words(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
}

}  // namespace mpcflow
