#pragma once
/// What is measured as a run goes on: sampled at certain steps, gathered on the host, kept in checkpoints,
/// and written to run.h5. README.md in this folder says how to add one.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "physics/observables/sample_times.hpp"
#include "physics/solver.hpp"

namespace mpcflow {

/// Numbers that an observable holds: good until its next work.
template <class Number>
struct View : std::span<const Number> {
    using std::span<const Number>::span;

    bool operator==(const View& other) const { return std::ranges::equal(*this, other); }
};

/// Numbers with a shape (C order, at least one axis, of any length). What is large is not copied to be
/// written; with three axes it is read as rows that own their numbers.
struct NamedArray {
    using RowViews = std::vector<View<double>>;
    using Rows = std::vector<std::vector<double>>;
    using Large = std::variant<View<double>, View<std::int64_t>, RowViews, Rows>;
    /// With five alternatives or more libstdc++ 12 destroys what was not made where a copy has no memory.
    using Values =
        std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::uint64_t>, Large>;

    std::string name;  ///< "group/dataset" in a group of its own
    std::vector<std::int64_t> shape;
    Values values;
    std::string unit;
    std::string description;

    [[nodiscard]] std::int64_t size() const;
    /// Its values as one of Large, which they must be.
    template <class Values>
    [[nodiscard]] const Values& large() const {
        return std::get<Values>(std::get<Large>(values));
    }
};

/// A list of numbers, of the shape [n].
template <class Number>
[[nodiscard]] NamedArray named_list(std::string name, std::vector<Number> numbers, std::string unit = {},
                                    std::string description = {}) {
    const auto length = static_cast<std::int64_t>(numbers.size());
    return {std::move(name), {length}, std::move(numbers), std::move(unit), std::move(description)};
}

struct NamedAttribute {
    using Value = std::variant<std::int64_t, double, std::vector<double>, std::vector<std::int32_t>,
                               std::string, std::vector<std::string>>;

    std::string name;  ///< "group/attribute" of one of the groups in which arrays are
    Value value;
};

/// What run.h5 holds of an observable.
struct ObservableResults {
    std::string name;
    std::vector<NamedAttribute> attributes;  ///< every, samples, first_step, last_step and its own
    std::vector<NamedArray> arrays;
    /// Lists of these that say where along their first axes the others stand; none: axes have no names.
    std::vector<std::string> axes{};
    /// Where these lists and the others are: the observable's own group, or "GROUP/" of those in it.
    std::vector<std::string> groups_of_axes{""};
};

/// The steps of the first and the last of some samples; 0 where there is none.
struct StepSpan {
    std::int64_t first = 0;
    std::int64_t last = 0;
};

/// How many samples there are, and of which steps.
struct Sampled {
    std::int64_t samples = 0;
    StepSpan steps;
};

/// What an observable has for a file of its own, to which row after row is added.
struct ObservableRow {
    Sampled sampled;
    std::vector<NamedArray> arrays;
};
using RowTaker = std::function<void(const ObservableRow&)>;

/// What of a sample the run does not wait for: the thread that writes does it, in the order in which it was
/// handed over.
struct Work {
    std::function<void(const RowTaker&)> task{};  ///< none: there is nothing to do
    std::int64_t bytes = 0;                       ///< of memory that it holds until it is done
    bool has_row = false;                         ///< whether it gives the taker one
};

/// Makes something of what an observable had when this was asked for. To be called by the thread that writes,
/// after the work that was handed over before and before that of later. Shared, as it may be made already.
template <class Made>
using Later = std::function<std::shared_ptr<const Made>()>;

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
        const auto* found = std::get_if<std::vector<Number>>(&arrays[place_of(array)].values);
        if (found == nullptr) reject(array, "has numbers of another type");
        return *found;
    }
    /// `count` rows as they were read, to be taken out. Throws as numbers() does.
    [[nodiscard]] NamedArray::Rows& rows(const std::string& array, std::size_t count);

private:
    [[nodiscard]] std::size_t place_of(const std::string& array) const;
    [[noreturn]] void reject(const std::string& array, const char* why) const;
};

/// Where samples are gathered.
enum class Gathers {
    at_once,  ///< in measure(), by the run
    later     ///< in the work of take_work(), by the thread that writes: what is too much for the run to copy
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
    [[nodiscard]] std::int64_t samples() const { return sampled_.samples; }

    /// Takes the sample of the solver's present step, which is `step`.
    void sample(Solver& solver, std::int64_t step);
    /// What is due of the samples so far where they are gathered later; called after each.
    [[nodiscard]] virtual Work take_work(Solver&) { return {}; }
    /// All that is left of them, at the end of the run.
    [[nodiscard]] virtual Work take_rest(Solver&) { return {}; }

    /// The averages so far, with their errors; shapes and theory also where there is no sample yet.
    [[nodiscard]] ObservableResults results() const;
    /// All that it needs to go on bit for bit, but for what is in the solver.
    [[nodiscard]] ObservableState state() const { return state_of(sampled_); }
    /// The same of now, for the thread that writes.
    [[nodiscard]] Later<ObservableResults> later_results() const;
    /// With what is in the solver, which keeps it.
    [[nodiscard]] virtual Later<ObservableState> later_state(Solver&) const;

    /// Goes on from a state of one with the same parameters. Where these differ nothing is changed, and the
    /// differences are returned ("speed_bins was 20, is 40"); else an empty text. Throws
    /// std::invalid_argument where the arrays are not those of an observable with these parameters.
    [[nodiscard]] std::string restore(ObservableState state);
    /// Gives the solver, which was restored too, what the state held of it.
    virtual void take_up(Solver&) {}

    /// Bytes that its numbers will take after step `last_step`, about, in memory and in a checkpoint. As many
    /// as now unless it is overridden: right where no array grows.
    [[nodiscard]] virtual std::int64_t bytes(std::int64_t last_step) const;
    /// The same of its results in run.h5; bytes() unless it is overridden.
    [[nodiscard]] virtual std::int64_t result_bytes(std::int64_t last_step) const { return bytes(last_step); }
    /// Most bytes that a Work of it holds; 0 where they are not worth counting.
    [[nodiscard]] virtual std::int64_t work_bytes() const { return 0; }

protected:
    Observable(std::string name, SampleTimes times, Gathers gathers = Gathers::at_once)
        : name_(std::move(name)), times_(times), gathers_(gathers) {}

    virtual void measure(Solver& solver, std::int64_t step) = 0;
    /// What the results are of. To be overridden where samples are gathered later, as all below is then
    /// called by the thread that writes.
    [[nodiscard]] virtual Sampled gathered() const { return sampled_; }
    /// Adds its own attributes and arrays.
    virtual void add_results(ObservableResults& results) const = 0;
    /// `every` among them if samples at other distances must not be mixed.
    [[nodiscard]] virtual std::vector<SamplingParameter> parameters() const = 0;
    [[nodiscard]] virtual std::vector<NamedArray> arrays() const = 0;
    /// Takes what arrays() gave, out of the state where it is large; throws std::invalid_argument, before
    /// anything is changed, if it cannot be that.
    virtual void put_back(ObservableState& state) = 0;

    /// The samples that were taken.
    [[nodiscard]] const Sampled& sampled() const { return sampled_; }
    [[nodiscard]] ObservableState state_of(const Sampled& sampled) const;

private:
    std::string name_;
    SampleTimes times_;
    Gathers gathers_;
    Sampled sampled_;
};

/// Bytes of the numbers of arrays.
[[nodiscard]] std::int64_t bytes_of(const std::vector<NamedArray>& arrays);

}  // namespace mpcflow
