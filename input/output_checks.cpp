#include "input/output_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "input/check_base.hpp"
#include "input/names.hpp"
#include "input/numbers.hpp"

namespace mpcflow::input {
namespace {

class OutputChecker : private CheckBase {
public:
    OutputChecker(const Scenario& scenario, const Node& root, Diagnostics& diagnostics)
        : CheckBase(scenario.system, root, diagnostics), scenario_(scenario) {}

    void check_all() {
        if (const auto& fields = scenario_.output.fields) {
            check_samples("output.fields.every", fields->every);
            check_time_window(*fields);
        }
        if (const auto& histograms = scenario_.output.histograms)
            check_samples("output.histograms.every", histograms->every);
        if (const auto& radial = scenario_.output.radial_distribution)
            check_samples("output.radial_distribution.every", radial->every);
        if (const auto& diffusion = scenario_.output.diffusion)
            check_samples("output.diffusion.every", diffusion->every);
        check_waves("output.modes", scenario_.output.modes);
        check_waves("output.structure_factor", scenario_.output.structure_factor);
        check_stress();
        check_walls();
        check_bins();
        check_region();
        check_radial_distribution();
        warn_of_late_samples();
    }

private:
    /// Of a section with the wave numbers that are followed.
    template <class Section>
    void check_waves(const std::string& path, const std::optional<Section>& section) {
        if (!section) return;
        const bool is_sound = are_sound({"box", "boundaries", path});
        check_samples(path + ".every", section->every);
        if (!is_sound) return;
        const WaveNumbers waves = waves_of(system_, section->count);
        const int most = *std::max_element(waves.along.begin(), waves.along.end());
        if (most == 0) {
            error(path,
                  fmt::format(
                      "there is no wave to follow: it needs an axis without walls{} that is at least two "
                      "cells long",
                      is_sheared() ? ", other than those of the shear," : ""));
        } else if (most < section->count) {
            error(path + ".count",
                  fmt::format(
                      "{} waves do not fit: the longest axis without walls has room for {} of two cells at "
                      "least",
                      section->count, most));
        }
    }

    void check_time_window(const FieldsOutput& fields) {
        if (!are_sound({"output.fields.every", "output.fields.time_window"}) ||
            fields.time_window % fields.every == 0)
            return;
        const std::int64_t below = fields.time_window / fields.every * fields.every;
        error("output.fields.time_window",
              fmt::format("{} steps are no whole multiple of the {} steps between samples; {} would be",
                          fields.time_window, fields.every, below > 0 ? below : fields.every));
    }

    void check_stress() {
        const auto& stress = scenario_.output.stress;
        if (!stress) return;
        const bool is_sound = are_sound({"output.stress"});
        check_samples("output.stress.every", stress->every);
        if (!is_sound) return;
        if (stress->burst > stress->every) {
            error("output.stress.burst",
                  fmt::format("a burst of {} steps is longer than the {} steps to the next; "
                              "make it shorter, or every at least as large",
                              stress->burst, stress->every));
        } else if (stress->steps_in_burst() < stress->every && stress->lags > stress->steps_in_burst()) {
            error("output.stress.lags",
                  fmt::format(
                      "{} lags are more than the {} steps of a burst; make burst longer, or as long as every",
                      stress->lags, stress->steps_in_burst()));
        }
        if (!system_.conserves_momentum()) {
            warn("output.stress",
                 fmt::format("its viscosity is that of a fluid at rest without walls; here only the pressure "
                             "tensors{} have a meaning",
                             is_sheared() && !has_surfaces() ? " and shear_viscosity" : ""));
        }
    }

    void check_walls() {
        const auto& walls = scenario_.output.walls;
        if (!walls) return;
        const bool is_sound = are_sound({"output.walls", "boundaries"});
        check_samples("output.walls.every", walls->every);
        if (!is_sound) return;
        if (!system_.has_walls()) {
            error("output.walls",
                  "all boundaries are periodic, and there are no surfaces; give one of them walls, or leave "
                  "this section out");
        }
    }

