#include "app/command/command_line.hpp"

#include <functional>
#include <new>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include "app/bench/bench_auto.hpp"
#include "app/bench/bench_kernels.hpp"
#include "app/bench/bench_outputs.hpp"
#include "app/bench/bench_step.hpp"
#include "app/command/commands.hpp"
#include "app/command/exit_status.hpp"
#include "app/command/report.hpp"
#include "app/command/unknown_word.hpp"
#include "app/machine/device.hpp"
#include "app/machine/machine_info.hpp"
#include "app/machine/memory_limits.hpp"
#include "input/names.hpp"
#include "input/text.hpp"
#include "physics/names.hpp"

namespace mpcflow {

namespace {

constexpr const char* footer =
    "mpcflow help COMMAND tells of one command.\n\n"
    "Exit status: 0 done; 2 bad input or arguments; 3 the environment (no such device, disk full,\n"
    "results that exist already); 85 stopped by a signal after writing a checkpoint: run again to go on;\n"
    "1 a fault of the program.";

/// Options that stand for a --set.
struct Shorthands {
    std::optional<std::string> device, threads, output;  ///< given and empty is an error of the input

    void append_to(std::vector<std::string>& overrides) const {
        if (device) overrides.push_back("execution.device=" + *device);
        if (threads) overrides.push_back("execution.threads=" + *threads);
        if (output)
            // Quoted, since a folder may be called 1 or null.
            overrides.push_back("output.directory=" + input::in_quotes(*output));
    }
};

void add_input_options(CLI::App& command, InputOptions& input) {
    command.add_option("file", input.file, "The input file (YAML)")->required()->option_text("FILE.yaml");
    command.add_option("--set", input.overrides, "Change a key of the input, for example collision.angle=90")
        ->option_text("path=value ...")
        ->allow_extra_args(false);
}

void add_shorthands(CLI::App& command, Shorthands& shorthands) {
    command
        .add_option("--device", shorthands.device,
                    "What runs it: auto, cpu, cuda or cuda:N (execution.device)")
        ->option_text("DEVICE");
    command.add_option("--threads", shorthands.threads, "CPU threads (execution.threads)")->option_text("N");
    command.add_option("--output", shorthands.output, "Where results go (output.directory)")
        ->option_text("DIR");
}

/// The names of the ways of summing, for options.
std::vector<std::string> summation_names(bool with_auto) {
    std::vector<std::string> names;
    for (const auto& [value, name] : names_of(Summation{}))
        if (with_auto || value != Summation::automatic) names.emplace_back(name);
    return names;
}

/// The way of summing of a name from summation_names.
Summation summation_of(const std::string& wanted) {
    for (const auto& [value, name] : names_of(Summation{}))
        if (name == wanted) return value;
    throw std::logic_error("no way of summing is called " + wanted);
}

/// All subcommands with their options; `action` becomes the one that was named.
class CommandLine {
public:
    CommandLine() {
        app_.set_version_flag("--version",
                              fmt::format("mpcflow {} (commit {})", program_version(), program_commit()));
        app_.require_subcommand(1);
        app_.footer(footer);
        add_run();
        add_check();
        add_others();
        CLI::App* bench = app_.add_subcommand("bench", "Measure this machine");
        bench->require_subcommand(1);
        add_bench_step(*bench);
        add_bench_kernels(*bench);
        add_bench_auto(*bench);
        add_bench_outputs(*bench);
    }

