#include "physics/observables/fields_observable.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace mpcflow {

namespace {

/// Memory for blocks of field samples.
constexpr std::int64_t block_budget_bytes = std::int64_t{1} << 30;

constexpr std::size_t sums_in_bin = 6;
constexpr std::size_t pressure_sums_in_bin = 19;
static_assert(sizeof(FieldSums) == sums_in_bin * sizeof(double), "a bin is written as a row of doubles");
static_assert(sizeof(PressureSums) == pressure_sums_in_bin * sizeof(double), "and this one too");

double volume_of_bin(const Box& box, const std::array<int, 3>& bins) {
    double volume = 1.0;
    for (std::size_t axis = 0; axis < 3; ++axis) volume *= static_cast<double>(box.size[axis]) / bins[axis];
    return volume;
}

void require_state(bool is_possible, const char* what) {
    if (!is_possible) throw std::invalid_argument(std::string("output.fields: a state with ") + what);
}

/// A state may be forged.
void check_steps(const StepSpan& steps, std::int64_t samples, std::int64_t last_step) {
    const bool is_possible = samples == 0
                                 ? steps.first == 0 && steps.last == 0
                                 : steps.first >= 0 && steps.first <= steps.last && steps.last <= last_step &&
                                       samples - 1 <= steps.last - steps.first;
    require_state(is_possible, "steps that there cannot be");
}

/// All blocks but the last are full, and blocks of more than one sample were merged of two.
void check_lengths(const std::vector<FieldBlock>& blocks, std::int64_t full) {
    const bool is_doubled = full >= 1 && std::has_single_bit(static_cast<std::uint64_t>(full));
    require_state(is_doubled && (full == 1 || (!blocks.empty() && blocks.front().samples == full)),
                  "blocks of a length that there cannot be");
    for (const FieldBlock& block : blocks)
        require_state(block.samples == full || (&block == &blocks.back() && block.samples < full),
                      "blocks that are not full");
}

/// The sums of bins, as they are in a row of doubles.
template <class Sums>
void take_sums(std::vector<double>& row, std::vector<Sums>& bins) {
    require_state(row.size() * sizeof(double) == bins.size() * sizeof(Sums), "other bins");
    require_state(std::ranges::all_of(row, [](double sum) { return std::isfinite(sum); }),
                  "sums that are no numbers");
    std::memcpy(static_cast<void*>(bins.data()), row.data(), row.size() * sizeof(double));
    const auto is_possible = [](const Sums& sums) {
        if constexpr (std::is_same_v<Sums, PressureSums>) return sums.mass >= 0.0;
        else return sums.particles >= 0.0;
    };
    require_state(std::ranges::all_of(bins, is_possible), "bins of fewer particles than none");
    row = std::vector<double>();  // gives its memory back
}

NamedArray array_of(const FieldsOutput& wanted, const FieldQuantity& quantity, const std::string& name,
                    const std::vector<double>& numbers, const std::string& description) {
    return {name, shape_of(wanted, quantity), View<double>(numbers), quantity.unit, description};
}

}  // namespace

