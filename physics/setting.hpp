#pragma once

namespace mpcflow {

/// What is known of a system when a loop over its particles is compiled: nothing; that its forces differ from
/// place to place nowhere; or that it is plain, and has no sheared faces, thermal walls or surfaces in the
/// box either. What is known not to be there nothing asks for: that costs registers even where the answer is
/// no.
enum class Setting { any, without_waves, plain };

}  // namespace mpcflow
