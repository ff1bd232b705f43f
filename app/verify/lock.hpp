#pragma once
/// Whether a run has a directory, and taking it for a repair.

#include "app/storage/directory.hpp"

namespace mpcflow::verify {

/// Asks the system's list of locks; takes none, not for a moment, as a run that starts just then would be refused. False
/// where there is no such list.
[[nodiscard]] bool is_locked(const storage::Directory& directory);

/// Takes the directory as a run does, until it is closed. Throws EnvironmentError where a run has it.
void take(const storage::Directory& directory);

}  // namespace mpcflow::verify
