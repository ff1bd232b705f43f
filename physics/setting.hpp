#pragma once

namespace mpcflow {

/// What is known of a system when a loop over its particles is compiled: nothing; that it has sheared faces
/// and none of the rest; that it has surfaces in the box or thermal walls and none of the rest; or that it is
/// plain, and has neither of these, nor forces that differ from place to place. What is known not to be there
/// nothing asks for: that costs registers even where the answer is no.
enum class Setting { any, sheared, among_surfaces, plain };

[[nodiscard]] constexpr bool may_have_waves(Setting setting) { return setting == Setting::any; }
[[nodiscard]] constexpr bool may_be_sheared(Setting setting) {
    return setting == Setting::any || setting == Setting::sheared;
}
/// In the box; and the same for thermal walls.
[[nodiscard]] constexpr bool may_have_surfaces(Setting setting) {
    return setting == Setting::any || setting == Setting::among_surfaces;
}

/// What is known of a particle that no surface and no thermal wall has a part in.
[[nodiscard]] constexpr Setting without_surfaces(Setting setting) {
    return setting == Setting::among_surfaces ? Setting::plain : setting;
}

}  // namespace mpcflow
