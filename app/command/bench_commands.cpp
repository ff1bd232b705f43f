#include "app/command/bench_commands.hpp"

#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command/on_ranks.hpp"
#include "app/machine/device.hpp"
#include "input/names.hpp"
#include "input/text.hpp"
#include "physics/names.hpp"
#include "ranks/ranks.hpp"

namespace mpcflow {

namespace {

/// The names of an enumeration's values (physics/names.hpp), for options.
template <class E>
std::vector<std::string> option_names() {
    std::vector<std::string> names;
    for (const auto& [value, name] : names_of(E{})) names.emplace_back(name);
    return names;
}

/// The value of a name of those.
template <class E>
E value_of(const std::string& wanted) {
    for (const auto& [value, name] : names_of(E{}))
        if (name == wanted) return value;
    throw std::logic_error("nothing is called " + wanted);
}

}  // namespace

void BenchCommands::add_to(CLI::App& app) {
    CLI::App* bench = app.add_subcommand("bench", "Measure this machine");
    bench->require_subcommand(1);
    add_step(*bench);
    add_kernels(*bench);
    add_auto(*bench);
    add_outputs(*bench);
}

void BenchCommands::add_json(CLI::App& command) { command.add_flag("--json", json_, "Print JSON"); }

void BenchCommands::add_step(CLI::App& bench) {
    CLI::App* step = bench.add_subcommand("step", "Time whole steps");
    step->add_option("--device", shorthands_.device, "auto, cpu, cuda or cuda:N")->option_text("DEVICE");
    step->add_option("--threads", step_.threads, "CPU threads")->check(CLI::Range(1, 4096))->option_text("N");
    add_step_kinds(*step);
    const std::vector<std::string> thermostats = option_names<ThermostatKind>();
    step->add_option("--thermostat", thermostat_,
                     fmt::format("Of laws that take one: {}; without, none", fmt::join(thermostats, ", ")))
        ->check(CLI::IsMember(thermostats))
        ->option_text("KIND");
    const std::vector<std::string> ways = option_names<Summation>();
    step->add_option("--summation", summation_,
                     fmt::format("How a GPU adds to cells: {}; without, auto", fmt::join(ways, ", ")))
        ->check(CLI::IsMember(ways))
        ->option_text("WAY");
    const std::vector<std::string> units = option_names<VectorUnits>();
    step->add_option(
            "--vectors", vectors_,
            fmt::format("Widest vector units a CPU may use: {}; without, all it has", fmt::join(units, ", ")))
        ->check(CLI::IsMember(units))
        ->option_text("UNITS");
    step->add_option("--reorder", step_.reorder, "Steps between re-orderings; without, the solver's choice")
        ->check(CLI::Range(1, 1000000));
    step->add_option("--cells", cells_,
                     "Cells along each edge, or along x, y and z, 2 to 4096; without, 200 on a GPU, 32 on a "
                     "CPU")
        ->expected(1, 3)
        ->check(CLI::Range(2, 4096))
        ->option_text("N | X Y Z");
    step->add_option("--density", step_.density, "Particles per cell")->check(CLI::Range(0.1, 1000.0));
    step->add_option("--steps", step_.steps,
                     "Steps of each of three timings, or some more, of whole intervals between re-orderings; "
                     "without, about a second's")
        ->check(CLI::PositiveNumber);
    add_json(*step);
    step->final_callback([this] {
        step_.device = device();
        step_.kinds = step_kinds();
        if (cells_.size() == 2)
            throw CLI::ValidationError("--cells", "give one number, or three: along x, y and z");
        if (cells_.size() == 1) step_.cells = {cells_[0], cells_[0], cells_[0]};
        if (cells_.size() == 3) step_.cells = {cells_[0], cells_[1], cells_[2]};
        if (!vectors_.empty()) step_.vectors = value_of<VectorUnits>(vectors_);
        if (!summation_.empty()) step_.summation = value_of<Summation>(summation_);
        if (!thermostat_.empty()) step_.thermostat = value_of<ThermostatKind>(thermostat_);
        step_.json = json_;
        action_ = [this] {
            const std::unique_ptr<Ranks> ranks = join_ranks();
            if (ranks == nullptr) return bench_step(step_);
            return on_all_ranks(
                *ranks, [&] { return bench_step(step_, ranks.get()); },
                [&] { follow_bench_step(step_, *ranks); });
        };
    });
}

void BenchCommands::add_kernels(CLI::App& bench) {
    CLI::App* kernels = bench.add_subcommand("kernels", "Time the algorithms of a GPU against their rivals");
    kernels->add_option("--part", parts_, "Parts to measure, for example a,c; without, all")
        ->option_text("a,b,...");
    kernels->add_option("--device", shorthands_.device, "auto, cuda or cuda:N")->option_text("DEVICE");
    kernels->add_option("--size", size_, "small: only to see that it works; without, full")
        ->check(CLI::IsMember({"small", "full"}));
    add_json(*kernels);
    kernels->final_callback([this] {
        kernels_.device = gpu();
        try {
            if (parts_) kernels_.parts = parse_bench_parts(*parts_);
        } catch (const std::invalid_argument& error) {
            throw CLI::ValidationError("--part", error.what());
        }
        kernels_.size = size_ == "small" ? BenchSize::small : BenchSize::full;
        kernels_.json = json_;
        action_ = [this] { return bench_kernels(kernels_); };
    });
}

void BenchCommands::add_auto(CLI::App& bench) {
    CLI::App* command = bench.add_subcommand("auto",
                                             "Set what a GPU's solver chooses for itself against the "
                                             "best fixed ways of summing and intervals (three "
                                             "solvers are on the card at a time)");
    command->add_option("--device", shorthands_.device, "auto, cuda or cuda:N")->option_text("DEVICE");
    add_step_kinds(*command);
    command->add_option("--density", auto_.densities, "Particles a cell; without, 3 10 30 100")
        ->check(CLI::Range(0.1, 1000.0))
        ->option_text("M ...");
    command->add_option("--particles", auto_.particles, "About so many in the box; without, 10000000")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 33))
        ->option_text("N ...");
    std::vector<std::string> ways = option_names<Summation>();
    std::erase(ways, name_of(Summation::automatic));
    command
        ->add_option(
            "--summation", summations_,
            fmt::format("Ways of summing to try, of {}; without, all but cas", fmt::join(ways, ", ")))
        ->check(CLI::IsMember(ways))
        ->option_text("WAY ...");
    command->add_option("--reorder", auto_.intervals, "Intervals to try; without, 4 8 16 32 64")
        ->check(CLI::Range(1, 1'000'000))
        ->option_text("N ...");
    add_json(*command);
    command->final_callback([this] {
        auto_.device = gpu();
        auto_.kinds = step_kinds();
        if (!summations_.empty()) auto_.ways.clear();
        for (const std::string& name : summations_) auto_.ways.push_back(value_of<Summation>(name));
        auto_.json = json_;
        action_ = [this] { return bench_auto(auto_); };
    });
}

