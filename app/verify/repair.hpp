#pragma once
/// Rolls the files of a run back to their last whole state.

#include <string>
#include <vector>

#include "app/verify/findings.hpp"
#include "app/verify/verification.hpp"

namespace mpcflow::verify {

struct Repaired {
    std::vector<std::string> done;    ///< in words
    std::vector<std::string> failed;  ///< what could not be done, and why
    Findings findings;                ///< of what is there now
};

/// Does what verify() says that there is to do, and verifies again. Whenever it is killed, or the machine
/// loses power, each file is as it was or as it is to be, and doing it once more does the rest. Throws
/// EnvironmentError where a run has the directory.
[[nodiscard]] Repaired repair(const Target& target);

}  // namespace mpcflow::verify
