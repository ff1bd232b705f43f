#include "input/stream_keys.hpp"

#include <cstddef>

#include "input/keys.hpp"

namespace mpcflow::input {
namespace {

constexpr RealRange place_range = between(0, largest_edge);
/// Less would not hold the temperature where laws leave it to the virtual particles.
constexpr RealRange strength_range = between(0.01, 10);

}  // namespace

void visit_stream(KeyVisitor& keys, std::optional<Stream>& stream) {
    keys.optional_section(
        {"stream",
         "A slab across the box that drives the fluid in it to a velocity, whatever obstacles have made of "
         "the flow before; without this section, none."},
        stream,
        [&](Stream& read) {
            auto axis = static_cast<std::size_t>(read.axis);
            keys.one_of({"axis", "The axis, of periodic faces, that the slab is across.", Presence::required},
                        axis, axis_words);
            read.axis = static_cast<int>(axis);
            keys.real({"from", "Where the slab begins along that axis, in cells."}, read.from, place_range);
            keys.real({"to", "Where it ends.", Presence::required}, read.to, place_range);
            keys.reals(
                {"velocity", "The fluid's there, along x, y, z: the mean over the slab.", Presence::required},
                read.velocity, face_velocity_range);
            keys.choice({"profile",
                         "uniform: the same velocity everywhere; parabolic: that of a flow between the walls "
                         "of the one axis that has such."},
                        read.profile);
            keys.real({"strength",
                       "Virtual particles for each of the fluid; the more there are, the sooner the fluid "
                       "takes on the velocity."},
                      read.strength, strength_range);
        });
}

}  // namespace mpcflow::input
