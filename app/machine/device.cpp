#include "app/machine/device.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "app/machine/batch_job.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

namespace {

/// A line that says what can be asked for.
std::string what_there_is(const DeviceList& list) {
    if (list.devices.empty())
        return fmt::format("there is no CUDA device here ({}); use cpu or auto", list.reason);
    std::string names;
    for (const DeviceInfo& device : list.devices)
        names += fmt::format("{}cuda:{} ({})", names.empty() ? "" : ", ", device.index, device.name);
    return "this machine has " + names + "; use one of these, cpu or auto";
}

std::string describe(const RefusedDevice& device) {
    return fmt::format("cuda:{} ({}) cannot be used: {}", device.index, device.name, device.reason);
}

/// Throws, where the device that is meant is there and refused.
[[noreturn]] void refuse(const RefusedDevice& device) {
    throw EnvironmentError(fmt::format(
        "execution.device: {}; wait until it is free, ask for another one (CUDA_VISIBLE_DEVICES, --device "
        "cuda:N), or run on the CPU with --device cpu",
        describe(device)));
}

/// What a rank has of devices, as it tells the others.
constexpr char none = '0';
constexpr char refused = 'r';
constexpr char usable = 'u';

}  // namespace

ChosenDevice choose_device(const DeviceChoice& choice, const DeviceList& list) {
    if (choice.kind == DeviceKind::cpu) return {DeviceKind::cpu, 0, "asked for"};
    if (choice.kind == DeviceKind::automatic) {
        const auto best =
            std::max_element(list.devices.begin(), list.devices.end(), [](const auto& a, const auto& b) {
                return std::tie(a.multiprocessors, a.free_bytes) < std::tie(b.multiprocessors, b.free_bytes);
            });
        // Who was given a GPU does not want a run a hundred times as long without a word.
        if (best == list.devices.end() && !list.refused.empty()) refuse(list.refused.front());
        if (best == list.devices.end()) return {DeviceKind::cpu, 0, "no CUDA device: " + list.reason};
        return {DeviceKind::cuda, best->index,
                list.devices.size() == 1 ? "the CUDA device" : "the best CUDA device"};
    }
    const auto found = std::find_if(list.devices.begin(), list.devices.end(),
                                    [&](const DeviceInfo& device) { return device.index == choice.index; });
    if (found == list.devices.end()) {
        for (const RefusedDevice& device : list.refused)
            if (device.index == choice.index) refuse(device);
        throw EnvironmentError(
            fmt::format("execution.device: no device cuda:{}: {}", choice.index, what_there_is(list)));
    }
    return {DeviceKind::cuda, choice.index, "asked for"};
}

ChosenDevice choose_device(const DeviceChoice& choice) {
    return choose_device(choice, choice.kind == DeviceKind::cpu ? DeviceList{} : list_devices());
}

ChosenDevice choose_device_of_rank(const DeviceChoice& choice, const DeviceList& list, int before,
                                   Exchange& ranks) {
    if (choice.kind == DeviceKind::cpu) return {DeviceKind::cpu, 0, "asked for"};
    // All decide alike, by what each has: the number of its devices, and else why it has none.
    const std::string why = list.refused.empty() ? list.reason : describe(list.refused.front());
    std::vector<char> own(why.begin(), why.end());
    own.insert(own.begin(), list.devices.empty() ? (list.refused.empty() ? none : refused) : usable);
    std::vector<std::vector<char>> all;
    for (const Message& message : ranks.share(message_of(std::span<const char>(own))))
        all.push_back(values_of<char>(message));
    const auto has = [](char what) {
        return [=](const std::vector<char>& of_rank) { return of_rank.at(0) == what; };
    };
    if (choice.kind == DeviceKind::automatic && std::ranges::all_of(all, has(none)))
        return {DeviceKind::cpu, 0, "no CUDA device: " + list.reason};
    const auto without = std::ranges::find_if_not(all, has(usable));
    if (without != all.end()) {
        throw EnvironmentError(
            fmt::format("execution.device: rank {} has no GPU that can be used: {}; start ranks where there "
                        "are GPUs (see "
                        "`mpcflow devices` on its machine), or run on the CPU with --device cpu",
                        without - all.begin(), std::string_view(without->data() + 1, without->size() - 1)));
    }
    const DeviceInfo& device =
        list.devices[static_cast<std::size_t>(choice.index + before) % list.devices.size()];
    return {DeviceKind::cuda, device.index, "the ranks of a machine take its CUDA devices in turn"};
}

DomainMaker domain_maker(const System& system, const SolverOptions& options, const Cut& cut,
                         const ChosenDevice& device) {
    if (device.kind != DeviceKind::cuda) return domains_on_cpu(system, options, cut);
    return [=, index = device.index](Exchange& ranks) {
        return make_device_domain_solver(system, options, cut, ranks, index);
    };
}

MemoryNeed memory_need(const System& system, const SolverOptions& options) {
    const HostNeeds needs = host_solver_needs(system, options);
    return {needs.bytes, needs.bytes + (needs.threads - 1) * thread_stack()};
}

std::unique_ptr<Solver> make_solver(const System& system, const SolverOptions& options,
                                    const ChosenDevice& device) {
    try {
        if (device.kind == DeviceKind::cuda) return make_device_solver(system, options, device.index);
        if (const std::string shortage = describe_shortage(memory_need(system, options)); !shortage.empty())
            throw EnvironmentError(shortage);
        return make_host_solver(system, options);
    } catch (const std::bad_alloc&) {
        throw EnvironmentError(
            fmt::format("out of memory: {} particles do not fit into the memory that there is "
                        "(mpcflow check FILE.yaml says what a run needs)",
                        system.particle_count()));
    }
}

SolverOptions solver_options(const Scenario& scenario) {
    SolverOptions options;
    options.precision = scenario.execution.precision;
    options.summation = scenario.execution.summation;
    options.reorder = scenario.execution.reorder;
    options.threads =
        scenario.execution.threads > 0 ? scenario.execution.threads : automatic_threads(find_batch_job());
    if (const auto& fields = scenario.output.fields) {
        options.bins = fields->bins;
        options.pressure = fields->pressure();
    }
    return options;
}

}  // namespace mpcflow