    void check_samples(std::string_view path, std::int64_t every) {
        if (are_sound({"run", path}) && every > scenario_.run.steps) {
            error(path,
                  fmt::format(
                      "{} is more than the {} steps of the run after equilibration; no sample would be taken",
                      every, scenario_.run.steps));
        }
    }

    void check_region() {
        const auto& trajectory = scenario_.output.trajectory;
        if (!trajectory || !trajectory->region || !are_sound({"box", "output.trajectory.region"})) return;
        const Region& region = *trajectory->region;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const std::string upper = fmt::format("output.trajectory.region.upper.{}", axis);
            if (region.upper[axis] > system_.box.size[axis]) {
                error(upper,
                      fmt::format("{} is outside of the box, which has {} cells along {}",
                                  shortest(region.upper[axis]), system_.box.size[axis], axis_names[axis]));
            } else if (region.lower[axis] >= region.upper[axis]) {
                error(upper,
                      fmt::format("{} is not more than the lower {} along {}; the region would be empty",
                                  shortest(region.upper[axis]), shortest(region.lower[axis]),
                                  axis_names[axis]));
            }
        }
    }

    /// Neighbours are counted once, and all around.
    void check_radial_distribution() {
        const auto& radial = scenario_.output.radial_distribution;
        const std::string path = "output.radial_distribution.range";
        if (!radial || !are_sound({"box", "boundaries", path})) return;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double half = 0.5 * system_.box.size[axis];
            if (!has_wall(axis) && radial->range > half) {
                error(path,
                      fmt::format(
                          "{} is more than half of the {} cells of the box along {}, where a particle "
                          "would be counted with its periodic images; at most {} is possible",
                          shortest(radial->range), system_.box.size[axis], axis_names[axis], shortest(half)));
            } else if (has_wall(axis) && radial->range >= half) {
                error(path,
                      fmt::format(
                          "{} is not less than half of the {} cells between the walls along {}; no particle "
                          "would be farther than that from both",
                          shortest(radial->range), system_.box.size[axis], axis_names[axis]));
            }
        }
    }

    void check_bins() {
        const auto& fields = scenario_.output.fields;
        if (!fields || !are_sound({"box", "output.fields.bins"})) return;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int bins = fields->bins[axis];
            const int size = system_.box.size[axis];
            const std::string path = fmt::format("output.fields.bins.{}", axis);
            if (bins > size) {
                error(path, fmt::format("{} bins are more than the {} cells of the box along {}", bins, size,
                                        axis_names[axis]));
            } else if (size % bins != 0) {
                error(path,
                      fmt::format("{} bins do not divide the {} cells of the box along {}; {} and {} would",
                                  bins, size, axis_names[axis], divisor_below(size, bins),
                                  divisor_above(size, bins)));
            }
        }
    }

    static int divisor_below(int size, int bins) {
        while (size % bins != 0) --bins;
        return bins;
    }
    static int divisor_above(int size, int bins) {
        while (size % bins != 0) ++bins;
        return bins;
    }

    void warn_of_late_samples() {
        const std::int64_t steps = scenario_.run.equilibration + scenario_.run.steps;
        const auto& trajectory = scenario_.output.trajectory;
        if (trajectory && trajectory->every > steps) {
            warn("output.trajectory.every",
                 fmt::format("{} is more than the {} steps of the run; only the frame of step 0 "
                             "is written",
                             trajectory->every, steps));
        }
        const auto& series = scenario_.output.series;
        if (series && series->every > steps) {
            warn("output.series.every",
                 fmt::format("{} is more than the {} steps of the run; only the entry of step 0 is "
                             "written",
                             series->every, steps));
        }
    }

    const Scenario& scenario_;
};

}  // namespace

void check_output(const Scenario& scenario, const Node& root, Diagnostics& diagnostics) {
    OutputChecker(scenario, root, diagnostics).check_all();
}

}  // namespace mpcflow::input
