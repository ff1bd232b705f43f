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
    std::int64_t numbers = 1;
    for (const std::int64_t length : shape) numbers *= length;
    return numbers;
}

std::int64_t bytes_of(const std::vector<NamedArray>& arrays) {
    std::int64_t numbers = 0;
    for (const NamedArray& array : arrays) numbers += array.size();
    return 8 * numbers;
}

std::size_t ObservableState::place_of(const std::string& array) const {
    const auto found =
        std::find_if(arrays.begin(), arrays.end(), [&](const NamedArray& a) { return a.name == array; });
    if (found == arrays.end()) reject(array, "is missing");
    return static_cast<std::size_t>(found - arrays.begin());
}

NamedArray::Rows& ObservableState::rows(const std::string& array, std::size_t count) {
    auto* large = std::get_if<NamedArray::Large>(&arrays[place_of(array)].values);
    auto* found = large == nullptr ? nullptr : std::get_if<NamedArray::Rows>(large);
    if (found == nullptr || found->size() != count) reject(array, "has other rows");
    return *found;
}

void ObservableState::reject(const std::string& array, const char* why) const {
    throw std::invalid_argument("output." + name + ": the array " + array + " of its state " + why);
}

void Observable::sample(Solver& solver, std::int64_t step) {
    measure(solver, step);
    if (sampled_.samples == 0) sampled_.steps.first = step;
    sampled_.steps.last = step;
    ++sampled_.samples;
}

ObservableResults Observable::results() const {
    const Sampled sampled = gathered();
    ObservableResults results{name_,
                              {{"every", times_.every},
                               {"samples", sampled.samples},
                               {"first_step", sampled.steps.first},
                               {"last_step", sampled.steps.last}},
                              {}};
    add_results(results);
    return results;
}

ObservableState Observable::state_of(const Sampled& sampled) const {
    return {name_, sampled.samples, sampled.steps.first, sampled.steps.last, parameters(), arrays()};
}

Later<ObservableResults> Observable::later_results() const {
    if (gathers_ == Gathers::later)
        return [this] { return std::make_shared<const ObservableResults>(results()); };
    return [made = std::make_shared<const ObservableResults>(results())] { return made; };
}

Later<ObservableState> Observable::later_state(Solver&) const {
    if (gathers_ == Gathers::later)
        return
            [this, sampled = sampled_] { return std::make_shared<const ObservableState>(state_of(sampled)); };
    return [made = std::make_shared<const ObservableState>(state())] { return made; };
}

std::string Observable::restore(ObservableState state) {
    if (std::string differences = describe_differences(state.parameters, parameters()); !differences.empty())
        return differences;
    const Sampled sampled{state.samples, {state.first_step, state.last_step}};
    const bool is_possible = state.samples == 0 || (state.samples > 0 && state.first_step >= 0 &&
                                                    state.first_step <= state.last_step &&
                                                    state.samples - 1 <= state.last_step - state.first_step);
    if (!is_possible)
        throw std::invalid_argument("output." + name_ +
                                    ": its state has samples or steps that there cannot be");
    put_back(state);
    sampled_ = sampled;
    return {};
}

std::int64_t Observable::bytes(std::int64_t) const {
    return std::max(bytes_of(results().arrays), bytes_of(arrays()));
}

}  // namespace mpcflow
