#pragma once
/// `mpcflow check --ranks N`: how the box is cut for so many ranks, and what one of them takes.

#include <cstdint>
#include <optional>

#include "input/scenario.hpp"
#include "physics/domain/cut.hpp"

namespace mpcflow {

/// What the model of a step (docs/scaling.md) takes for granted: a rank's rate by itself, and its link.
struct StepModel {
    double updates_per_second = 0.0;
    double link_bytes_per_second = 0.0;
    double message_seconds = 0.0;
    double share_of_cells = 0.0;  ///< of the time of a step; the rest goes with the particles

    /// Of ranks of one thread of a CPU each, or of GPUs of one machine, about.
    static StepModel of(const Scenario& scenario, DeviceKind device);
};

/// Of the largest domain, which sets the pace.
struct DomainReport {
    Cut cut;
    std::int64_t cells = 0;
    std::int64_t particles = 0;  ///< about
    std::int64_t memory_bytes =
        0;  ///< of its rank, or of the GPU that it is on; rank 0 has the outputs besides
    std::int64_t halo_cells = 0;  ///< which neighbours have, too, and both resolve
    int neighbours = 0;
    int messages = 0;             ///< that it sends in a step
    std::int64_t step_bytes = 0;  ///< that it sends in a step, at most about
    std::int64_t link_bytes = 0;  ///< of these, to the neighbour that gets most
    /// Of a GPU: the part of its tiles that are deep (gpu/deep_tiles.hpp), and fly while it exchanges.
    std::optional<double> deep_share;
    StepModel model;
    double efficiency = 0.0;  ///< rate of all ranks over that of as many by themselves, by the model
};

/// On that kind of device; `scenario` was read for so many ranks, so that there is a cut.
[[nodiscard]] DomainReport report_of_domains(const Scenario& scenario, DeviceKind device, int ranks,
                                             const StepModel& model);

/// The lines of `check`.
void print_text(const DomainReport& report);

class JsonWriter;
/// The member "ranks" of an object.
void add_json(JsonWriter& json, const DomainReport& report);

}  // namespace mpcflow