    int run(std::vector<std::string> arguments) {
        if (!arguments.empty() && arguments[0] == "help") {
            arguments.erase(arguments.begin());
            arguments.emplace_back("--help");
        }
        try {
            app_.parse(
                std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // as CLI11 wants them
        } catch (const CLI::ParseError& error) {
            if (const std::string unknown = find_unknown_word(app_, arguments); !unknown.empty()) {
                print_error("", unknown);
                return static_cast<int>(ExitStatus::bad_input);
            }
            return app_.exit(error) == 0 ? static_cast<int>(ExitStatus::done)
                                         : static_cast<int>(ExitStatus::bad_input);
        }
        return run_guarded(action_);
    }

private:
    void add_run() {
        CLI::App* command = app_.add_subcommand("run", "Run an input file");
        add_input_options(*command, run_.input);
        add_shorthands(*command, shorthands_);
        command->add_flag("--overwrite", overwrite_, "Replace results that are there already");
        command
            ->add_option("--restart", restart_,
                         "auto: go on from the newest good checkpoint of the output directory, if there is "
                         "one; never; or "
                         "the checkpoint to go on from. Without: auto")
            ->option_text("auto|never|FILE");
        command->add_flag("--quiet", quiet_, "Print nothing but errors");
        command->final_callback([this] {
            shorthands_.append_to(run_.input.overrides);
            if (overwrite_) run_.existing = Existing::overwrite;
            if (restart_ == "")
                throw CLI::ValidationError("--restart",
                                           "is empty: use auto, never or the name of a checkpoint");
            if (restart_) run_.restart = parse_restart(*restart_);
            if (overwrite_ && restart_ == "auto")
                throw CLI::ValidationError("--overwrite", "starts anew, and does not go with --restart auto");
            if (quiet_) run_.verbosity = Verbosity::quiet;
            action_ = [this] { return run_command(run_); };
        });
    }

    void add_check() {
        CLI::App* command =
            app_.add_subcommand("check", "Validate an input file and print what follows from it");
        add_input_options(*command, check_.input);
        add_shorthands(*command, shorthands_);
        add_json(*command);
        command->final_callback([this] {
            shorthands_.append_to(check_.input.overrides);
            check_.format = format();
            action_ = [this] { return check_command(check_); };
        });
    }

    void add_others() {
        app_.add_subcommand("schema", "Print the input as JSON Schema, for editors")->final_callback([this] {
            action_ = schema_command;
        });
        CLI::App* info = app_.add_subcommand("info", "Print what a result file holds and how it was made");
        info->add_option("file", info_.file, "The directory of a run, or one of its HDF5 files")
            ->required()
            ->option_text("DIR|FILE.h5");
        add_json(*info);
        info->final_callback([this] {
            info_.format = format();
            action_ = [this] { return info_command(info_); };
        });
        add_verify();
        CLI::App* devices = app_.add_subcommand("devices", "Print what this machine can run on");
        add_json(*devices);
        devices->final_callback([this] { action_ = [this] { return devices_command(format()); }; });
    }

    void add_verify() {
        CLI::App* verify = app_.add_subcommand("verify",
                                               "Read every number and checksum of a run's files; tell what "
                                               "is whole and what can still be used (exit "
                                               "status 0: all is whole; 3: it is not)");
        verify->add_option("path", verify_.path, "The directory of a run, or one of its files")
            ->required()
            ->option_text("DIR|FILE");
        verify->add_flag(
            "--repair", verify_.repairs,
            "Roll damaged files back to their last whole state, and remove what killed runs left");
        add_json(*verify);
        verify->final_callback([this] {
            verify_.format = format();
            action_ = [this] { return verify_command(verify_); };
        });
    }

    void add_bench_step(CLI::App& bench) {
        CLI::App* step = bench.add_subcommand("step", "Time whole steps");
        step->add_option("--device", shorthands_.device, "auto, cpu, cuda or cuda:N")->option_text("DEVICE");
        step->add_option("--threads", bench_.threads, "CPU threads")
            ->check(CLI::Range(1, 4096))
            ->option_text("N");
        add_step_kinds(*step);
        step->add_option("--thermostat", thermostat_, "none or maxwell_boltzmann; without, none")
            ->check(CLI::IsMember({"none", "maxwell_boltzmann"}));
        const std::vector<std::string> ways = summation_names(true);
        step->add_option("--summation", summation_,
                         fmt::format("How a GPU adds to cells: {}; without, auto", fmt::join(ways, ", ")))
            ->check(CLI::IsMember(ways))
            ->option_text("WAY");
        step->add_option("--reorder", bench_.reorder,
                         "Steps between re-orderings; without, the solver's choice")
            ->check(CLI::Range(1, 1000000));
        step->add_option("--cells", bench_.cells, "Cells per edge; without, 200 on a GPU, 32 on a CPU")
            ->check(CLI::Range(2, 4096));
        step->add_option("--density", bench_.density, "Particles per cell")->check(CLI::Range(0.1, 1000.0));
        step->add_option("--steps", bench_.steps, "Steps of each of three timings; without, about a second's")
            ->check(CLI::PositiveNumber);
        add_json(*step);
        step->final_callback([this] {
            bench_.device = bench_device();
            bench_.kinds = step_kinds();
            if (!summation_.empty()) bench_.summation = summation_of(summation_);
            if (thermostat_ == "maxwell_boltzmann") bench_.thermostat = ThermostatKind::maxwell_boltzmann;
            bench_.json = json_;
            action_ = [this] { return bench_step(bench_); };
        });
    }

    void add_bench_kernels(CLI::App& bench) {
        CLI::App* kernels =
            bench.add_subcommand("kernels", "Time the algorithms of a GPU against their rivals");
        kernels->add_option("--part", parts_, "Parts to measure, for example a,c; without, all")
            ->option_text("a,b,...");
        kernels->add_option("--device", shorthands_.device, "auto, cuda or cuda:N")->option_text("DEVICE");
        kernels->add_option("--size", size_, "small: only to see that it works; without, full")
            ->check(CLI::IsMember({"small", "full"}));
        add_json(*kernels);
        kernels->final_callback([this] {
            bench_kernels_.device = bench_gpu();
            try {
                if (parts_) bench_kernels_.parts = parse_bench_parts(*parts_);
            } catch (const std::invalid_argument& error) {
                throw CLI::ValidationError("--part", error.what());
            }
            bench_kernels_.size = size_ == "small" ? BenchSize::small : BenchSize::full;
            bench_kernels_.json = json_;
            action_ = [this] { return bench_kernels(bench_kernels_); };
        });
    }

    void add_bench_auto(CLI::App& bench) {
        CLI::App* command = bench.add_subcommand("auto",
                                                 "Set what a GPU's solver chooses for itself against the "
                                                 "best fixed ways of summing and intervals (three "
                                                 "solvers are on the card at a time)");
        command->add_option("--device", shorthands_.device, "auto, cuda or cuda:N")->option_text("DEVICE");
        add_step_kinds(*command);
        command->add_option("--density", bench_auto_.densities, "Particles a cell; without, 3 10 30 100")
            ->check(CLI::Range(0.1, 1000.0))
            ->option_text("M ...");
        command
            ->add_option("--particles", bench_auto_.particles, "About so many in the box; without, 10000000")
            ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 33))
            ->option_text("N ...");
        const std::vector<std::string> ways = summation_names(false);
        command
            ->add_option(
                "--summation", summations_,
                fmt::format("Ways of summing to try, of {}; without, all but cas", fmt::join(ways, ", ")))
            ->check(CLI::IsMember(ways))
            ->option_text("WAY ...");
        command->add_option("--reorder", bench_auto_.intervals, "Intervals to try; without, 4 8 16 32 64")
            ->check(CLI::Range(1, 1'000'000))
            ->option_text("N ...");
        add_json(*command);
        command->final_callback([this] {
            bench_auto_.device = bench_gpu();
            bench_auto_.kinds = step_kinds();
            if (!summations_.empty()) bench_auto_.ways.clear();
            for (const std::string& name : summations_) bench_auto_.ways.push_back(summation_of(name));
            bench_auto_.json = json_;
            action_ = [this] { return bench_auto(bench_auto_); };
        });
    }

