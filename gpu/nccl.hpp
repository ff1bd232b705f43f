#pragma once
/// NCCL, seen from outside: plain C++, also in a build without it.

#include <string>

namespace mpcflow {

/// "2.28.3"; empty where the build has no NCCL, or its library is not found on this machine.
[[nodiscard]] std::string nccl_version();

}  // namespace mpcflow
