#pragma once
/// output.fields: density, velocity, temperature and pressure in bins, averaged over the run and over windows
/// of time.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "physics/observables/field_statistics.hpp"
#include "physics/observables/observable.hpp"
#include "physics/observables/sheared_fields.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// output.fields in the input: averages on `bins`, sampled every `every` steps after the equilibration; with
/// a time_window also over each so many steps.
struct FieldsOutput {
    std::int64_t every = 0;
    bool density = true;
    bool velocity = true;
    bool temperature = true;
    std::array<int, 3> bins{};
    bool pressure_tensor = false;
    std::int64_t time_window = 0;  ///< 0: none

    [[nodiscard]] std::int64_t bin_count() const { return std::int64_t{bins[0]} * bins[1] * bins[2]; }
    [[nodiscard]] PressureFields pressure() const {
        return pressure_tensor ? PressureFields::sampled : PressureFields::none;
    }
};

/// A field that an input can ask for.
struct FieldQuantity {
    std::string name;
    std::vector<std::int64_t> components;  ///< of a bin; none: a number
    std::string description;
    std::string unit;
    std::vector<double> FieldAverages::*value;
    std::vector<double> FieldAverages::*error;
};

/// Those that are wanted, in the order of files; of a fluid of several species also those of each.
[[nodiscard]] std::vector<FieldQuantity> field_quantities(const FieldsOutput& wanted, int species);

/// Lengths of the axes of one: of the bins, z y x, then of its components.
[[nodiscard]] std::vector<std::int64_t> shape_of(const FieldsOutput& wanted, const FieldQuantity& quantity);

/// Edges and centres of the bins along each axis.
[[nodiscard]] std::vector<NamedArray> field_axes(const Box& box, const std::array<int, 3>& bins);

/// Samples of the fields that were taken one after the other, and the steps of the first and the last.
struct SampledBlock {
    FieldBlock sums;
    StepSpan steps;
};

/// Averages with errors by blocking, and a row of averages for each window of time. Samples are added up in
/// the solver, as their bins are many; the run takes the sums of a block from there when it is full, and what
/// becomes of blocks is work for the thread that writes.
class FieldsObservable final : public Observable {
public:
    FieldsObservable(const System& system, const FieldsOutput& output, std::int64_t equilibration);

    [[nodiscard]] Work take_work(Solver& solver) override;
    [[nodiscard]] Work take_rest(Solver& solver) override;
    [[nodiscard]] Later<ObservableState> later_state(Solver& solver) const override;
    void take_up(Solver& solver) override;

    [[nodiscard]] std::int64_t bytes(std::int64_t last_step) const override;
    [[nodiscard]] std::int64_t result_bytes(std::int64_t last_step) const override;
    [[nodiscard]] std::int64_t work_bytes() const override;

protected:
    void measure(Solver& solver, std::int64_t step) override;
    [[nodiscard]] Sampled gathered() const override;
    void add_results(ObservableResults& results) const override;
    /// None: which bins and quantities there are is as fixed as the files that have them.
    [[nodiscard]] std::vector<SamplingParameter> parameters() const override { return {}; }
    [[nodiscard]] std::vector<NamedArray> arrays() const override;
    void put_back(ObservableState& state) override;

private:
    [[nodiscard]] bool ends_window(std::int64_t step) const;
    void add(SampledBlock block, const RowTaker& take_row);
    void add_to_window(const SampledBlock& block, const RowTaker& take_row);
    void add_blocks(std::vector<NamedArray>& arrays, const std::string& name,
                    const std::vector<const FieldBlock*>& blocks, const StepSpan& steps) const;
    [[nodiscard]] std::vector<FieldBlock> take_blocks(ObservableState& state, const std::string& name,
                                                      StepSpan& steps) const;
    [[nodiscard]] SampledBlock take_block(ObservableState& state, const std::string& name) const;

    Box box_;
    std::vector<double> masses_;  ///< of a particle of each species
    FieldLayout layout_;
    FieldsOutput output_;
    FlowOfBins flow_;
    double bin_volume_;
    std::int64_t most_blocks_;

    // Of the run.
    BlockPlan plan_;
    std::int64_t open_samples_ = 0;  ///< of the block that is in the solver
    StepSpan open_steps_;
    FieldBlock restored_;  ///< what the solver is to take up

    // Of the thread that writes.
    FieldStatistics statistics_;
    StepSpan steps_;                                 ///< of the samples in it
    SampledBlock window_;                            ///< that has not ended
    mutable std::optional<FieldAverages> averages_;  ///< none: there are blocks since
};

}  // namespace mpcflow
