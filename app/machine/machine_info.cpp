#include "app/machine/machine_info.hpp"

#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string_view>
#include <thread>

#include <pwd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "mpcflow_version.hpp"

namespace mpcflow {

namespace {

/// The value of the first line of `file` that starts with `key`, trimmed of separators and quotes.
std::string value_in_file(const char* file, std::string_view key) {
    std::ifstream stream(file);
    std::string line;
    while (std::getline(stream, line)) {
        if (!line.starts_with(key)) continue;
        const std::size_t first = line.find_first_not_of(" \t:=\"", key.size());
        const std::size_t last = line.find_last_not_of(" \t\"");
        if (first == std::string::npos || last < first) break;
        return line.substr(first, last - first + 1);
    }
    return {};
}

std::string or_unknown(std::string text) { return text.empty() ? "unknown" : text; }

}  // namespace

MachineInfo describe_machine() {
    MachineInfo info;
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) == 0) info.hostname = name.data();
    info.hostname = or_unknown(info.hostname);
    info.cpu = or_unknown(value_in_file("/proc/cpuinfo", "model name"));
    info.hardware_threads = static_cast<int>(std::thread::hardware_concurrency());
    utsname system{};
    std::string kernel;
    if (uname(&system) == 0)
        kernel = std::string(system.sysname) + " " + system.release + " " + system.machine;
    const std::string distribution = value_in_file("/etc/os-release", "PRETTY_NAME");
    info.operating_system = or_unknown(distribution.empty() ? kernel : distribution + ", " + kernel);
    info.job = find_batch_job();
    return info;
}

std::string processor_set() { return value_in_file("/proc/self/status", "Cpus_allowed_list"); }

std::string user_name() {
    if (const passwd* entry = getpwuid(getuid()); entry != nullptr && entry->pw_name != nullptr)
        return entry->pw_name;
    const char* name = std::getenv("USER");
    return or_unknown(name == nullptr ? "" : name);
}

std::string program_version() { return MPCFLOW_VERSION; }

std::string program_commit() { return MPCFLOW_COMMIT; }

std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

}  // namespace mpcflow
