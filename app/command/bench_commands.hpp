#pragma once
/// `mpcflow bench` on the command line.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/bench/bench_auto.hpp"
#include "app/bench/bench_kernels.hpp"
#include "app/bench/bench_outputs.hpp"
#include "app/bench/bench_step.hpp"
#include "app/command/input_options.hpp"

namespace mpcflow {

/// The subcommands of bench, and what their options were given.
class BenchCommands {
public:
    /// `action` becomes the one that is named; it must outlive this.
    explicit BenchCommands(std::function<int()>& action) : action_(action) {}
    BenchCommands(const BenchCommands&) = delete;
    BenchCommands& operator=(const BenchCommands&) = delete;

    /// Adds `bench` to `app`, which must not be used any more when this is gone.
    void add_to(CLI::App& app);

private:
    void add_step(CLI::App& bench);
    void add_kernels(CLI::App& bench);
    void add_auto(CLI::App& bench);
    void add_outputs(CLI::App& bench);
    void add_step_kinds(CLI::App& command);
    void add_json(CLI::App& command);
    [[nodiscard]] StepKindFilter step_kinds() const;
    [[nodiscard]] DeviceChoice device() const;
    [[nodiscard]] DeviceChoice gpu() const;

    std::function<int()>& action_;
    BenchStepOptions step_;
    BenchKernelsOptions kernels_;
    BenchAutoOptions auto_;
    InputOptions input_;
    Shorthands shorthands_;
    std::optional<std::string> parts_;  ///< given and empty is an error
    std::string size_, thermostat_, precision_, law_, summation_, vectors_;
    std::vector<int> cells_;
    std::vector<std::string> summations_;
    bool json_ = false;
};

}  // namespace mpcflow
