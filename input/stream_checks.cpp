#include "input/stream_checks.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "input/check_base.hpp"
#include "input/face_checks.hpp"
#include "input/names.hpp"
#include "input/numbers.hpp"

namespace mpcflow::input {
namespace {

/// Of some cell the centre is in the slab then, whatever the grid's shift is.
constexpr double least_thickness = 1.0;
/// In the slab.
constexpr double enough_steps = 10.0;
/// A cell of the slab, which has its centre there, reaches so far beyond it.
constexpr double half_edge = 0.5;

class StreamChecker : private CheckBase {
public:
    StreamChecker(const System& system, const Node& root, Diagnostics& diagnostics)
        : CheckBase(system, root, diagnostics), stream_(*system.stream) {}

    void check_all() {
        if (!are_sound({"box", "boundaries"})) return;
        check_faces();
        check_slab();
        check_surfaces();
        check_velocity();
        if (stream_.profile == StreamProfile::parabolic) check_parabola();
        warn_of_haste();
        warn_of_what_it_disturbs();
    }

private:
    [[nodiscard]] char axis_name() const { return axis_names[static_cast<std::size_t>(stream_.axis)]; }

    void check_faces() {
        if (const int sheared = system_.sheared_axis(); sheared >= 0) {
            error("stream", fmt::format("the faces of {0} are sheared, and their flow is another one; leave "
                                        "the stream out, or set boundaries.{0} to periodic",
                                        axis_names[static_cast<std::size_t>(sheared)]));
        }
        if (has_wall(static_cast<std::size_t>(stream_.axis))) {
            error("stream.axis",
                  fmt::format("walls at the faces of {0} would stop the stream; boundaries.{0}: periodic is "
                              "needed, or another axis",
                              axis_name()));
        }
    }

    void check_slab() {
        const int edge = system_.box.size[static_cast<std::size_t>(stream_.axis)];
        if (!are_sound({"stream.from", "stream.to"})) return;
        if (stream_.to > edge) {
            error("stream.to", fmt::format("{} is beyond the {} cells of the box along {}",
                                           shortest(stream_.to), edge, axis_name()));
        } else if (!(stream_.to - stream_.from >= least_thickness)) {
            error("stream.to",
                  fmt::format("the slab from {} to {} is thinner than a cell; to is at least from + 1",
                              shortest(stream_.from), shortest(stream_.to)));
        }
    }

    /// What those take in a collision in which the stream takes part as well is not known; surfaces of slip
    /// take nothing.
    void check_surfaces() {
        if (!are_sound({"surfaces", "stream"})) return;
        const Node* output = root_.find("output");
        if (output == nullptr || output->find("walls") == nullptr) return;
        for (std::size_t i = 0; i < system_.surfaces.list.size(); ++i) {
            const Surface& surface = system_.surfaces.list[i];
            if (surface.kind == FaceKind::slip || !reaches_into_slab(surface)) continue;
            warn("output.walls", fmt::format("surfaces.{} reaches into the slab of the stream, where only "
                                             "what hits it is counted as its",
                                             i));
        }
    }
    [[nodiscard]] bool reaches_into_slab(const Surface& surface) const {
        if (surface.shape == SurfaceShape::cylinder && surface.axis == stream_.axis) return true;
        const double centre = surface.centre[static_cast<std::size_t>(stream_.axis)];
        const double reach = surface.radius + half_edge;
        bool reaches = false;
        for (const int image : {-1, 0, 1}) {
            const double at = centre + image * system_.box.size[static_cast<std::size_t>(stream_.axis)];
            reaches = reaches || (at + reach > stream_.from && at - reach < stream_.to);
        }
        return reaches;
    }

    void check_velocity() {
        if (!diagnostics_.is_sound("stream.velocity")) return;
        if (stream_.mean_speed() == 0.0)
            error("stream.velocity", "is 0 along each axis; a stream needs a velocity");
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!has_wall(axis) || stream_.velocity[axis] == 0.0) continue;
            error(fmt::format("stream.velocity.{}", axis),
                  fmt::format("{} along {} would press the fluid against the walls there; 0 is needed",
                              shortest(stream_.velocity[axis]), axis_names[axis]));
        }
        const double speed = stream_.greatest_speed();
        if (is_fluid_sound() && speed > most_wall_speed * thermal_speed()) {
            error("stream.velocity",
                  fmt::format(
                      "a speed of {:.3g} is {:.3g} thermal speeds sqrt(temperature / mass) of the fluid; at "
                      "most {:g} are possible, and over about 0.3 it is compressed",
                      speed, speed / thermal_speed(), most_wall_speed));
        }
    }

    void warn_of_haste() {
        if (!are_sound({"stream", "collision.time_step"})) return;
        const double steps =
            (stream_.to - stream_.from) / (stream_.greatest_speed() * system_.collision.time_step);
        if (steps < enough_steps) {
            warn("stream.to",
                 fmt::format("the fluid is in the slab for {:.2g} steps, too few to take on the velocity; "
                             "make it thicker, for {:g} at least",
                             steps, enough_steps));
        }
    }

    /// What is measured over the whole box has the slab in it.
    void warn_of_what_it_disturbs() {
        const Node* output = root_.find("output");
        if (output == nullptr) return;
        if (output->find("modes") != nullptr)
            warn("output.modes", "waves are damped in the slab of the stream, too, not by viscosity alone");
        if (output->find("diffusion") != nullptr) {
            warn("output.diffusion",
                 "particles take on new velocities in the slab of the stream, which is no diffusion");
        }
    }

    /// Its walls hold the fluid, and are at rest.
    void check_parabola() {
        const int across = system_.walled_axis();
        if (across < 0) {
            error("stream.profile",
                  "parabolic is the profile between the walls of one axis, and there is none, or several; "
                  "take uniform, or give one axis walls");
            return;
        }
        const AxisFaces& faces = system_.boundaries.faces[static_cast<std::size_t>(across)];
        for (const int side : {0, 1}) {
            const Face& face = faces[side];
            if (face.kind != FaceKind::slip && !face.is_moving()) continue;
            error("stream.profile",
                  fmt::format("parabolic is 0 at the walls, and the one at boundaries.{}.{} {}; take uniform",
                              axis_names[static_cast<std::size_t>(across)], side == 0 ? "lower" : "upper",
                              face.kind == FaceKind::slip ? "is of slip" : "moves"));
        }
    }

    const Stream& stream_;
};

}  // namespace

void check_stream(const System& system, const Node& root, Diagnostics& diagnostics) {
    if (system.stream) StreamChecker(system, root, diagnostics).check_all();
}

}  // namespace mpcflow::input
