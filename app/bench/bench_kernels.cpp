#include "app/bench/bench_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "app/machine/machine_info.hpp"
#include "app/text/formatting.hpp"
#include "app/text/json_writer.hpp"
#include "gpu/copy_rate.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

namespace {

constexpr std::size_t terminal_width = 120;

/// Four digits, or a whole number as it is; "-" for what was not measured.
std::string format_value(double value) {
    if (std::isnan(value)) return "-";
    if (value == std::round(value) && std::abs(value) < 1e9) return fmt::format("{:.0f}", value);
    const int digits = std::abs(value) < 10.0     ? 3
                       : std::abs(value) < 100.0  ? 2
                       : std::abs(value) < 1000.0 ? 1
                                                  : 0;
    return fmt::format("{:.{}f}", value, digits);
}

/// Words filled into lines that fit the terminal.
std::string wrapped(const std::string& text) {
    std::string result;
    std::size_t column = 0;
    std::size_t first = 0;
    while (first < text.size()) {
        const std::size_t last = std::min(text.find(' ', first), text.size());
        const std::size_t length = last - first;
        if (column > 0 && column + 1 + length > terminal_width) {
            result += '\n';
            column = 0;
        } else if (column > 0) {
            result += ' ';
            ++column;
        }
        result.append(text, first, length);
        column += length;
        first = last + 1;
    }
    return result + "\n";
}

void add_table(JsonWriter& json, char letter, const BenchTable& table) {
    const auto add_column = [&json](const BenchColumn& column) {
        json.begin_object().member("name", column.name).member("unit", column.unit).end_object();
    };
    json.begin_object().member("part", std::string(1, letter)).member("name", table.name);
    json.member("title", table.title).member("note", table.note).member("items", table.items).key("x");
    add_column(table.x);
    json.key("columns").begin_array();
    for (const BenchColumn& column : table.columns) add_column(column);
    json.end_array().key("rows").begin_array();
    for (const BenchRow& row : table.rows) {
        json.begin_object().member("x", row.x).key("values").begin_array();
        for (const double value : row.values) json.value(value);
        json.end_array().end_object();
    }
    json.end_array().end_object();
}

/// Where and with what it was measured.
void add_circumstances(JsonWriter& json, const DeviceInfo& device, BenchSize size, double copy_rate) {
    const MachineInfo machine = describe_machine();
    json.key("machine").begin_object().member("cpu", machine.cpu);
    json.member("operating_system", machine.operating_system).end_object();
    json.key("device").begin_object().member("name", device.name);
    json.member("compute_capability",
                fmt::format("{}.{}", device.compute_capability_major, device.compute_capability_minor));
    json.member("multiprocessors", device.multiprocessors)
        .member("memory_bytes", device.memory_bytes)
        .end_object();
    json.member("cuda", cuda_versions())
        .member("version", program_version())
        .member("commit", program_commit());
    json.member("date", utc_now()).member("size", size == BenchSize::small ? "small" : "full");
    json.member("copy_bytes_per_second", copy_rate);
}

const DeviceInfo& find_device(const DeviceList& list, const DeviceChoice& choice) {
    if (list.devices.empty()) throw EnvironmentError("bench kernels needs a CUDA device: " + list.reason);
    const ChosenDevice chosen = choose_device(choice, list);
    return *std::find_if(list.devices.begin(), list.devices.end(),
                         [&](const DeviceInfo& device) { return device.index == chosen.index; });
}

}  // namespace

std::string all_bench_parts() {
    std::string letters;
    for (const BenchPart& part : bench_parts) letters += part.letter;
    return letters;
}

std::string parse_bench_parts(const std::string& text) {
    const std::string all = all_bench_parts();
    std::string named;
    for (std::size_t first = 0; first <= text.size();) {
        const std::size_t last = std::min(text.find(',', first), text.size());
        const std::string part = text.substr(first, last - first);
        if (part.size() != 1 || all.find(part) == std::string::npos)
            throw std::invalid_argument(
                fmt::format("'{}' is not a part: use letters of {}, for example a,c", part, all));
        named += part;
        first = last + 1;
    }
    std::string letters;
    std::copy_if(all.begin(), all.end(), std::back_inserter(letters),
                 [&](char letter) { return named.find(letter) != std::string::npos; });
    return letters;
}

std::string format_bench_table(const BenchTable& table) {
    // Each column with its name, unit and values.
    std::vector<std::vector<std::string>> columns{{table.x.name, table.x.unit}};
    for (const BenchRow& row : table.rows) columns.front().push_back(format_value(row.x));
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        columns.push_back({table.columns[i].name, table.columns[i].unit});
        for (const BenchRow& row : table.rows) columns.back().push_back(format_value(row.values.at(i)));
    }
    std::vector<std::string> lines(table.rows.size() + 2);
    for (const auto& column : columns) {
        const std::string& widest = *std::max_element(
            column.begin(), column.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
        for (std::size_t i = 0; i < lines.size(); ++i)
            lines[i] += fmt::format("{:>{}}", column[i], widest.size() + (lines[i].empty() ? 0 : 2));
    }
    std::string text = wrapped(table.title);
    if (!table.note.empty()) text += wrapped(table.note);
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

int bench_kernels(const BenchKernelsOptions& options) {
    const DeviceList list = list_devices();
    const DeviceInfo& device = find_device(list, options.device);
    const double copy_rate = measure_copy_rate(device.index);
    JsonWriter json;
    if (options.json) {
        json.begin_object();
        add_circumstances(json, device, options.size, copy_rate);
        json.key("tables").begin_array();
    } else {
        show(stdout, fmt::format("{} (CUDA device {}), CUDA {}, mpcflow {} (commit {})\n"
                                 "copies {:.2f} TB/s ({:.0f} GiB/s), read and written together\n",
                                 device.name, device.index, cuda_versions(), program_version(),
                                 program_commit(), 1e-12 * copy_rate, copy_rate / 0x1p30));
    }
    for (const BenchPart& part : bench_parts) {
        if (options.parts.find(part.letter) == std::string::npos) continue;
        if (!options.json) show(stdout, fmt::format("\n{}. {}\n", part.letter, part.title));
        for (const BenchTable& table : measure_bench_part(part.letter, {device.index, options.size}))
            if (options.json) add_table(json, part.letter, table);
            else show(stdout, "\n" + format_bench_table(table));
    }
    if (options.json) show(stdout, json.end_array().end_object().text() + "\n");
    return 0;
}

}  // namespace mpcflow
