#include "app/machine/memory_limits.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/text/formatting.hpp"

namespace mpcflow {

namespace {

namespace fs = std::filesystem;

/// From here on a number stands for no limit: version 1 writes the most pages that a counter can hold.
constexpr std::int64_t endless = std::int64_t{1} << 60;

/// The lines of a small file; none if it is not there. These files are of the kernel, but nothing is taken
/// for granted.
std::vector<std::string> lines_of(const fs::path& file) {
    constexpr std::size_t most_lines = 100'000;
    std::ifstream stream(file);
    std::vector<std::string> lines;
    std::string line;
    while (lines.size() < most_lines && std::getline(stream, line)) lines.push_back(line);
    return lines;
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

/// The number that is all of a file; none if there is no such file or it says "max".
std::optional<std::int64_t> number_in(const fs::path& file) {
    const std::vector<std::string> lines = lines_of(file);
    return lines.empty() ? std::nullopt : parse_bytes(lines.front());
}

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream stream(line);
    std::vector<std::string> words;
    std::string word;
    while (stream >> word) words.push_back(word);
    return words;
}

/// The number after a name, in bytes or kB: "active_file 4096", "VmSize:  123 kB".
std::int64_t named_number(const fs::path& file, std::string_view name) {
    for (const std::string& line : lines_of(file)) {
        const std::vector<std::string> words = words_of(line);
        if (words.size() < 2 || words[0] != name) continue;
        constexpr std::int64_t kibi = 1024;
        const std::int64_t number = std::min(parse_bytes(words[1]).value_or(0), endless);
        return words.size() > 2 && words[2] == "kB" ? std::min(number, endless / kibi) * kibi : number;
    }
    return 0;
}

/// A version of control groups: where its limit, its use and what of that can be dropped are.
struct Version {
    const char* limit;
    const char* use;
    const char* inactive_file;
    const char* active_file;
};
constexpr Version version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                            "total_active_file"};
constexpr Version version_2{"memory.max", "memory.current", "inactive_file", "active_file"};

/// A mounted tree of control groups that has to do with memory.
struct Mount {
    const Version* version = nullptr;
    std::string root;   ///< the group that is mounted
    std::string point;  ///< where
};

/// Blanks and the like are written as "\040" there.
std::string without_escapes(const std::string& text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        const char* digits = text.data() + i + 1;
        if (text[i] == '\\' && i + 3 < text.size() &&
            std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3 && code < 256) {
            result += static_cast<char>(code);
            i += 3;
        } else {
            result += text[i];
        }
    }
    return result;
}

bool has_word(const std::string& list, std::string_view word) {
    return ("," + list + ",").find("," + std::string(word) + ",") != std::string::npos;
}

/// Lines such as "32 31 0:29 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory".
std::vector<Mount> mounts(const fs::path& root) {
    std::vector<Mount> found;
    for (const std::string& line : lines_of(root / "proc/self/mountinfo")) {
        const std::vector<std::string> words = words_of(line);
        const auto dash = std::find(words.begin(), words.end(), "-");
        if (dash - words.begin() < 6 || words.end() - dash < 4) continue;
        const bool is_version_1 = dash[1] == "cgroup" && has_word(dash[3], "memory");
        if (is_version_1 || dash[1] == "cgroup2") {
            found.push_back({is_version_1 ? &version_1 : &version_2, without_escapes(words[3]),
                             without_escapes(words[4])});
        }
    }
    return found;
}

/// The group of this process: in lines such as "4:memory:/job/7" of version 1, "0::/job/7" of version 2.
std::optional<std::string> own_group(const fs::path& root, const Version* version) {
    for (const std::string& line : lines_of(root / "proc/self/cgroup")) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (version == &version_2 ? controllers.empty() : has_word(controllers, "memory"))
            return line.substr(second + 1);
    }
    return std::nullopt;
}

/// The folder of a group below the mounted one; none where it is not below it.
std::optional<fs::path> path_below(const std::string& group, const std::string& mounted) {
    const fs::path path(group);
    if (!path.is_absolute() || std::find(path.begin(), path.end(), fs::path("..")) != path.end())
        return std::nullopt;
    const fs::path relative = path.lexically_relative(fs::path(mounted));
    if (relative.empty() || *relative.begin() == "..") return std::nullopt;
    return relative;
}

/// Whether the groups in `folder` are also counted as parts of it, which version 1 may be told not to do.
bool counts_children(const fs::path& folder) {
    return number_in(folder / "memory.use_hierarchy").value_or(1) != 0;
}

