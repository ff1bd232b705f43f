#pragma once
/// The subcommands. Each returns the process's exit status; errors are thrown: InputError,
/// EnvironmentError, SimulationFault.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/output/output_directory.hpp"
#include "app/output/restart.hpp"

namespace mpcflow {

/// An input file and its changes from the command line.
struct InputOptions {
    std::string file;
    std::vector<std::string> overrides;  ///< "path=value", in order, --device and the like included
};

/// How much a run tells while it runs.
enum class Verbosity { normal, quiet };
enum class ReportFormat { text, json };

struct RunOptions {
    InputOptions input;
    RestartChoice restart;
    Existing existing = Existing::refuse;
    Verbosity verbosity = Verbosity::normal;
    std::optional<std::int64_t> max_wall_seconds;  ///< after which it saves a checkpoint and stops
};

/// Where the estimate of a run's time has the speed from.
struct SpeedChoice {
    bool is_measured = false;          ///< for about a second, on the device that the input asks for
    std::optional<double> given_rate;  ///< particle updates per second
};

struct CheckOptions {
    InputOptions input;
    ReportFormat format = ReportFormat::text;
    SpeedChoice speed;
    bool is_resolved_alone = false;  ///< prints the input with all defaults, and nothing else
    std::optional<int> ranks;        ///< that will run it
};

struct InfoOptions {
    std::string file;  ///< or the directory of a run
    ReportFormat format = ReportFormat::text;
};

struct VerifyOptions {
    std::string path;  ///< of a run's directory, or of one of its files
    ReportFormat format = ReportFormat::text;
    bool repairs = false;
};

/// Runs an input; progress on stderr, the summary on stdout.
[[nodiscard]] int run_command(const RunOptions& options);
/// Validates an input and prints what follows from it; runs and writes nothing.
[[nodiscard]] int check_command(const CheckOptions& options);
/// Prints the input's JSON Schema.
[[nodiscard]] int schema_command();
/// Prints what a result file holds.
[[nodiscard]] int info_command(const InfoOptions& options);
/// Reads all of a run's files, and prints what is whole and what can be used; rolls them back if asked to.
[[nodiscard]] int verify_command(const VerifyOptions& options);
/// Prints what this machine can run on.
[[nodiscard]] int devices_command(ReportFormat format);

}  // namespace mpcflow
