#include "app/output/run_file.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/observable_group.hpp"
#include "app/run/theory_numbers.hpp"
#include "app/storage/disk_space.hpp"
#include "app/storage/seal.hpp"
#include "physics/names.hpp"

namespace mpcflow {

namespace {

using hdf5::DatasetLayout;
using hdf5::Group;
using hdf5::NumberType;

constexpr std::size_t status_capacity = 16;
constexpr std::size_t message_capacity = 512;
/// Of each: an attribute holds 64 KiB at most.
constexpr std::size_t note_capacity = 500;

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

void write_input(const Group& root, const RunRecord& record) {
    const Group group = root.create_group("input");
    group.write_attribute("file", record.scenario.source_name);
    group.write_text("given", record.scenario.source_text, {"the input file as given", {}});
    group.write_text("overrides", joined(record.overrides),
                     {"path=value of each --set, --device, --threads and --output, one a line", {}});
    group.write_text("resolved", record.resolved_input,
                     {"the input as it was run: overrides applied, defaults filled in", {}});
}

void write_provenance(const Group& root, const RunRecord& record) {
    const Group program = root.create_group("program");
    program.write_attribute("name", std::string_view("mpcflow"));
    program.write_attribute("version", program_version());
    program.write_attribute("commit", program_commit());

    const Group machine = root.create_group("machine");
    machine.write_attribute("hostname", record.machine.hostname);
    machine.write_attribute("cpu", record.machine.cpu);
    machine.write_attribute("hardware_threads", std::int64_t{record.machine.hardware_threads});
    machine.write_attribute("operating_system", record.machine.operating_system);
    if (!record.machine.job.id.empty()) {
        machine.write_attribute("scheduler", record.machine.job.scheduler);
        machine.write_attribute("job_id", record.machine.job.id);
    }
    machine.write_attribute("device", record.device);
    machine.write_attribute("device_reason", record.device_reason);
    machine.write_attribute("summation", name_of(record.summation));
    machine.write_attribute("reorder_interval", std::int64_t{record.reorder_interval});
    machine.write_attribute("memory_bytes", record.memory_bytes);
    machine.write_attribute("ranks", std::int64_t{record.ranks});
    machine.write_attribute("domains", std::span<const std::int32_t>(record.domains));
}

void write_run(const Group& root, const RunRecord& record) {
    const System& system = record.scenario.system;
    const Group group = root.create_group("run");
    group.write_attribute("id", record.id);
    group.write_attribute("seed", system.seed);
    group.write_attribute("precision", std::string_view(precision_name(record.scenario.execution.precision)));
    group.write_attribute("particles", system.particle_count());
    group.write_attribute("box", std::span<const std::int32_t>(system.box.size));
    group.write_attribute("time_step", system.collision.time_step);
    group.write_attribute("equilibration", record.scenario.run.equilibration);
    group.write_attribute("steps", record.scenario.run.steps);
    group.write_attribute("steps_done", record.steps_done);
    group.write_attribute("fast_steps", record.fast_steps);
    group.write_attribute("start_time", record.start_time);
    group.write_attribute("wall_time", record.wall_time);
    group.write_attribute("writing_wait", record.writing_wait);
    group.write_attribute("exchange_wait", record.exchange_wait);
    group.write_attribute("restarts", record.restarts);
    group.write_attribute("status", std::string_view(status_name(record.status)), status_capacity);
    group.write_attribute("message", record.message.substr(0, message_capacity), message_capacity);
    std::vector<std::string> notes;
    for (const std::string& note : record.notes) notes.push_back(note.substr(0, note_capacity));
    if (!notes.empty()) group.write_attribute("notes", std::span<const std::string>(notes));
    if (record.state_hash) {
        group.write_attribute("state_hash", *record.state_hash);
        group.write_attribute("state_hash_hex", format_hash(*record.state_hash));
    }
}

void write_theory(const Group& root, const RunRecord& record) {
    const Group group = root.create_group("theory");
    for (const NamedNumber& number : theory_numbers(record.scenario.system))
        group.write_attribute(number.name, number.value);
}

void write_contents(const hdf5::File& file, const RunRecord& record) {
    const Group root = file.root();
    root.write_attribute("format", std::string_view(run_file_format));
    root.write_attribute("format_version", run_file_format_version);
    root.write_attribute("title", record.scenario.title);
    root.write_attribute("units", std::string_view("length: cell edge a; mass and energy: as in the input; "
                                                   "time: a (mass/energy)^(1/2)"));
    write_input(root, record);
    write_provenance(root, record);
    write_run(root, record);
    write_theory(root, record);
    for (const auto& results : record.observables) write_results(root, *results);
}

std::int64_t bytes_of(const RunRecord& record) {
    std::int64_t bytes = run_file_bytes + text_bytes(record);
    for (const auto& results : record.observables) bytes += file_bytes(results->arrays);
    return bytes;
}

}  // namespace

void write_run_file(const storage::Directory& directory, const RunRecord& record,
                    storage::Durability durability) {
    const std::string temporary = std::string(run_file_name) + ".tmp";
    hdf5::File file = hdf5::File::create(directory, temporary);
    try {
        storage::reserve_space(file.descriptor(), file.path(), 0, bytes_of(record));
        write_contents(file, record);
        file.flush();
        file.close();
        storage::seal_file(file.descriptor(), file.path());
        storage::release_reserve(file.descriptor());
        if (durability == storage::Durability::disk) storage::sync_file(file.descriptor(), file.path());
        file.disk().close();
        directory.rename(temporary, run_file_name);
    } catch (...) {
        file.abandon();
        directory.discard(temporary);
        throw;
    }
    if (durability == storage::Durability::disk) directory.sync();
}

void mark_run_file(const storage::Directory& directory, RunStatus status,
                   const std::string& message) noexcept {
    try {
        if (!directory.has(run_file_name)) return;
        hdf5::File file = hdf5::File::open(directory, run_file_name, storage::Access::read_write);
        try {
            {
                const Group run = file.root().open_group("run");
                run.rewrite_attribute("status", status_name(status));
                run.rewrite_attribute("message", message);
            }
            // Closing cuts the seal off, which is beyond the end that HDF5 knows.
            file.close();
            storage::seal_file(file.descriptor(), file.path());
            file.disk().close();
        } catch (...) {
            file.abandon();
        }
    } catch (...) {
        // The message on the terminal is what is left to tell.
        return;
    }
}

hdf5::File open_run_file(storage::Descriptor descriptor, const std::string& path) {
    const std::string damage = storage::find_damage(descriptor.get(), path);
    // What is proved to be damaged is not given to HDF5.
    if (damage == storage::broken_seal) throw FileError(path + ": " + damage, 0);
    const auto disk = std::make_shared<hdf5::DiskFile>(std::move(descriptor), path, hdf5::WriteOrder::any);
    hdf5::File file = hdf5::File::open(disk, storage::Access::read_only);
    if (!damage.empty() && !is_unsealed_format(file.root())) throw FileError(path + ": " + damage, 0);
    return file;
}

bool is_unsealed_format(const Group& root) {
    return root.read_int_attribute("format_version") == 1 && !root.open_group("run").has_attribute("id");
}

std::int64_t text_bytes(const RunRecord& record) {
    return static_cast<std::int64_t>(record.scenario.source_text.size() + record.resolved_input.size());
}

}  // namespace mpcflow
