#include "physics/observables/diffusion.hpp"

#include <utility>

namespace mpcflow {

DiffusionObservable::DiffusionObservable(const System& system, const DiffusionOutput& output,
                                         std::int64_t equilibration)
    : Observable("diffusion", {equilibration, output.every}) {
    const bool has_species = system.masses() == Masses::by_species;
    for (int s = 0; s < system.species_count(); ++s) {
        all_.push_back({Tracers(system, s, output.tracers, output.every),
                        has_species ? system.species[s].name + "/" : "",
                        has_species ? std::string("_").append(std::to_string(s)) : ""});
    }
}

std::int64_t DiffusionObservable::bytes(std::int64_t last_step) const {
    std::int64_t sum = 0;
    for (const OfSpecies& one : all_) sum += one.tracers.bytes(times().count(last_step));
    return sum;
}

std::int64_t DiffusionObservable::result_bytes(std::int64_t last_step) const {
    std::int64_t sum = 0;
    for (const OfSpecies& one : all_) sum += one.tracers.result_bytes(times().count(last_step));
    return sum;
}

void DiffusionObservable::measure(Solver& solver, std::int64_t) {
    for (OfSpecies& one : all_) one.tracers.measure(solver);
}

void DiffusionObservable::add_results(ObservableResults& results) const {
    results.axes = {"lag"};
    results.groups_of_axes.clear();
    for (const OfSpecies& one : all_) {
        ObservableResults found;
        one.tracers.add_results(found);
        for (NamedAttribute& attribute : found.attributes) {
            attribute.name.insert(0, one.group);
            results.attributes.push_back(std::move(attribute));
        }
        for (NamedArray& array : found.arrays) {
            array.name.insert(0, one.group);
            results.arrays.push_back(std::move(array));
        }
        results.groups_of_axes.push_back(one.group);
    }
}

std::vector<SamplingParameter> DiffusionObservable::parameters() const {
    std::vector<SamplingParameter> all{{"every", static_cast<double>(times().every)}};
    for (const OfSpecies& one : all_)
        all.push_back({"every_nth_id" + one.suffix, static_cast<double>(one.tracers.every_nth_id())});
    return all;
}

std::vector<NamedArray> DiffusionObservable::arrays() const {
    std::vector<NamedArray> all;
    for (const OfSpecies& one : all_) {
        MultipleTauState state = one.tracers.state();
        all.push_back(named_list("counters" + one.suffix, std::move(state.counters)));
        all.push_back(named_list("values" + one.suffix, std::move(state.values)));
    }
    return all;
}

void DiffusionObservable::put_back(ObservableState& state) {
    std::vector<MultipleTau> restored;
    for (const OfSpecies& one : all_) {
        restored.push_back(one.tracers.restored({state.numbers<std::int64_t>("counters" + one.suffix),
                                                 state.numbers<double>("values" + one.suffix)}));
    }
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i].tracers.go_on_with(std::move(restored[i]));
}

}  // namespace mpcflow