std::vector<FieldQuantity> field_quantities(const FieldsOutput& wanted, int species) {
    const bool has_species = species > 1;
    std::vector<FieldQuantity> all;
    if (wanted.density) {
        all.push_back({"density",
                       {},
                       "mean number of particles a volume; axes z y x",
                       "a^-3",
                       &FieldAverages::density,
                       &FieldAverages::density_error});
    }
    if (wanted.velocity) {
        all.push_back({"velocity",
                       {3},
                       has_species ? "momentum over mass of the particles; axes z y x, components x y z"
                                   : "mean velocity of the particles; axes z y x, components x y z",
                       "(energy/mass)^(1/2)",
                       &FieldAverages::velocity,
                       &FieldAverages::velocity_error});
    }
    if (wanted.temperature) {
        all.push_back({"temperature",
                       {},
                       "kT of the motion relative to the bin's mean velocity; axes z y x",
                       "energy",
                       &FieldAverages::temperature,
                       &FieldAverages::temperature_error});
    }
    if (wanted.pressure_tensor) {
        all.push_back(
            {"pressure_tensor",
             {3, 3},
             "flux of momentum along a in direction b, relative to the bin's mean velocity; axes z y x, a, b",
             "energy/a^3",
             &FieldAverages::pressure_tensor,
             &FieldAverages::pressure_tensor_error});
    }
    if (has_species && wanted.density) {
        all.push_back({"species_density",
                       {species},
                       "density of each species; axes z y x, species",
                       "a^-3",
                       &FieldAverages::species_density,
                       &FieldAverages::species_density_error});
    }
    if (has_species && wanted.velocity) {
        all.push_back({"species_velocity",
                       {species, 3},
                       "mean velocity of each species; axes z y x, species, components x y z",
                       "(energy/mass)^(1/2)",
                       &FieldAverages::species_velocity,
                       &FieldAverages::species_velocity_error});
    }
    if (has_species && wanted.temperature) {
        all.push_back({"species_temperature",
                       {species},
                       "kT of each species, relative to its own mean velocity; axes z y x, species",
                       "energy",
                       &FieldAverages::species_temperature,
                       &FieldAverages::species_temperature_error});
    }
    return all;
}

std::vector<std::int64_t> shape_of(const FieldsOutput& wanted, const FieldQuantity& quantity) {
    std::vector<std::int64_t> shape(wanted.bins.rbegin(), wanted.bins.rend());
    shape.insert(shape.end(), quantity.components.begin(), quantity.components.end());
    return shape;
}

std::vector<NamedArray> field_axes(const Box& box, const std::array<int, 3>& bins) {
    constexpr std::array<const char*, 3> names{"x", "y", "z"};
    std::vector<NamedArray> all;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto count = static_cast<std::size_t>(bins[axis]);
        const auto place = [&](double index) { return box.size[axis] * index / bins[axis]; };
        std::vector<double> edges(count + 1);
        std::vector<double> centres(count);
        for (std::size_t i = 0; i <= count; ++i) edges[i] = place(static_cast<double>(i));
        for (std::size_t i = 0; i < count; ++i) centres[i] = place(static_cast<double>(i) + 0.5);
        const std::string name = names[axis];
        all.push_back(named_list(name + "_edges", std::move(edges), "a", "edges of the bins along " + name));
        all.push_back(
            named_list(name + "_centres", std::move(centres), "a", "centres of the bins along " + name));
    }
    return all;
}

FieldsObservable::FieldsObservable(const System& system, const FieldsOutput& output,
                                   std::int64_t equilibration)
    : Observable("fields", {equilibration, output.every}, Gathers::later),
      box_(system.box),
      layout_{output.bin_count(), output.pressure(), system.species_count()},
      output_(output),
      flow_(system, output.bins),
      bin_volume_(volume_of_bin(system.box, output.bins)),
      most_blocks_(FieldStatistics::affordable_blocks(layout_, block_budget_bytes)),
      plan_(most_blocks_),
      statistics_(layout_, most_blocks_) {
    for (int s = 0; s < layout_.species; ++s) masses_.push_back(system.mass_of(s));
}

void FieldsObservable::measure(Solver& solver, std::int64_t step) {
    solver.measure<FieldsRule>().sample();
    if (open_samples_ == 0) open_steps_.first = step;
    open_steps_.last = step;
    ++open_samples_;
}

bool FieldsObservable::ends_window(std::int64_t step) const {
    const std::int64_t since = step - times().start;
    return output_.time_window > 0 && since > 0 && since % output_.time_window == 0;
}

Work FieldsObservable::take_work(Solver& solver) {
    const bool is_full = open_samples_ >= plan_.room() || ends_window(open_steps_.last);
    return is_full ? take_rest(solver) : Work{};
}

