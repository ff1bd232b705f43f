#pragma once
/// What stands for a number that there are too few samples to tell: NaN.

#include <limits>

namespace mpcflow {

inline constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

}  // namespace mpcflow
