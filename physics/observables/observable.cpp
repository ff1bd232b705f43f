#include "physics/observables/observable.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace mpcflow {

namespace {

std::string shown(const std::vector<SamplingParameter>& parameters, const std::string& name) {
    for (const SamplingParameter& parameter : parameters) {
        if (parameter.name != name) continue;
        char text[32];
        std::snprintf(text, sizeof text, "%.15g", parameter.value);
        return text;
    }
    return "not known";
}

std::string describe_differences(const std::vector<SamplingParameter>& before,
                                 const std::vector<SamplingParameter>& now) {
    std::string text;
    const auto compare = [&](const SamplingParameter& parameter) {
        const std::string was = shown(before, parameter.name);
        const std::string is = shown(now, parameter.name);
        text += (text.empty() ? "" : ", ") + parameter.name + " was " + was + ", is " + is;
    };
    for (const SamplingParameter& parameter : now)
        if (std::find(before.begin(), before.end(), parameter) == before.end()) compare(parameter);
    for (const SamplingParameter& parameter : before)
        if (shown(now, parameter.name) == "not known") compare(parameter);
    return text;
}

}  // namespace

std::int64_t NamedArray::size() const {
    return std::visit([](const auto& numbers) { return static_cast<std::int64_t>(numbers.size()); }, values);
}

std::int64_t bytes_of(const std::vector<NamedArray>& arrays) {
    std::int64_t numbers = 0;
    for (const NamedArray& array : arrays) numbers += array.size();
    return 8 * numbers;
}

const NamedArray& ObservableState::find(const std::string& array) const {
    const auto found =
        std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& a) { return a.name == array; });
    if (found == arrays.end()) reject(array, "is missing");
    return *found;
}

void ObservableState::reject(const std::string& array, const char* why) const {
    throw std::invalid_argument("output." + name + ": the array " + array + " of its state " + why);
}

void Observable::sample(Solver& solver, std::int64_t step) {
    measure(solver, step);
    if (samples_ == 0) first_step_ = step;
    last_step_ = step;
    ++samples_;
}

ObservableResults Observable::results() const {
    ObservableResults results{name_,
                              {{"every", times_.every},
                               {"samples", samples_},
                               {"first_step", first_step_},
                               {"last_step", last_step_}},
                              {}};
    add_results(results);
    return results;
}

ObservableState Observable::state() const {
    ObservableState state;
    state.name = name_;
    state.samples = samples_;
    state.first_step = first_step_;
    state.last_step = last_step_;
    state.parameters = parameters();
    state.arrays = arrays();
    return state;
}

std::string Observable::restore(const ObservableState& state) {
    if (std::string differences = describe_differences(state.parameters, parameters()); !differences.empty())
        return differences;
    const bool has_sane_steps =
        state.samples == 0 || (state.first_step >= 0 && state.first_step <= state.last_step &&
                               state.samples - 1 <= state.last_step - state.first_step);
    if (state.samples < 0 || !has_sane_steps)
        throw std::invalid_argument("output." + name_ +
                                    ": its state has samples or steps that there cannot be");
    put_back(state);
    samples_ = state.samples;
    first_step_ = state.first_step;
    last_step_ = state.last_step;
    return {};
}

std::int64_t Observable::bytes(std::int64_t) const {
    return std::max(bytes_of(results().arrays), bytes_of(arrays()));
}

}  // namespace mpcflow
