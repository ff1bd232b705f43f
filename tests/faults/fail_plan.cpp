#include "tests/faults/fail_plan.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fault {

using preload::Path;

namespace {

constexpr const char* kind_names[] = {"open",     "read",   "write",          "sync",  "truncate",
                                      "allocate", "rename", "unlink",         "close", "mkdir",
                                      "map",      "memory", "library_memory", "thread"};
constexpr int kinds = sizeof kind_names / sizeof *kind_names;

/// As faulty.py reads it.
struct Report {
    std::atomic<std::int64_t> calls[kinds];  ///< made of each kind; -1: this build leaves it alone
    std::atomic<std::int64_t> faults;        ///< calls that failed, wrote half or killed
    std::int64_t first_kind;                 ///< of the first of them
    char first_path[sizeof(Path)];
};

enum class Mode { once, always, half, kill };

struct Settings {
    const char* text = nullptr;  ///< null: nothing is counted
    bool meant[kinds] = {};
    std::int64_t call = 0;
    Mode mode = Mode::once;
    int error = EIO;
    std::size_t bytes = 0;
    std::uintptr_t own_code[4] =
        {};  ///< begin and end of the program's, and of libstdc++'s, whose operator new it calls
    Report* report = nullptr;
};

Settings settings;
Report unseen_report;
std::atomic<std::int64_t> meant_calls{0};
std::atomic<bool> has_begun{false};

const char* setting(const char* name, const char* otherwise) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : otherwise;
}

bool lists(const char* names, const char* name) {
    const std::size_t length = std::strlen(name);
    for (const char* at = std::strstr(names, name); at != nullptr; at = std::strstr(at + 1, name))
        if ((at == names || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

Report* map_report() {
    const char* const path = std::getenv("FAULT_REPORT");
    if (path == nullptr) return &unseen_report;
    // By number: the functions of these names are this library's own.
    const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_TRUNC, 0666));
    if (file < 0 || syscall(SYS_ftruncate, file, sizeof(Report)) != 0) std::abort();
    auto* const report = reinterpret_cast<void*>(
        syscall(SYS_mmap, nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0L));
    if (report == MAP_FAILED) std::abort();
    syscall(SYS_close, file);
    return static_cast<Report*>(report);
}

/// Finds the code of the program, which comes first and has no name, and of libstdc++.
int find_own_code(dl_phdr_info* object, std::size_t, void*) {
    const bool is_program = settings.own_code[1] == 0;
    if (!is_program && std::strstr(object->dlpi_name, "libstdc++") == nullptr) return 0;
    std::uintptr_t* const code = settings.own_code + (is_program ? 0 : 2);
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& part = object->dlpi_phdr[i];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
            code[0] = object->dlpi_addr + part.p_vaddr;
            code[1] = code[0] + part.p_memsz;
        }
    }
    return 0;
}

__attribute__((constructor)) void read_settings() {
    settings.report = map_report();
#ifdef WITHOUT_MEMORY
    settings.report->calls[memory] = settings.report->calls[library_memory] = -1;
#endif
    dl_iterate_phdr(find_own_code, nullptr);
    for (int kind = 0; kind < kinds; ++kind)
        settings.meant[kind] = lists(setting("FAULT_KINDS", ""), kind_names[kind]);
    settings.call = std::atoll(setting("FAULT_CALL", "0"));
    const char* const mode = setting("FAULT_MODE", "once");
    settings.mode = std::strcmp(mode, "always") == 0  ? Mode::always
                    : std::strcmp(mode, "short") == 0 ? Mode::half
                    : std::strcmp(mode, "kill") == 0  ? Mode::kill
                                                      : Mode::once;
    settings.error = std::atoi(setting("FAULT_ERRNO", "5"));
    settings.bytes = static_cast<std::size_t>(std::atoll(setting("FAULT_BYTES", "0")));
    settings.text = std::getenv("FAULT_PATH");
}

}  // namespace

bool is_counting() { return settings.text != nullptr; }
int error_number() { return settings.error; }
std::size_t fewest_bytes() { return settings.bytes; }

Fate count_call(Kind kind, const char* path, bool can_do_half) {
    Report& report = *settings.report;
    report.calls[kind].fetch_add(1);
    if (!settings.meant[kind]) return Fate::spared;
    const std::int64_t number = meant_calls.fetch_add(1) + 1;
    if (number < settings.call || (number > settings.call && settings.mode != Mode::always) ||
        settings.call < 1)
        return Fate::spared;
    if (settings.mode == Mode::half && !can_do_half) return Fate::spared;
    if (report.faults.fetch_add(1) == 0) {
        report.first_kind = kind;
        std::strncpy(report.first_path, path, sizeof report.first_path - 1);
    }
    if (settings.mode == Mode::half) return Fate::does_half;
    if (settings.mode == Mode::kill) return Fate::killed;
    errno = settings.error;
    return Fate::fails;
}

bool is_meant(const Path& path) {
    if (std::strstr(path.text, settings.text) == nullptr) return false;
    has_begun.store(true);
    return true;
}

bool fails(Kind kind, const Path& path) {
    if (settings.text == nullptr || !is_meant(path)) return false;
    const Fate fate = count_call(kind, path.text);
    if (fate == Fate::killed) raise(SIGKILL);
    return fate == Fate::fails;
}

bool fails(Kind kind) {
    if (settings.text == nullptr || !has_begun.load(std::memory_order_relaxed)) return false;
    const Fate fate = count_call(kind, "");
    if (fate == Fate::killed) raise(SIGKILL);
    return fate == Fate::fails;
}

Kind memory_of(const void* caller) {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    const std::uintptr_t* const code = settings.own_code;
    const bool is_own =
        (address >= code[0] && address < code[1]) || (address >= code[2] && address < code[3]);
    return is_own ? memory : library_memory;
}

}  // namespace fault
