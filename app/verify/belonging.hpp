#pragma once
/// Whether the files of a run belong together, and what can be done with them.

#include <string>
#include <vector>

#include "app/storage/directory.hpp"
#include "app/verify/findings.hpp"
#include "app/verify/growing_check.hpp"
#include "app/verify/sealed_check.hpp"

namespace mpcflow::verify {

/// Files, each of which was verified on its own.
struct Found {
    Findings findings;
    std::vector<CheckpointFinding> checkpoints;
    std::vector<GrowingFinding> growing;  ///< but for those that were moved aside
};

/// Adds to the findings of a directory what does not fit, what a restart does, and what --repair would do.
void conclude(const storage::Directory& directory, Found& found);
/// The same of a file alone.
void conclude_file(Found& found);

/// Whether a repair is still to be made, or was.
enum class Tense { future, past };
[[nodiscard]] std::string describe(const RepairStep& step, Tense tense);

}  // namespace mpcflow::verify
