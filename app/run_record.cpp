#include "app/run_record.hpp"

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

std::string format_hash(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

}  // namespace mpcflow
