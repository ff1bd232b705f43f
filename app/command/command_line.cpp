#include "app/command/command_line.hpp"

#include <functional>
#include <map>
#include <new>
#include <stdexcept>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "app/command/bench_commands.hpp"
#include "app/command/commands.hpp"
#include "app/command/exit_status.hpp"
#include "app/command/input_options.hpp"
#include "app/command/report.hpp"
#include "app/command/unknown_word.hpp"
#include "app/machine/machine_info.hpp"
#include "app/machine/memory_limits.hpp"
#include "app/text/formatting.hpp"
#include "input/text.hpp"
#include "ranks/ranks.hpp"

namespace mpcflow {

namespace {

constexpr const char* footer =
    "mpcflow help COMMAND tells of one command.\n\n"
    "Exit status: 0 done; 2 bad input or arguments; 3 the environment (no such device, disk full,\n"
    "results that exist already); 85 stopped by a signal after writing a checkpoint: run again to go on;\n"
    "1 a fault of the program.";

/// The seconds of --max-wall-time.
std::int64_t wall_time_of(const std::string& text) {
    const std::optional<std::int64_t> seconds = parse_duration(text);
    if (!seconds || *seconds == 0)
        throw CLI::ValidationError("--max-wall-time",
                                   fmt::format("'{}' is not a time: use for example 3:55:00, 1-12:00:00 or "
                                               "300 (seconds)",
                                               input::printable(text)));
    return *seconds;
}

/// All subcommands with their options; `action` becomes the one that was named.
class CommandLine {
public:
    CommandLine() {
        app_.set_version_flag("--version",
                              fmt::format("mpcflow {} (commit {}{})", program_version(), program_commit(),
                                          mpi_library().empty() ? "" : ", " + mpi_library()));
        app_.require_subcommand(1);
        app_.footer(footer);
        add_run();
        add_check();
        add_others();
        bench_.add_to(app_);
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
        command
            ->add_option(
                "--max-wall-time", max_wall_time_,
                "After this time save a checkpoint and stop, with exit status 85; hours, minutes and "
                "seconds or, of one number, seconds")
            ->option_text("[[D-]H:]M:S");
        command->final_callback([this] {
            shorthands_.append_to(run_.input.overrides);
            if (max_wall_time_) run_.max_wall_seconds = wall_time_of(*max_wall_time_);
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
        command->add_flag("--resolved", check_.is_resolved_alone,
                          "Print the input with all changes and defaults, as YAML, and nothing else");
        CLI::Option* measure =
            command->add_flag("--measure", check_.speed.is_measured,
                              "Run steps for a second or a few to tell how long the run will take here");
        command
            ->add_option("--rate", check_.speed.given_rate,
                         "Tell how long the run will take at so many particle updates a second, for example "
                         "21.5G")
            ->transform(
                CLI::AsNumberWithUnit(std::map<std::string, double>{{"k", 1e3}, {"M", 1e6}, {"G", 1e9}}))
            ->check(CLI::PositiveNumber)
            ->excludes(measure)
            ->option_text("R");
        command
            ->add_option(
                "--ranks", check_.ranks,
                "Tell how the box is cut for so many processes (mpirun -n N), and what one of them takes")
            ->check(CLI::Range(1, 1'000'000))
            ->excludes(measure)
            ->option_text("N");
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

    void add_json(CLI::App& command) { command.add_flag("--json", json_, "Print JSON"); }
    [[nodiscard]] ReportFormat format() const { return json_ ? ReportFormat::json : ReportFormat::text; }

    CLI::App app_{"mpcflow: multiparticle collision dynamics on CPUs and GPUs", "mpcflow"};
    std::function<int()> action_;
    RunOptions run_;
    CheckOptions check_;
    InfoOptions info_;
    VerifyOptions verify_;
    BenchCommands bench_{action_};
    Shorthands shorthands_;
    std::optional<std::string> restart_, max_wall_time_;
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