    void add_bench_outputs(CLI::App& bench) {
        CLI::App* command =
            bench.add_subcommand("outputs", "Set what the outputs of an input file cost against its steps");
        add_input_options(*command, bench_input_);
        add_shorthands(*command, shorthands_);
        add_json(*command);
        command->final_callback([this] {
            shorthands_.append_to(bench_input_.overrides);
            action_ = [this] { return bench_outputs({bench_input_.file, bench_input_.overrides, json_}); };
        });
    }

    void add_step_kinds(CLI::App& command) {
        std::vector<std::string> names;
        for (const LawInfo& law : all_laws) names.emplace_back(law.name);
        command.add_option("--law", law_, fmt::format("{}; without, all", fmt::join(names, ", ")))
            ->check(CLI::IsMember(names));
        command.add_option("--precision", precision_, "double or mixed; without, both")
            ->check(CLI::IsMember({"double", "mixed"}));
    }

    [[nodiscard]] StepKindFilter step_kinds() const {
        StepKindFilter kinds;
        if (!law_.empty()) kinds.law = law_;
        if (!precision_.empty())
            kinds.precision = precision_ == "mixed" ? Precision::mixed : Precision::double_precision;
        return kinds;
    }

    [[nodiscard]] DeviceChoice bench_device() const {
        if (!shorthands_.device) return {};
        const std::optional<DeviceChoice> device = parse_device(*shorthands_.device);
        if (!device)
            throw CLI::ValidationError("--device",
                                       fmt::format("'{}' is not a device: use auto, cpu, cuda or cuda:N",
                                                   input::printable(*shorthands_.device)));
        return *device;
    }

    [[nodiscard]] DeviceChoice bench_gpu() const {
        const DeviceChoice device = bench_device();
        if (device.kind == DeviceKind::cpu)
            throw CLI::ValidationError("--device",
                                       "this runs on CUDA devices alone: use auto, cuda or cuda:N");
        return device;
    }

    void add_json(CLI::App& command) { command.add_flag("--json", json_, "Print JSON"); }
    [[nodiscard]] ReportFormat format() const { return json_ ? ReportFormat::json : ReportFormat::text; }

    CLI::App app_{"mpcflow: multiparticle collision dynamics on CPUs and GPUs", "mpcflow"};
    std::function<int()> action_;
    RunOptions run_;
    CheckOptions check_;
    InfoOptions info_;
    VerifyOptions verify_;
    BenchStepOptions bench_;
    BenchKernelsOptions bench_kernels_;
    std::optional<std::string> parts_;  ///< given and empty is an error
    std::string size_;
    BenchAutoOptions bench_auto_;
    InputOptions bench_input_;
    std::string thermostat_;
    Shorthands shorthands_;
    std::string precision_, law_, summation_;
    std::vector<std::string> summations_;
    std::optional<std::string> restart_;
    bool overwrite_ = false, quiet_ = false, json_ = false;
};

}  // namespace

int run_command_line(int count, const char* const* arguments) {
    share_heap_where_limited();
    // Whatever throws before a command runs or in telling of an error, and that is for want of memory.
    try {
        return CommandLine().run(std::vector<std::string>(arguments + 1, arguments + count));
    } catch (const std::bad_alloc&) {
        return report_lack_of_memory();
    }
}

}  // namespace mpcflow