Work FieldsObservable::take_rest(Solver& solver) {
    if (open_samples_ == 0) return {};
    plan_.add(open_samples_);
    open_samples_ = 0;
    const auto block =
        std::make_shared<SampledBlock>(SampledBlock{solver.measure<FieldsRule>().take(), open_steps_});
    return {[this, block](const RowTaker& take_row) { add(std::move(*block), take_row); }, work_bytes(),
            ends_window(open_steps_.last)};
}

void FieldsObservable::add(SampledBlock block, const RowTaker& take_row) {
    if (statistics_.blocks().empty()) steps_.first = block.steps.first;
    steps_.last = block.steps.last;
    if (output_.time_window > 0) add_to_window(block, take_row);
    averages_.reset();
    statistics_.add(std::move(block.sums));
}

void FieldsObservable::add_to_window(const SampledBlock& block, const RowTaker& take_row) {
    if (window_.sums.samples == 0) window_ = block;
    else merge_into(window_.sums, block.sums);
    window_.steps.last = block.steps.last;
    if (!ends_window(block.steps.last)) return;
    FieldAverages averages = averages_of(std::move(window_.sums), layout_, bin_volume_, masses_);
    flow_.add_to(averages);
    ObservableRow row{{averages.samples, window_.steps}, {}};
    for (const FieldQuantity& quantity : field_quantities(output_, layout_.species))
        row.arrays.push_back(
            array_of(output_, quantity, quantity.name, averages.*quantity.value, quantity.description));
    window_ = {};
    take_row(row);
}

Sampled FieldsObservable::gathered() const { return {statistics_.samples(), steps_}; }

void FieldsObservable::add_results(ObservableResults& results) const {
    if (!averages_) {
        averages_ = statistics_.averages(bin_volume_, masses_);
        flow_.add_to(*averages_);
    }
    results.attributes.push_back(
        {"bins", std::vector<std::int32_t>(output_.bins.begin(), output_.bins.end())});
    results.attributes.push_back({"blocks", averages_->blocks});
    results.attributes.push_back({"block_samples", averages_->block_samples});
    flow_.add_shear_rate(*averages_, results.attributes);
    results.arrays = field_axes(box_, output_.bins);
    for (const FieldQuantity& quantity : field_quantities(output_, layout_.species)) {
        const FieldAverages& averages = *averages_;
        results.arrays.push_back(
            array_of(output_, quantity, quantity.name, averages.*quantity.value, quantity.description));
        results.arrays.push_back(array_of(output_, quantity, quantity.name + "_error",
                                          averages.*quantity.error,
                                          "standard error of " + quantity.name + " by blocking"));
    }
    results.axes = {"z_centres", "y_centres", "x_centres"};
}

/// A block is a row; how many samples each has is in NAME_samples.
void FieldsObservable::add_blocks(std::vector<NamedArray>& arrays, const std::string& name,
                                  const std::vector<const FieldBlock*>& blocks, const StepSpan& steps) const {
    NamedArray::RowViews sums, pressure;
    std::vector<std::int64_t> samples;
    const auto view = [](const auto& numbers) {
        return View<double>(reinterpret_cast<const double*>(numbers.data()),
                            numbers.size() * sizeof numbers[0] / sizeof(double));
    };
    for (const FieldBlock* block : blocks) {
        if (block->samples == 0) continue;
        sums.push_back(view(block->bins));
        pressure.push_back(view(block->pressure));
        samples.push_back(block->samples);
    }
    const auto rows = static_cast<std::int64_t>(samples.size());
    arrays.push_back({name, {rows, layout_.row_count(), sums_in_bin}, std::move(sums), {}, {}});
    if (output_.pressure_tensor)
        arrays.push_back(
            {name + "_pressure", {rows, layout_.bins, pressure_sums_in_bin}, std::move(pressure), {}, {}});
    arrays.push_back(named_list(name + "_samples", std::move(samples)));
    arrays.push_back(named_list(name + "_steps", std::vector<std::int64_t>{steps.first, steps.last}));
}

