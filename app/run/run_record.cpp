#include "app/run/run_record.hpp"

#include <random>
#include <stdexcept>

#include <fmt/format.h>

namespace mpcflow {

const char* status_name(RunStatus status) {
    switch (status) {
        case RunStatus::running: return "running";
        case RunStatus::completed: return "completed";
        case RunStatus::interrupted: return "interrupted";
        case RunStatus::failed: return "failed";
    }
    throw std::logic_error("unknown RunStatus");
}

std::string draw_run_id() {
    std::random_device device;
    std::string id;
    for (int word = 0; word < 4; ++word) id += fmt::format("{:08x}", device());
    return id;
}

std::string format_hash(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace mpcflow
