#include <optional>

#include <fmt/format.h>

#include "app/command/commands.hpp"
#include "app/machine/device.hpp"
#include "app/machine/machine_info.hpp"
#include "app/text/formatting.hpp"
#include "app/text/json_writer.hpp"
#include "gpu/nccl.hpp"
#include "input/schema.hpp"
#include "physics/host/vector_units.hpp"
#include "physics/names.hpp"
#include "ranks/ranks.hpp"

namespace mpcflow {

namespace {

/// What `auto` takes; nothing where it refuses to take any (choose_device()).
std::optional<ChosenDevice> find_automatic(const DeviceList& list) {
    if (list.devices.empty() && !list.refused.empty()) return {};
    return choose_device({DeviceKind::automatic, 0}, list);
}

void print_json(const MachineInfo& machine, const DeviceList& list,
                const std::optional<ChosenDevice>& automatic) {
    JsonWriter json;
    json.begin_object();
    json.key("cpu")
        .begin_object()
        .member("name", machine.cpu)
        .member("threads", machine.hardware_threads)
        .member("vectors", name_of(vector_units()))
        .end_object();
    json.key("cuda").begin_array();
    for (const DeviceInfo& device : list.devices) {
        json.begin_object().member("index", device.index).member("name", device.name);
        json.member("compute_capability",
                    fmt::format("{}.{}", device.compute_capability_major, device.compute_capability_minor));
        json.member("multiprocessors", device.multiprocessors).member("memory_bytes", device.memory_bytes);
        json.member("free_bytes", device.free_bytes).end_object();
    }
    json.end_array();
    json.key("refused").begin_array();
    for (const RefusedDevice& device : list.refused) {
        json.begin_object().member("index", device.index).member("name", device.name);
        json.member("reason", device.reason).end_object();
    }
    json.end_array().member("no_cuda_reason", list.reason);
    const auto name = [](const ChosenDevice& device) {
        return device.kind == DeviceKind::cuda ? fmt::format("cuda:{}", device.index) : std::string("cpu");
    };
    json.member("auto", automatic ? name(*automatic) : "none").member("mpi", mpi_library());
    json.member("nccl", nccl_version());
    fmt::print("{}\n", json.end_object().text());
}

}  // namespace

int devices_command(ReportFormat format) {
    const MachineInfo machine = describe_machine();
    const DeviceList list = list_devices();
    const std::optional<ChosenDevice> automatic = find_automatic(list);
    if (format == ReportFormat::json) {
        print_json(machine, list, automatic);
        return 0;
    }
    const auto mark = [&](DeviceKind kind, int index) {
        const bool is_automatic =
            automatic && automatic->kind == kind && (kind == DeviceKind::cpu || automatic->index == index);
        return is_automatic ? "  <- auto" : "";
    };
    fmt::print("cpu      {}, {} threads, vectors {}{}\n", machine.cpu, machine.hardware_threads,
               name_of(vector_units()), mark(DeviceKind::cpu, 0));
    for (const DeviceInfo& device : list.devices) {
        fmt::print(
            "cuda:{}   {}, compute capability {}.{}, {} multiprocessors, {} of {} free{}\n", device.index,
            device.name, device.compute_capability_major, device.compute_capability_minor,
            device.multiprocessors, format_bytes(static_cast<double>(device.free_bytes)),
            format_bytes(static_cast<double>(device.memory_bytes)), mark(DeviceKind::cuda, device.index));
    }
    for (const RefusedDevice& device : list.refused)
        fmt::print("cuda:{}   {}, cannot be used: {}\n", device.index, device.name, device.reason);
    if (list.devices.empty() && list.refused.empty()) fmt::print("cuda     none: {}\n", list.reason);
    const std::string mpi = mpi_library();
    fmt::print("mpi      {}\n", mpi.empty()
                                    ? "none: this mpcflow was built without MPI; install Open MPI and "
                                      "build again to run on several processes"
                                    : mpi + ": a run can go on several processes");
    const std::string nccl = nccl_version();
    if (!list.devices.empty())
        fmt::print("nccl     {}\n",
                   nccl.empty() ? "none: GPUs of several ranks exchange through the memory of the host"
                                : nccl + ": GPUs of several ranks exchange by it");
    return 0;
}

int schema_command() {
    fmt::print("{}\n", json_schema());
    return 0;
}

}  // namespace mpcflow
