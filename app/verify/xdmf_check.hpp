#pragma once
/// Verifies that fields.xdmf and fields_in_time.xdmf tell of what is there.

#include <string>

#include "app/storage/directory.hpp"
#include "app/verify/findings.hpp"

namespace mpcflow::verify {

/// Looks up every dataset that the text refers to.
[[nodiscard]] FileFinding check_xdmf_file(const storage::Directory& directory, const std::string& name);

}  // namespace mpcflow::verify
