#include "app/command/on_ranks.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command/exit_status.hpp"
#include "app/command/report.hpp"
#include "app/machine/batch_job.hpp"
#include "app/machine/device.hpp"
#include "app/machine/machine_info.hpp"
#include "app/machine/memory_limits.hpp"
#include "app/output/estimates.hpp"
#include "app/run/signals.hpp"
#include "input/differences.hpp"
#include "input/error.hpp"
#include "input/reader.hpp"
#include "input/text.hpp"
#include "input/writer.hpp"
#include "physics/domain/automatic_cut.hpp"
#include "physics/domain/domain_solver.hpp"
#include "physics/errors.hpp"
#include "physics/host/processors.hpp"

namespace mpcflow {

namespace {

/// What each rank tells of itself, one line each but for the last.
struct Introduction {
    std::string program;
    std::string host;
    std::string input;  ///< resolved; or, of one that cannot be read, what is wrong with it
    bool is_read = false;

    [[nodiscard]] Message message() const {
        const std::string text = fmt::format("{}\n{}\n{}\n{}", program, host, is_read ? 1 : 0, input);
        return message_of(std::span<const char>(text));
    }
    explicit Introduction(const Message& message) {
        const std::vector<char> characters = values_of<char>(message);
        std::string_view rest(characters.data(), characters.size());
        const auto line = [&] {
            const std::size_t end = std::min(rest.find('\n'), rest.size() - 1);
            const std::string_view found = rest.substr(0, end);
            rest.remove_prefix(end + 1);
            return std::string(found);
        };
        program = line();
        host = line();
        is_read = line() == "1";
        input = rest;
    }
    Introduction() = default;
};

Introduction introduce(const MachineInfo& machine) {
    Introduction own;
    own.program = fmt::format("mpcflow {} (commit {})", program_version(), program_commit());
    own.host = machine.hostname;
    return own;
}

std::string describe_differences(const std::string& first, const std::string& other) {
    constexpr std::size_t most_told = 5;
    std::vector<std::string> told;
    for (const KeyDifference& difference : find_differences(first, other)) {
        if (told.size() == most_told) return fmt::format("{} ...", fmt::join(told, ", "));
        const auto shown = [](const std::string& value) {
            return value.empty() ? std::string("not given") : input::printable(value, 200);
        };
        told.push_back(fmt::format("{} is {} there and {} on rank 0", difference.path,
                                   shown(difference.after), shown(difference.before)));
    }
    return fmt::format("{}", fmt::join(told, ", "));
}

/// What keeps ranks from running together; an empty text where nothing does. What is wrong with the input of
/// all alike is no such thing.
std::string describe_discord(const std::vector<Introduction>& all) {
    const Introduction& first = all.front();
    for (std::size_t number = 1; number < all.size(); ++number) {
        const Introduction& other = all[number];
        const std::string who = fmt::format("rank {} on {}", number, other.host);
        if (other.program != first.program) {
            return fmt::format(
                "{} is {}, and rank 0 on {} is {}: start one and the same program on all ranks", who,
                other.program, first.host, first.program);
        }
        if (other.is_read == first.is_read && other.input == first.input) continue;
        if (!other.is_read || !first.is_read) {
            const auto& [failed, host] =
                other.is_read ? std::pair(0, first.host) : std::pair(static_cast<int>(number), other.host);
            return fmt::format(
                "rank {} on {} cannot read the input that others read: {}; all ranks need the same "
                "file: put it where all machines see it",
                failed, host, other.is_read ? first.input : other.input);
        }
        return fmt::format("{} has another input: {}; start all ranks with the same input and options", who,
                           describe_differences(first.input, other.input));
    }
    return {};
}

[[noreturn]] void wait_for_the_end(Ranks& ranks) {
    for (;;) static_cast<void>(ranks.await());
}

RankFailure failure_of(const std::exception& error, FailureKind kind) { return {kind, error.what()}; }

}  // namespace

int on_all_ranks(Ranks& ranks, const std::function<int()>& lead, const std::function<void()>& follow) {
    if (ranks.number() == 0) {
        const int status = run_guarded(lead);
        ranks.end_all(status);
        return status;
    }
    const SignalGuard signals;
    ranks.set_signal_source(SignalGuard::received);
    const auto fail = [&](const RankFailure& failure) {
        const ExitStatus status =
            failure.kind == FailureKind::environment ? ExitStatus::environment : ExitStatus::fault;
        ranks.fail(failure, static_cast<int>(status));
        return static_cast<int>(status);
    };
    try {
        follow();
        wait_for_the_end(ranks);
    } catch (const RunHasEnded&) {
        ranks.leave();
        return static_cast<int>(ExitStatus::done);
    } catch (const EnvironmentError& error) {
        return fail(failure_of(error, FailureKind::environment));
    } catch (const std::bad_alloc&) {
        return fail(
            {FailureKind::environment, "out of memory; take more ranks or machines, or a smaller box"});
    } catch (const std::exception& error) {
        return fail(failure_of(error, FailureKind::fault));
    }
}

Beginning begin_alike(Ranks& ranks, const InputOptions& input) {
    Beginning beginning;
    Introduction own = introduce(describe_machine());
    std::exception_ptr mistake;
    try {
        beginning.scenario = read_scenario(input.file, input.overrides, ranks.count());
        own.input = to_yaml(beginning.scenario);
        own.is_read = true;
    } catch (const InputError& error) {
        own.input = fmt::format("{}", fmt::join(error.messages(), "\n"));
        mistake = std::current_exception();
    }
    std::vector<Introduction> all;
    for (const Message& message : ranks.share(own.message())) all.emplace_back(message);
    const std::string discord = describe_discord(all);
    if (!discord.empty() || mistake) {
        if (ranks.number() != 0) wait_for_the_end(ranks);
        if (!discord.empty()) throw EnvironmentError(discord);
        std::rethrow_exception(mistake);
    }
    beginning.place = find_rank_place(ranks);
    const Scenario& scenario = beginning.scenario;
    if (scenario.execution.has_domains()) beginning.cut.domains = scenario.execution.domains;
    else beginning.cut = automatic_cut(scenario.system, ranks.count()).value();
    const DeviceChoice& choice = scenario.execution.device;
    const DeviceList devices = choice.kind == DeviceKind::cpu ? DeviceList{} : list_devices();
    try {
        beginning.device = choose_device_of_rank(choice, devices, beginning.place.before, ranks);
    } catch (const EnvironmentError&) {
        if (ranks.number() != 0) wait_for_the_end(ranks);
        throw;
    }
    return beginning;
}

SolverOptions options_of_rank(const Beginning& beginning) {
    SolverOptions options = solver_options(beginning.scenario);
    if (beginning.scenario.execution.threads > 0) return options;
    // No more than a batch job has for a task.
    options.threads = std::min(options.threads, beginning.place.share_of(available_processors()));
    return options;
}

DomainMaker maker_of_rank(const Beginning& beginning) {
    return domain_maker(beginning.scenario.system, options_of_rank(beginning), beginning.cut,
                        beginning.device);
}

void check_machine(const Ranks& ranks, const Beginning& beginning) {
    const Scenario& scenario = beginning.scenario;
    std::int64_t each = part_copy_bytes(scenario, ranks.count());
    std::int64_t stacks = 0;
    if (beginning.device.kind == DeviceKind::cpu) {
        const DomainNeeds needs =
            domain_solver_needs(scenario.system, options_of_rank(beginning), beginning.cut, ranks.number());
        each += needs.host.bytes;
        stacks = (needs.host.threads - 1) * thread_stack();
    }
    MemoryNeed need{each * beginning.place.ranks_here, each + stacks};
    if (ranks.number() == 0) {
        // Rank 0 writes for all.
        const MemoryNeed of_writing = memory_need_of_writing(scenario, ranks.count());
        need.bytes += of_writing.bytes;
        need.address_space += of_writing.address_space;
    }
    if (const std::string shortage = describe_shortage(need); !shortage.empty())
        throw EnvironmentError(shortage);
}

}  // namespace mpcflow
