#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "app/command/commands.hpp"
#include "app/hdf5/axis_scales.hpp"
#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/output/checkpoint_file.hpp"
#include "app/output/checkpoint_parts.hpp"
#include "app/output/run_file.hpp"
#include "app/output/trajectory_file.hpp"
#include "app/output/window_check.hpp"
#include "app/output/window_file.hpp"
#include "app/run/run_record.hpp"
#include "app/storage/seal.hpp"
#include "app/text/json_writer.hpp"
#include "input/text.hpp"

namespace mpcflow {

namespace {

using hdf5::Group;

/// A line of the report: JSON gives the values as they are, text the same with the label. Texts come from
/// files that anybody may have written: what a terminal would obey is escaped.
class Report {
public:
    explicit Report(ReportFormat format) : format_(format) { json_.begin_object(); }

    void add(const char* name, const std::string& text) {
        if (format_ == ReportFormat::json) json_.member(name, text);
        else if (!text.empty())
            fmt::print("{:<22}{}\n", label(name), input::printable(text, std::string::npos));
    }
    void add(const char* name, std::int64_t number) {
        if (format_ == ReportFormat::json) json_.member(name, number);
        else fmt::print("{:<22}{}\n", label(name), number);
    }
    void add(const char* name, std::uint64_t number) {
        if (format_ == ReportFormat::json) json_.member(name, number);
        else fmt::print("{:<22}{}\n", label(name), number);
    }
    void add(const char* name, double number) {
        if (format_ == ReportFormat::json) json_.member(name, number);
        else fmt::print("{:<22}{:.6g}\n", label(name), number);
    }
    /// A text of several lines.
    void add_lines(const char* name, const std::string& text) {
        if (format_ == ReportFormat::json) json_.member(name, text);
        else if (!text.empty())
            fmt::print("{}:\n{}{}", label(name), input::printable_lines(text),
                       text.back() == '\n' ? "" : "\n");
    }
    void finish() {
        if (format_ == ReportFormat::json) fmt::print("{}\n", json_.end_object().text());
    }

private:
    static std::string label(const char* name) {
        std::string text = name;
        std::replace(text.begin(), text.end(), '_', ' ');
        return input::printable(text, std::string::npos);  // some are names that a file has
    }

