#pragma once

namespace mpcflow {

/// What is known of a system when a loop over its particles is compiled: nothing; or that it is plain, with
/// no sheared faces, and no forces that differ from place to place. Of a plain system nothing asks for these,
/// which costs registers even where they are not.
enum class Setting { any, plain };

}  // namespace mpcflow
