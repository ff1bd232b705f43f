#pragma once
/// What is measured as a run goes on: sampled at certain steps, gathered on the host, kept in checkpoints,
/// and written to run.h5. README.md in this folder says how to add one.

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "physics/observables/sample_times.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

/// Numbers with a shape (C order, at least one axis, of any length).
struct NamedArray {
    using Values = std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>>;

    std::string name;  ///< "group/dataset" in a group of its own
    std::vector<std::int64_t> shape;
    Values values;
    std::string unit;
    std::string description;

    [[nodiscard]] std::int64_t size() const;
};

/// A list of numbers, of the shape [n].
template <class Number>
[[nodiscard]] NamedArray named_list(std::string name, std::vector<Number> numbers, std::string unit = {},
                                    std::string description = {}) {
    const auto length = static_cast<std::int64_t>(numbers.size());
    return {std::move(name), {length}, std::move(numbers), std::move(unit), std::move(description)};
}

struct NamedAttribute {
    using Value =
        std::variant<std::int64_t, double, std::vector<double>, std::string, std::vector<std::string>>;

    std::string name;  ///< "group/attribute" of one of the groups in which arrays are
    Value value;
};

/// What run.h5 holds of an observable.
struct ObservableResults {
    std::string name;
    std::vector<NamedAttribute> attributes;  ///< every, samples, first_step, last_step and its own
    std::vector<NamedArray> arrays;
};

/// What must be the same for samples to be added to earlier ones.
struct SamplingParameter {
    std::string name;
    double value = 0.0;

    bool operator==(const SamplingParameter&) const = default;
};

/// What a checkpoint holds of an observable.
struct ObservableState {
    std::string name;
    std::int64_t samples = 0;
    std::int64_t first_step = 0;  ///< 0, as last_step, as long as there is no sample
    std::int64_t last_step = 0;
    std::vector<SamplingParameter> parameters;
    std::vector<NamedArray> arrays;  ///< names without groups

    /// The numbers of an array. Throws std::invalid_argument if there is none of that name, type and number.
    template <class Number>
    [[nodiscard]] const std::vector<Number>& numbers(const std::string& array, std::size_t count) const {
        const std::vector<Number>& found = numbers<Number>(array);
        if (found.size() != count) reject(array, "has another length");
        return found;
    }
    /// The same of any number.
    template <class Number>
    [[nodiscard]] const std::vector<Number>& numbers(const std::string& array) const {
        const auto* found = std::get_if<std::vector<Number>>(&find(array).values);
        if (found == nullptr) reject(array, "has numbers of another type");
        return *found;
    }

private:
    [[nodiscard]] const NamedArray& find(const std::string& array) const;
    [[noreturn]] void reject(const std::string& array, const char* why) const;
};

/// An observable. The device or the host's threads reduce the particles to a few exact numbers, by a rule of
/// the list that Solver measures (rules.hpp); what becomes of these numbers is plain C++ here, and so the
/// same bits for all solvers.
class Observable {
public:
    virtual ~Observable() = default;
    Observable(const Observable&) = delete;
    Observable& operator=(const Observable&) = delete;

    /// The key of its section under `output` in the input, and its group in run.h5 and in checkpoints.
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const SampleTimes& times() const { return times_; }
    [[nodiscard]] std::int64_t samples() const { return samples_; }

    /// Takes the sample of the solver's present step, which is `step`.
    void sample(Solver& solver, std::int64_t step);

    /// The averages so far, with their errors; shapes and theory also where there is no sample yet.
    [[nodiscard]] ObservableResults results() const;

    /// All that it needs to go on bit for bit.
    [[nodiscard]] ObservableState state() const;
    /// Goes on from state() of one with the same parameters. Where these differ nothing is changed, and the
    /// differences are returned ("speed_bins was 20, is 40"); else an empty text. Throws
    /// std::invalid_argument where the arrays are not those of an observable with these parameters.
    [[nodiscard]] std::string restore(const ObservableState& state);

    /// Bytes that its numbers will take after step `last_step`, about, in memory and in a checkpoint. As many
    /// as now unless it is overridden: right where no array grows.
    [[nodiscard]] virtual std::int64_t bytes(std::int64_t last_step) const;
    /// The same of its results in run.h5; bytes() unless it is overridden.
    [[nodiscard]] virtual std::int64_t result_bytes(std::int64_t last_step) const { return bytes(last_step); }

protected:
    Observable(std::string name, SampleTimes times) : name_(std::move(name)), times_(times) {}

    virtual void measure(Solver& solver, std::int64_t step) = 0;
    /// Adds its own attributes and arrays.
    virtual void add_results(ObservableResults& results) const = 0;
    /// `every` among them if samples at other distances must not be mixed.
    [[nodiscard]] virtual std::vector<SamplingParameter> parameters() const = 0;
    [[nodiscard]] virtual std::vector<NamedArray> arrays() const = 0;
    /// Takes what arrays() gave; throws std::invalid_argument, before anything is changed, if it cannot be
    /// that.
    virtual void put_back(const ObservableState& state) = 0;

private:
    std::string name_;
    SampleTimes times_;
    std::int64_t samples_ = 0;
    std::int64_t first_step_ = 0;
    std::int64_t last_step_ = 0;
};

/// Bytes of the numbers of arrays.
[[nodiscard]] std::int64_t bytes_of(const std::vector<NamedArray>& arrays);

}  // namespace mpcflow