void add_bound(const Version& version, const fs::path& root, const fs::path& folder,
               std::vector<MemoryBound>& bounds) {
    const fs::path place = root / folder.relative_path();
    const std::optional<std::int64_t> limit = number_in(place / version.limit);
    if (!limit || *limit >= endless) return;
    const fs::path statistics = place / "memory.stat";
    const std::int64_t files =
        named_number(statistics, version.inactive_file) + named_number(statistics, version.active_file);
    const std::int64_t used = std::max<std::int64_t>(number_in(place / version.use).value_or(0) - files, 0);
    bounds.push_back({*limit, std::max<std::int64_t>(*limit - used, 0),
                      fmt::format("the control group {} ({})", folder.string(), version.limit)});
}

std::int64_t limit_of(int resource) {
    rlimit limit{};
    if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= static_cast<rlim_t>(endless))
        return ResourceLimits::none;
    return static_cast<std::int64_t>(limit.rlim_cur);
}

const MemoryBound* tightest(const std::vector<MemoryBound>& bounds) {
    const auto found = std::min_element(
        bounds.begin(), bounds.end(), [](const auto& a, const auto& b) { return a.available < b.available; });
    return found == bounds.end() ? nullptr : &*found;
}

std::string describe(std::int64_t needed, const char* of_what, const MemoryBound& bound) {
    const auto in_words = [](std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); };
    const std::string there_is = bound.available == bound.bytes
                                     ? fmt::format("{} has {}", bound.owner, in_words(bound.bytes))
                                     : fmt::format("of the {} of {} there are {} left", in_words(bound.bytes),
                                                   bound.owner, in_words(bound.available));
    return fmt::format(
        "memory: the run needs about {}{}, but {}; take a smaller box or density, precision mixed or fewer "
        "outputs, or have more memory",
        in_words(needed), of_what, there_is);
}

std::vector<MemoryBound> memory_bounds() {
    std::vector<MemoryBound> bounds = control_group_bounds();
    if (const std::int64_t there_is = machine_memory(); there_is > 0)
        bounds.push_back({there_is, there_is, "this machine"});
    return bounds;
}

}  // namespace

ResourceLimits resource_limits() { return {limit_of(RLIMIT_AS), limit_of(RLIMIT_DATA)}; }

std::int64_t machine_memory() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? std::int64_t{pages} * page_bytes : 0;
}

std::int64_t thread_stack() {
    pthread_attr_t attributes;
    std::size_t bytes = 0;
    if (pthread_getattr_default_np(&attributes) != 0) return 0;
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
    return static_cast<std::int64_t>(bytes);
}

void share_heap_where_limited() {
    const ResourceLimits limits = resource_limits();
    if (std::min(limits.address_space, limits.data) != ResourceLimits::none) mallopt(M_ARENA_MAX, 1);
}

std::vector<MemoryBound> control_group_bounds(const fs::path& root) {
    std::vector<MemoryBound> bounds;
    for (const Mount& mount : mounts(root)) {
        const std::optional<std::string> group = own_group(root, mount.version);
        const std::optional<fs::path> below = group ? path_below(*group, mount.root) : std::nullopt;
        if (!below) continue;
        const fs::path top = mount.point;
        fs::path folder = (top / *below).lexically_normal();
        if (!folder.has_filename()) folder = folder.parent_path();
        add_bound(*mount.version, root, folder, bounds);
        while (folder != top && folder != folder.parent_path()) {
            folder = folder.parent_path();
            if (!counts_children(root / folder.relative_path())) break;
            add_bound(*mount.version, root, folder, bounds);
        }
    }
    return bounds;
}

std::vector<MemoryBound> address_space_bounds(const ResourceLimits& limits, const fs::path& root) {
    std::vector<MemoryBound> bounds;
    const auto add = [&](std::int64_t limit, const char* used, const char* owner) {
        if (limit == ResourceLimits::none) return;
        const std::int64_t available =
            std::max<std::int64_t>(limit - named_number(root / "proc/self/status", used), 0);
        bounds.push_back({limit, available, owner});
    };
    add(limits.address_space, "VmSize:", "the limit on address space (ulimit -v)");
    add(limits.data, "VmData:", "the limit on data (ulimit -d)");
    return bounds;
}

std::int64_t memory_in_all() {
    std::int64_t smallest = ResourceLimits::none;
    for (const std::vector<MemoryBound>& bounds : {memory_bounds(), address_space_bounds()})
        for (const MemoryBound& bound : bounds) smallest = std::min(smallest, bound.bytes);
    return smallest;
}

std::string describe_shortage(const MemoryNeed& need, const std::vector<MemoryBound>& memory,
                              const std::vector<MemoryBound>& address_space) {
    if (const MemoryBound* bound = tightest(memory); bound != nullptr && need.bytes > bound->available)
        return describe(need.bytes, "", *bound);
    if (const MemoryBound* bound = tightest(address_space);
        bound != nullptr && need.address_space > bound->available)
        return describe(need.address_space, " of address space", *bound);
    return {};
}

std::string describe_shortage(const MemoryNeed& need) {
    return describe_shortage(need, memory_bounds(), address_space_bounds());
}

}  // namespace mpcflow
