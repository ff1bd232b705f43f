#pragma once
/// `mpcflow check --ranks N`: how the box is cut for so many ranks, and what one of them takes.

#include <cstdint>

#include "input/scenario.hpp"
#include "physics/domain/cut.hpp"

namespace mpcflow {

/// Of the largest domain, which sets the pace.
struct DomainReport {
    Cut cut;
    std::int64_t cells = 0;
    std::int64_t particles = 0;     ///< about
    std::int64_t memory_bytes = 0;  ///< of its rank; rank 0 has the outputs besides
    std::int64_t halo_cells = 0;    ///< which neighbours have, too, and both resolve
    int neighbours = 0;
    int messages = 0;             ///< that it sends in a step
    std::int64_t step_bytes = 0;  ///< that it sends in a step, at most about
};

/// `scenario` was read for so many ranks, so that there is a cut.
[[nodiscard]] DomainReport report_of_domains(const Scenario& scenario, int ranks);

/// The lines of `check`.
void print_text(const DomainReport& report);

class JsonWriter;
/// The member "ranks" of an object.
void add_json(JsonWriter& json, const DomainReport& report);

}  // namespace mpcflow
