#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command/commands.hpp"
#include "app/command/exit_status.hpp"
#include "app/run/run_record.hpp"
#include "app/text/json_writer.hpp"
#include "app/verify/findings.hpp"
#include "app/verify/repair.hpp"
#include "app/verify/verification.hpp"
#include "input/text.hpp"

namespace mpcflow {

namespace {

using verify::Condition;
using verify::FileFinding;
using verify::FileKind;
using verify::Findings;
using verify::Repaired;

/// Texts come from files that anybody may have written.
std::string shown(const std::string& text) {
    constexpr std::size_t longest = 600;
    return input::printable(text, longest);
}

const char* name_of(FileKind kind) {
    constexpr std::array names{"run",     "checkpoint", "part",      "trajectory", "fields",
                               "journal", "xdmf",       "temporary", "unknown"};
    return names.at(static_cast<std::size_t>(kind));
}

const char* name_of(Condition condition) {
    constexpr std::array names{"whole", "damaged", "unreadable"};
    return names.at(static_cast<std::size_t>(condition));
}

std::string describe(const FileFinding& file) {
    if (file.kind == FileKind::temporary) return fmt::format("{}", fmt::join(file.remarks, ", "));
    std::vector<std::string> parts;
    const char* const rows = rows_of(file.kind);
    if (!file.is_whole()) {
        parts.push_back(file.why);
        if (file.whole_rows.value_or(0) > 0) {
            parts.push_back(fmt::format("can be used up to step {} ({} of {} {})", *file.step,
                                        *file.whole_rows, *file.rows, rows));
        }
    } else if (file.kind != FileKind::journal) {  // which says it in its remarks
        if (file.rows) parts.push_back(fmt::format("{} {}", *file.rows, rows));
        if (file.step) parts.push_back(fmt::format("{}step {}", file.rows ? "up to " : "", *file.step));
    }
    if (!file.status.empty()) parts.push_back(file.status);
    parts.insert(parts.end(), file.remarks.begin(), file.remarks.end());
    return fmt::format("{}{}{}", name_of(file.condition), parts.empty() ? "" : ": ",
                       fmt::join(parts, file.is_whole() ? ", " : "; "));
}

void print_text(const Findings& findings, const Repaired* repaired) {
    for (const FileFinding& file : findings.files)
        fmt::print("{:<23} {}\n", shown(file.name), shown(describe(file)));
    for (const std::string& misfit : findings.misfits) fmt::print("does not fit: {}\n", shown(misfit));
    if (repaired != nullptr) {
        for (const std::string& text : repaired->done) fmt::print("repaired: {}\n", shown(text));
        for (const std::string& text : repaired->failed) fmt::print("not repaired: {}\n", shown(text));
        if (repaired->done.empty() && repaired->failed.empty())
            fmt::print("there was nothing to repair, or nothing that can be\n");
    }
    for (const std::string& text : findings.conclusions) fmt::print("{}\n", shown(text));
}

void write_texts(JsonWriter& json, const char* name, const std::vector<std::string>& texts) {
    json.key(name).begin_array();
    for (const std::string& text : texts) json.value(shown(text));
    json.end_array();
}

void write_file(JsonWriter& json, const FileFinding& file) {
    json.begin_object();
    json.member("name", shown(file.name));
    json.member("kind", name_of(file.kind));
    json.member("condition", name_of(file.condition));
    if (!file.why.empty()) json.member("why", shown(file.why));
    json.member("has_checksums", file.has_checksums);
    if (file.run_id) json.member("run_id", shown(*file.run_id));
    if (!file.status.empty()) json.member("status", shown(file.status));
    if (file.step) json.member("step", *file.step);
    if (file.state_hash) json.member("state_hash", format_hash(*file.state_hash));
    if (file.rows) json.member("rows", *file.rows);
    if (file.whole_rows) json.member("whole_rows", *file.whole_rows);
    write_texts(json, "remarks", file.remarks);
    json.end_object();
}

void print_json(const Findings& findings, const Repaired* repaired) {
    JsonWriter json;
    json.begin_object();
    json.member("path", shown(findings.path));
    json.member("whole", findings.is_whole());
    json.member("being_written", findings.is_being_written);
    json.key("files").begin_array();
    for (const FileFinding& file : findings.files) write_file(json, file);
    json.end_array();
    write_texts(json, "misfits", findings.misfits);
    if (findings.restart) {
        json.key("restart").begin_object();
        json.member("checkpoint", shown(findings.restart->checkpoint));
        json.member("step", findings.restart->step);
        json.end_object();
    }
    write_texts(json, "conclusions", findings.conclusions);
    if (repaired != nullptr) {
        write_texts(json, "repaired", repaired->done);
        write_texts(json, "not_repaired", repaired->failed);
    }
    json.end_object();
    fmt::print("{}\n", json.text());
}

}  // namespace

int verify_command(const VerifyOptions& options) {
    const verify::Target target = verify::open_target(options.path);
    Repaired repaired;
    if (options.repairs) repaired = verify::repair(target);
    else repaired.findings = verify::verify(target, verify::Holder::anyone);
    const Repaired* const told = options.repairs ? &repaired : nullptr;
    if (options.format == ReportFormat::json) print_json(repaired.findings, told);
    else print_text(repaired.findings, told);
    const bool is_good = repaired.findings.is_whole() && repaired.failed.empty();
    return static_cast<int>(is_good ? ExitStatus::done : ExitStatus::environment);
}

}  // namespace mpcflow