void BenchCommands::add_outputs(CLI::App& bench) {
    CLI::App* command =
        bench.add_subcommand("outputs", "Set what the outputs of an input file cost against its steps");
    add_input_options(*command, input_);
    add_shorthands(*command, shorthands_);
    add_json(*command);
    command->final_callback([this] {
        shorthands_.append_to(input_.overrides);
        action_ = [this] { return bench_outputs({input_.file, input_.overrides, json_}); };
    });
}

void BenchCommands::add_step_kinds(CLI::App& command) {
    std::vector<std::string> names;
    for (const LawInfo& law : all_laws) names.emplace_back(law.name);
    command.add_option("--law", law_, fmt::format("{}; without, all", fmt::join(names, ", ")))
        ->check(CLI::IsMember(names));
    command.add_option("--precision", precision_, "double or mixed; without, both")
        ->check(CLI::IsMember({"double", "mixed"}));
}

StepKindFilter BenchCommands::step_kinds() const {
    StepKindFilter kinds;
    if (!law_.empty()) kinds.law = law_;
    if (!precision_.empty())
        kinds.precision = precision_ == "mixed" ? Precision::mixed : Precision::double_precision;
    return kinds;
}

DeviceChoice BenchCommands::device() const {
    if (!shorthands_.device) return {};
    const std::optional<DeviceChoice> device = parse_device(*shorthands_.device);
    if (!device)
        throw CLI::ValidationError("--device",
                                   fmt::format("'{}' is not a device: use auto, cpu, cuda or cuda:N",
                                               input::printable(*shorthands_.device)));
    return *device;
}

DeviceChoice BenchCommands::gpu() const {
    const DeviceChoice choice = device();
    if (choice.kind == DeviceKind::cpu)
        throw CLI::ValidationError("--device", "this runs on CUDA devices alone: use auto, cuda or cuda:N");
    return choice;
}

}  // namespace mpcflow