    ReportFormat format_;
    JsonWriter json_;
};

std::string names_of(const Group& group) {
    std::string names;
    for (const std::string& name : group.link_names()) names += (names.empty() ? "" : ", ") + name;
    return names;
}

void report_series(const Group& root, Report& report) {
    if (!root.has("series")) return;
    const auto steps = root.open_group("series").open_dataset("step").read<std::int64_t>();
    report.add("series_rows", static_cast<std::int64_t>(steps.size()));
    if (steps.empty()) return;
    report.add("series_last_step", steps.back());
    const Group series = root.open_group("series");
    if (!series.has("maximum_speed")) return;
    const auto speeds = series.open_dataset("maximum_speed").read<double>();
    const auto fewest = series.open_dataset("minimum_occupancy").read<std::int64_t>();
    const auto most = series.open_dataset("maximum_occupancy").read<std::int64_t>();
    report.add("maximum_speed", *std::max_element(speeds.begin(), speeds.end()));
    report.add("minimum_occupancy", *std::min_element(fewest.begin(), fewest.end()));
    report.add("maximum_occupancy", *std::max_element(most.begin(), most.end()));
}

void report_fields(const Group& root, Report& report) {
    if (!root.has("fields")) return;
    const Group fields = root.open_group("fields");
    std::string quantities;
    for (const char* name : {"density", "velocity", "temperature", "pressure_tensor", "species_density",
                             "species_velocity", "species_temperature"})
        if (fields.has(name)) quantities += std::string(quantities.empty() ? "" : ", ") + name;
    report.add("fields", quantities);
    report.add("field_samples", fields.read_int_attribute("samples"));
    report.add("field_first_step", fields.read_int_attribute("first_step"));
    report.add("field_last_step", fields.read_int_attribute("last_step"));
}

void report_observables(const Group& root, Report& report) {
    for (const std::string& name : root.link_names()) {
        const bool is_axis =
            name == species_axis_name ||
            std::find(component_axes.begin(), component_axes.end(), name) != component_axes.end();
        const bool is_told = name == "series" || name == "fields";
        if (is_axis || is_told || !root.open_group(name).has_attribute("samples")) continue;
        report.add((name + "_samples").c_str(), root.open_group(name).read_int_attribute("samples"));
    }
}

/// Throws EnvironmentError unless every bit of the file is what was written.
void check_seal(const hdf5::File& file) {
    if (const std::string damage = storage::find_damage(file.descriptor(), file.path()); !damage.empty())
        throw EnvironmentError(file.path() + ": " + damage);
}

/// The same of a file that grows.
void check_all_rows(const hdf5::File& file, const OpenRows& open_rows) {
    const RowsFound found = check_rows(file, open_rows, std::numeric_limits<std::int64_t>::max());
    if (!found.damage.empty()) throw EnvironmentError(file.path() + ": damaged: " + found.damage);
}

void report_run(const hdf5::File& file, Report& report) {
    const Group root = file.root();
    const std::int64_t version = root.read_int_attribute("format_version");
    if (version != 1 && version != run_file_format_version) {
        throw EnvironmentError(
            fmt::format("{}: run file format {}, but this program reads format {}; use the mpcflow that "
                        "wrote it",
                        file.path(), version, run_file_format_version));
    }
    if (version != 1) check_seal(file);
    const Group program = root.open_group("program");
    const Group machine = root.open_group("machine");
    const Group run = root.open_group("run");
    const Group input = root.open_group("input");
    report.add("kind", std::string("run"));
    report.add("title", root.read_text_attribute("title"));
    if (run.has_attribute("id")) report.add("run_id", run.read_text_attribute("id"));
    report.add("status", run.read_text_attribute("status"));
    report.add("message", run.read_text_attribute("message"));
    report.add("steps_done", run.read_int_attribute("steps_done"));
    report.add("steps_in_all", run.read_int_attribute("equilibration") + run.read_int_attribute("steps"));
    if (run.has_attribute("fast_steps")) report.add("fast_steps", run.read_int_attribute("fast_steps"));
    if (run.has_attribute("restarts")) report.add("restarts", run.read_int_attribute("restarts"));
    if (run.has_attribute("state_hash"))
        report.add("state_hash", format_hash(run.read_unsigned_attribute("state_hash")));
    report.add("particles", run.read_int_attribute("particles"));
    report.add("seed", run.read_unsigned_attribute("seed"));
    report.add("precision", run.read_text_attribute("precision"));
    report.add("start_time", run.read_text_attribute("start_time"));
    report.add("wall_time", run.read_double_attribute("wall_time"));
    report.add("program", program.read_text_attribute("name") + " " + program.read_text_attribute("version") +
                              " (" + program.read_text_attribute("commit") + ")");
    report.add("device", machine.read_text_attribute("device"));
    report.add("hostname", machine.read_text_attribute("hostname"));
    if (machine.has_attribute("job_id"))
        report.add("job",
                   machine.read_text_attribute("scheduler") + " " + machine.read_text_attribute("job_id"));
    report.add("cpu", machine.read_text_attribute("cpu"));
    report.add("operating_system", machine.read_text_attribute("operating_system"));
    report.add("input_file", input.read_text_attribute("file"));
    report.add_lines("overrides", input.read_text("overrides"));
    report_series(root, report);
    report_fields(root, report);
    report_observables(root, report);
    report.add_lines("resolved_input", input.read_text("resolved"));
}

void report_checkpoint(const hdf5::File& file, Report& report) {
    check_seal(file);
    const Group root = file.root();
    const Group run = root.open_group("run");
    const Group program = root.open_group("program");
    report.add("kind", std::string("checkpoint"));
    report.add("title", run.read_text_attribute("title"));
    report.add("run_id", run.read_text_attribute("id"));
    report.add("step", run.read_int_attribute("step"));
    report.add("steps_in_all", run.read_int_attribute("steps_in_all"));
    report.add("restarts", run.read_int_attribute("restarts"));
    report.add("state_hash", format_hash(run.read_unsigned_attribute("state_hash")));
    report.add("particles", run.read_int_attribute("particles"));
    if (root.has("parts")) report.add("parts", static_cast<std::int64_t>(read_part_list(root).parts.size()));
    report.add("precision", run.read_text_attribute("precision"));
    report.add("start_time", run.read_text_attribute("start_time"));
    report.add("wall_time", run.read_double_attribute("wall_time"));
    report.add("program", "mpcflow " + program.read_text_attribute("version") + " (" +
                              program.read_text_attribute("commit") + ")");
    report.add_lines("resolved_input", run.read_text("input"));
}

void report_part(const hdf5::File& file, Report& report) {
    check_seal(file);
    const Group root = file.root();
    report.add("kind", std::string("part of a checkpoint"));
    report.add("step", root.read_int_attribute("step"));
    report.add("part", root.read_int_attribute("part"));
    report.add("particles",
               static_cast<std::int64_t>(root.open_group("particles").open_dataset("id").row_count()));
}

void report_trajectory(const hdf5::File& file, Report& report) {
    const Group root = file.root();
    const Group parameters = root.open_group("parameters").open_group("mpcflow");
    const bool is_of_region = root.open_group("particles").has("region");
    const Group all = open_particles(root);
    const auto steps = all.open_group("box").open_group("edges").open_dataset("step").read<std::int64_t>();
    const auto hashes = parameters.open_dataset("state_hash").read<std::uint64_t>();
    report.add("kind", std::string("trajectory (H5MD)"));
    report.add("title", parameters.read_text_attribute("title"));
    if (parameters.has_attribute("run_id")) report.add("run_id", parameters.read_text_attribute("run_id"));
    report.add("frames", static_cast<std::int64_t>(steps.size()));
    if (!steps.empty()) {
        report.add("first_step", steps.front());
        report.add("last_step", steps.back());
    }
    if (!hashes.empty()) report.add("state_hash", format_hash(hashes.back()));
    if (is_of_region) {
        const auto counts = parameters.open_dataset("particles").read<std::int64_t>();
        if (!counts.empty()) {
            report.add("fewest_particles", *std::min_element(counts.begin(), counts.end()));
            report.add("most_particles", *std::max_element(counts.begin(), counts.end()));
        }
    } else {
        report.add("particles", static_cast<std::int64_t>(all.open_dataset("species").row_count()));
    }
    if (all.has_attribute("every_nth_id")) report.add("every_nth_id", all.read_int_attribute("every_nth_id"));
    report.add("elements", names_of(all));
    report.add("seed", parameters.read_unsigned_attribute("seed"));
    report.add("precision", parameters.read_text_attribute("precision"));
    report.add("start_time", parameters.read_text_attribute("start_time"));
    report.add("device", parameters.read_text_attribute("device"));
    report.add("program", "mpcflow " +
                              root.open_group("h5md").open_group("creator").read_text_attribute("version") +
                              " (" + parameters.read_text_attribute("commit") + ")");
    report.add_lines("resolved_input", parameters.read_text("input"));
}

void report_windows(const hdf5::File& file, Report& report) {
    const Group root = file.root();
    if (root.read_int_attribute("format_version") != 1) check_all_rows(file, read_windows);
    const Group fields = root.open_group("fields");
    const auto steps = fields.open_dataset("last_step").read<std::int64_t>();
    report.add("kind", std::string("fields in time"));
    report.add("title", root.read_text_attribute("title"));
    if (root.has_attribute("run_id")) report.add("run_id", root.read_text_attribute("run_id"));
    report.add("windows", static_cast<std::int64_t>(steps.size()));
    report.add("time_window", fields.read_int_attribute("time_window"));
    if (!steps.empty()) report.add("last_step", steps.back());
    report.add("commit", root.read_text_attribute("commit"));
    report.add_lines("resolved_input", root.read_text("input"));
}

/// Whether a text attribute of the group reads so; others' files may have anything under the name.
bool says(const Group& group, const std::string& name, const std::string& text) {
    try {
        return group.has_attribute(name) && group.read_text_attribute(name) == text;
    } catch (const FileError&) {
        return false;
    }
}

bool is_our_run(const Group& root) { return says(root, "format", run_file_format); }

bool is_our_checkpoint(const Group& root) { return says(root, "format", checkpoint_file_format); }

bool is_our_part(const Group& root) { return says(root, "format", part_format); }

bool is_our_window_file(const Group& root) { return says(root, "format", window_file_format); }

bool is_our_trajectory(const Group& root) {
    if (!root.has("h5md") || !root.open_group("h5md").has("creator")) return false;
    return says(root.open_group("h5md").open_group("creator"), "name", "mpcflow");
}

}  // namespace

int info_command(const InfoOptions& options) {
    std::error_code is_none;
    std::filesystem::path path = options.file;
    if (std::filesystem::is_directory(path, is_none)) {
        path /= run_file_name;
        if (!std::filesystem::exists(path, is_none))
            throw EnvironmentError(options.file +
                                   ": this directory has no run.h5; give that of a run, or one of its files");
    }
    const hdf5::File file = hdf5::File::open(path.string());
    Report report(options.format);
    report.add("file", path.string());
    const Group root = file.root();
    if (is_our_run(root)) {
        report_run(file, report);
    } else if (is_our_checkpoint(root)) {
        report_checkpoint(file, report);
    } else if (is_our_part(root)) {
        report_part(file, report);
    } else if (is_our_window_file(root)) {
        report_windows(file, report);
    } else if (is_our_trajectory(root)) {
        report_trajectory(file, report);
    } else {
        throw EnvironmentError(path.string() +
                               ": an HDF5 file, but not one that mpcflow wrote; give a run.h5, "
                               "trajectory.h5 or checkpoint.h5 of a run");
    }
    report.finish();
    return 0;
}

}  // namespace mpcflow
