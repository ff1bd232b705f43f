#include "physics/host/processors.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <thread>
#include <vector>

namespace mpcflow {

int available_processors() {
    // A kernel of more processors than a cpu_set_t has bits answers EINVAL until the set is as large as its
    // own.
    constexpr std::size_t most_sets = 1024;
    for (std::size_t count = 1; count <= most_sets; count *= 2) {
        std::vector<cpu_set_t> sets(count);
        const std::size_t bytes = count * sizeof(cpu_set_t);
        if (sched_getaffinity(0, bytes, sets.data()) == 0)
            return std::max(1, CPU_COUNT_S(bytes, sets.data()));
        if (errno != EINVAL) break;
    }
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace mpcflow