std::vector<FieldBlock> FieldsObservable::take_blocks(ObservableState& state, const std::string& name,
                                                      StepSpan& steps) const {
    const auto& samples = state.numbers<std::int64_t>(name + "_samples");
    const auto& span = state.numbers<std::int64_t>(name + "_steps", 2);
    steps = {span[0], span[1]};
    std::vector<FieldBlock> blocks;
    std::int64_t all = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        require_state(samples[i] >= 1 && samples[i] <= state.samples - all,
                      "blocks of more samples than there are");
        all += samples[i];
        FieldBlock& block = blocks.emplace_back(make_field_block(layout_));
        block.samples = samples[i];
        take_sums(state.rows(name, samples.size())[i], block.bins);
        if (output_.pressure_tensor)
            take_sums(state.rows(name + "_pressure", samples.size())[i], block.pressure);
    }
    static_cast<void>(state.rows(name, samples.size()));
    if (output_.pressure_tensor) static_cast<void>(state.rows(name + "_pressure", samples.size()));
    check_steps(steps, all, state.last_step);
    return blocks;
}

SampledBlock FieldsObservable::take_block(ObservableState& state, const std::string& name) const {
    SampledBlock block;
    std::vector<FieldBlock> blocks = take_blocks(state, name, block.steps);
    require_state(blocks.size() <= 1, "more than one block where one is filled");
    if (!blocks.empty()) block.sums = std::move(blocks.front());
    return block;
}

std::vector<NamedArray> FieldsObservable::arrays() const {
    std::vector<NamedArray> all;
    all.push_back(named_list("block_samples", std::vector{statistics_.block_samples()}));
    std::vector<const FieldBlock*> blocks;
    for (const FieldBlock& block : statistics_.blocks()) blocks.push_back(&block);
    add_blocks(all, "blocks", blocks, steps_);
    add_blocks(all, "window", {&window_.sums}, window_.steps);
    return all;
}

Later<ObservableState> FieldsObservable::later_state(Solver& solver) const {
    const auto open = std::make_shared<SampledBlock>();
    if (open_samples_ > 0) {
        FieldSampler& sampler = solver.measure<FieldsRule>();
        *open = {sampler.take(), open_steps_};
        sampler.put(open->sums);
    }
    // The block is there as long as this is, which makes the state.
    return [this, open, sampled = sampled()] {
        const auto state = std::make_shared<ObservableState>(state_of(sampled));
        add_blocks(state->arrays, "open", {&open->sums}, open->steps);
        return state;
    };
}

void FieldsObservable::put_back(ObservableState& state) {
    const std::int64_t full = state.numbers<std::int64_t>("block_samples", 1)[0];
    SampledBlock open = take_block(state, "open");
    SampledBlock window = take_block(state, "window");
    StepSpan steps;
    std::vector<FieldBlock> blocks = take_blocks(state, "blocks", steps);
    check_lengths(blocks, full);
    std::int64_t samples = open.sums.samples;
    for (const FieldBlock& block : blocks) samples += block.samples;
    require_state(samples == state.samples, "another number of samples");
    statistics_.put_back(full, std::move(blocks));
    plan_ = statistics_.block_plan();
    steps_ = steps;
    window_ = std::move(window);
    averages_.reset();
    open_samples_ = open.sums.samples;
    open_steps_ = open.steps;
    restored_ = std::move(open.sums);
}

void FieldsObservable::take_up(Solver& solver) {
    if (restored_.samples > 0) solver.measure<FieldsRule>().put(restored_);
    restored_ = {};
}

std::int64_t FieldsObservable::work_bytes() const { return layout_.bytes(); }

std::int64_t FieldsObservable::bytes(std::int64_t last_step) const {
    // The block that is filled and the window besides.
    return (std::min(times().count(last_step), most_blocks_) + 2) * work_bytes();
}

std::int64_t FieldsObservable::result_bytes(std::int64_t) const {
    std::int64_t numbers = 0;
    for (const FieldQuantity& quantity : field_quantities(output_, layout_.species)) {
        std::int64_t each = 2;
        for (const std::int64_t length : shape_of(output_, quantity)) each *= length;
        numbers += each;
    }
    return 8 * numbers;
}

}  // namespace mpcflow
