#include "app/command/run_summary.hpp"

#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "app/output/checkpoint_file.hpp"
#include "app/text/formatting.hpp"
#include "physics/theory.hpp"

namespace mpcflow {

namespace {

/// Nothing where it is not worth a word.
std::string describe_wait(const RunLoopResult& result) {
    constexpr double noticeable_share = 0.02;
    const double waited = result.writing.wait_seconds;
    return waited > noticeable_share * result.seconds
               ? fmt::format(" ({:.2f} s of it waiting for files to be written)", waited)
               : "";
}

/// What to make of steps in which a particle crossed more than a cell: nothing where thermal motion does it.
std::string describe_fast_steps(const System& system, const RunLoopResult& result) {
    const auto found = static_cast<double>(result.fast_steps);
    // Where the temperature follows a schedule, no more than at the highest.
    System warmest = system;
    warmest.fluid.temperature = system.fluid.highest_temperature();
    const double expected = theory::fast_step_share(warmest) * static_cast<double>(result.steps_done);
    const bool is_thermal = found <= 2.0 * expected + 3.0;
    return fmt::format(
        "fast steps   {} of {} have a particle that crosses more than a cell, which thermal motion {} "
        "({:.3g} expected){}\n",
        result.fast_steps, result.steps_done, is_thermal ? "explains" : "does not explain", expected,
        is_thermal ? "; flights are exact, so results are right"
                   : ": is the fluid driven or heated too strongly?");
}

}  // namespace

void print_summary(const Scenario& scenario, const RunLoopResult& result, std::uint64_t hash,
                   const std::vector<WrittenFile>& files) {
    const auto updates = static_cast<double>(scenario.system.particle_count()) *
                         static_cast<double>(result.steps_done - result.first_step);
    const double rate = result.seconds > 0.0 ? updates / result.seconds : 0.0;
    const std::string how_far =
        result.stopped_by.empty()
            ? ""
            : fmt::format(" of {} (stopped by {})", scenario.run.equilibration + scenario.run.steps,
                          result.stopped_by);
    std::string text = fmt::format("steps        {}{}\n", result.steps_done, how_far);
    text += fmt::format("wall time    {:.2f} s{}\n", result.seconds, describe_wait(result));
    text += fmt::format("rate         {}\n", format_rate(rate, "particle updates"));
    if (result.largest_exchange_share > 0.0) {
        text += fmt::format(
            "exchange     {:.1f} % of the time of the steps ranks waited for each other, one of them "
            "{:.1f} %\n",
            100.0 * result.exchange_share, 100.0 * result.largest_exchange_share);
    }
    if (result.fast_steps > 0) text += describe_fast_steps(scenario.system, result);
    text += fmt::format("state hash   {}\n", format_hash(hash));
    for (const WrittenFile& file : files)
        text += fmt::format("wrote        {}  ({})\n", file.path, file.contents);
    if (!result.stopped_by.empty() && result.writing.checkpoint_failure.empty())
        text += fmt::format("to go on     run the same command again (from {}/{})\n",
                            scenario.output.directory, checkpoint_file_name);
    show(stdout, text);
}

}  // namespace mpcflow
