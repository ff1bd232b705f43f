#include "app/machine/device.hpp"

#include <algorithm>
#include <new>
#include <tuple>

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

/// Throws, where the device that is meant is there and refused.
[[noreturn]] void refuse(const RefusedDevice& device) {
    throw EnvironmentError(fmt::format(
        "execution.device: cuda:{} ({}) cannot be used: {}; wait until it is free, ask for another "
        "one (CUDA_VISIBLE_DEVICES, --device cuda:N), or run on the CPU with --device cpu",
        device.index, device.name, device.reason));
}

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
