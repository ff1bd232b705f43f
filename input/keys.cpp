#include "input/keys.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "input/fluid_keys.hpp"
#include "input/start_keys.hpp"
#include "input/stream_keys.hpp"
#include "input/surface_keys.hpp"
#include "physics/collision/laws.hpp"

namespace mpcflow::input {
namespace {

constexpr IntegerRange step_range{0, most_steps};
constexpr IntegerRange every_range{1, most_steps};
constexpr RealRange region_range = between(0, largest_edge);
constexpr RealRange force_range = between(-1e6, 1e6);

/// An item of `forces`. The uniform steady ones add up to System::force.
struct ForceItem {
    Force force;
    std::array<double, 3> uniform{};
    std::array<double, 3> gravity{};
    std::optional<Force> sine;
    std::optional<Force> opposed_blocks;

    ForceItem() = default;
    explicit ForceItem(const Force& a_force) : force(a_force) {
        switch (force.shape) {
            case ForceShape::uniform: uniform = force.amplitude; break;
            case ForceShape::gravity: gravity = force.amplitude; break;
            case ForceShape::sine: sine = force; break;
            case ForceShape::opposed_blocks: opposed_blocks = force; break;
        }
    }
    /// check_forces() sees to it that there is one of them.
    [[nodiscard]] Force read() const {
        Force found = force;
        const auto take = [&](ForceShape shape, const std::array<double, 3>& amplitude) {
            found.shape = shape;
            found.amplitude = amplitude;
        };
        take(ForceShape::uniform, uniform);
        if (gravity != std::array<double, 3>{}) take(ForceShape::gravity, gravity);
        for (const auto& wave : {sine, opposed_blocks}) {
            if (!wave) continue;
            take(wave == sine ? ForceShape::sine : ForceShape::opposed_blocks, wave->amplitude);
            found.along = wave->along;
            found.waves = wave->waves;
        }
        return found;
    }
};

void visit_wave(KeyVisitor& keys, Force& wave) {
    keys.reals({"amplitude", "The greatest force, along x, y, z; energy / a.", Presence::required},
               wave.amplitude, force_range);
    auto along = static_cast<std::size_t>(wave.along);
    keys.one_of({"along", "The axis along which it changes.", Presence::required}, along, axis_words);
    wave.along = static_cast<int>(along);
    keys.integer({"waves", "How many waves the box holds along that axis."}, wave.waves, {1, largest_edge});
}

void visit_forces(KeyVisitor& keys, System& system) {
    std::vector<ForceItem> forces;
    if (std::any_of(system.force.begin(), system.force.end(), [](double f) { return f != 0.0; }))
        forces.emplace_back(Force{.amplitude = system.force});
    for (int i = 0; i < system.forces.size(); ++i) forces.emplace_back(system.forces[i]);
    keys.list(
        {"forces",
         "Forces on every particle; they add up. An item has one of uniform, gravity, sine and "
         "opposed_blocks, and, where it does not act always alike, from, until and period."},
        forces, [&](ForceItem& item) {
            const auto reals = [&](const Key& key, std::array<double, 3>& values) {
                if (keys.is_given(key, values != std::array<double, 3>{}))
                    keys.reals(key, values, force_range);
            };
            const auto steps = [&](const Key& key, std::int64_t& value) {
                if (keys.is_given(key, value != 0)) keys.integer(key, value, step_range);
            };
            reals({"uniform", "The same force (not an acceleration) everywhere, along x, y, z; energy / a."},
                  item.uniform);
            reals({"gravity", "The same acceleration everywhere, along x, y, z; energy / (mass a)."},
                  item.gravity);
            keys.optional_section({"sine", "The amplitude times sin(2 pi waves x / L), x along an axis."},
                                  item.sine, [&](Force& wave) { visit_wave(keys, wave); });
            keys.optional_section({"opposed_blocks", "The amplitude times the sign of that sine."},
                                  item.opposed_blocks, [&](Force& wave) { visit_wave(keys, wave); });
            steps({"from", "The first step in which it acts."}, item.force.from);
            steps({"until", "The first step in which it does not act any more; 0: it goes on."},
                  item.force.until);
            steps({"period",
                   "Steps in which it swings once to and fro, from its full strength on; 0: it does not."},
                  item.force.period);
        });
    system.force = {};
    system.forces = {};
    for (const ForceItem& item : forces) {
        const Force force = item.read();
        if (force.shape == ForceShape::uniform && force.is_steady())
            for (std::size_t axis = 0; axis < 3; ++axis) system.force[axis] += force.amplitude[axis];
        else if (system.forces.size() < ForceList::most) system.forces.add(force);
    }
}

std::string rules_in_words() {
    std::string words;
    for (const LawInfo& law : all_laws) {
        if (law.conserves_angular_momentum) continue;
        words += words.empty() ? "" : "; ";
        words.append(law.name).append(", ").append(law.meaning);
    }
    return words;
}

void visit_system(KeyVisitor& keys, System& system) {
    keys.integer({"seed", "Seed of all random numbers; another seed is another sample of the same physics."},
                 system.seed, {0, std::numeric_limits<std::int64_t>::max()});
    keys.section(
        {"box", "The cuboid that is simulated.", Presence::required},
        [&] {
            keys.integers(
                {"size", "Edges along x, y, z in collision cells (the cell edge a is the unit of length).",
                 Presence::required},
                system.box.size, {1, largest_edge});
        });
    keys.section({"fluid", "The fluid in equilibrium."}, [&] { visit_fluid(keys, system); });
    keys.section({"collision", "What happens in a cell every time step."}, [&] {
        Collision& collision = system.collision;
        static const std::string rules = "The law: " + rules_in_words() + ".";
        keys.choice({"rule", rules.c_str()}, collision.rule);
        keys.real_where(law_of({.rule = collision.rule}).has_angle,
                        {"angle", "Rotation angle of srd in degrees."}, collision.angle, positive_up_to(180),
                        std::string(name_of(collision.rule)) + " turns nothing by an angle; leave it out");
        keys.real({"time_step", "Time h between collisions; a sqrt(m / kT) where kT and m are 1."},
                  collision.time_step, between(1e-6, 1e3));
        keys.flag(
            {"conserve_angular_momentum", "Conserve the angular momentum of every cell too (the +a law)."},
            collision.conserve_angular_momentum);
        keys.flag({"random_shift", "Shift the grid of cells at random every step, for Galilean invariance."},
                  collision.random_shift);
    });
    keys.section(
        {"thermostat", "What holds the temperature."},
        [&] {
            keys.choice(
                {"kind",
                 "none leaves the energy to the collisions, which keep it but for srd with angular momentum. "
                 "The others scale relative velocities cell by cell: maxwell_boltzmann to an energy drawn "
                 "from its canonical distribution; monte_carlo by factors that are tried, to the same "
                 "distribution; simple to the mean energy, without its fluctuations."},
                system.thermostat.kind);
            keys.real_where(system.thermostat.kind == ThermostatKind::monte_carlo,
                            {"strength", "monte_carlo tries factors of up to 1 + strength."},
                            system.thermostat.strength, between(1e-3, 1),
                            std::string(name_of(system.thermostat.kind)) +
                                " tries no factors; leave it out, or set thermostat.kind to monte_carlo");
        });
    keys.section({"boundaries", "The faces of the box."}, [&] {
        static constexpr const char* axes[] = {"x", "y", "z"};
        static constexpr const char* docs[] = {"The two faces normal to x.", "The two faces normal to y.",
                                               "The two faces normal to z."};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            keys.faces({axes[axis], docs[axis]}, system.boundaries.faces[axis]);
        }
        keys.flag({"virtual_particles",
                   "Walls take part in the collisions of the cells that they cut; without, fluids slip."},
                  system.boundaries.virtual_particles);
    });
    visit_surfaces(keys, system.surfaces.list);
    visit_forces(keys, system);
    visit_stream(keys, system.stream);
}

void visit_output(KeyVisitor& keys, Output& output) {
    keys.text({"directory",
               "Where results go, relative to where the program runs; default: out/ and the name of "
               "the input file without its ending."},
              output.directory, 1000);
    keys.optional_section(
        {"trajectory", "Particles, frame by frame; without this section, none."}, output.trajectory,
        [&](TrajectoryOutput& trajectory) {
            keys.integer({"every", "Steps between frames, counted from step 0, which is written too.",
                          Presence::required},
                         trajectory.every, every_range);
            keys.some_of({"quantities", "What a frame holds of every particle."},
                         std::array{NamedFlag{"position", &trajectory.position},
                                    NamedFlag{"velocity", &trajectory.velocity}});
            keys.optional_section(
                {"region", "Frames hold only the particles that are here; without this section, all."},
                trajectory.region, [&](Region& region) {
                    keys.reals({"lower", "Corner of the region, along x, y, z in cells.", Presence::required},
                               region.lower, region_range);
                    keys.reals({"upper", "Opposite corner; lower <= x < upper is in the region.",
                                Presence::required},
                               region.upper, region_range);
                });
            keys.integer(
                {"every_nth_id", "Frames hold only the particles whose id is a multiple of this; 1: all."},
                trajectory.every_nth_id, {1, largest_id_stride});
            keys.choice(
                {"precision",
                 "How positions and velocities are stored: single, double, or auto: as the run has them."},
                trajectory.precision);
        });
    keys.optional_section(
        {"fields",
         "Averages over bins, from the end of the equilibration on; without this "
         "section, none."},
        output.fields, [&](FieldsOutput& fields) {
            keys.integer({"every", "Steps between samples.", Presence::required}, fields.every, every_range);
            keys.some_of(
                {"quantities", "What is averaged in every bin."},
                std::array{NamedFlag{"density", &fields.density}, NamedFlag{"velocity", &fields.velocity},
                           NamedFlag{"temperature", &fields.temperature},
                           NamedFlag{"pressure_tensor", &fields.pressure_tensor}});
            keys.integers({"bins", "Number of bins along x, y, z; each divides the box into whole cells.",
                           Presence::required},
                          fields.bins, {1, largest_edge});
            keys.integer({"time_window",
                          "Steps over which fields.h5 has an average each, one after the other, in whole "
                          "multiples of every; 0: none."},
                         fields.time_window, {0, most_steps});
        });
    keys.optional_section(
        {"histograms",
         "How many particles cells hold and how fast particles are, counted from the end of the "
         "equilibration on; "
         "without this section, not."},
        output.histograms, [&](HistogramsOutput& histograms) {
            keys.integer({"every", "Steps between samples.", Presence::required}, histograms.every,
                         every_range);
            keys.integer_or_auto(
                {"occupancy_bins",
                 "Bins for cells of 0, 1, 2 ... particles; the last one takes all above; auto: "
                 "enough for any cell that chance fills."},
                histograms.occupancy_bins, {1, largest_histogram});
            keys.integer({"speed_bins", "Bins of equal width up to largest_speed; one more takes all above."},
                         histograms.speed_bins, {1, largest_histogram});
            keys.real({"largest_speed", "Where the bins of speed end, in thermal speeds sqrt(kT / m)."},
                      histograms.largest_speed, positive_up_to(32));
        });
    keys.optional_section(
        {"diffusion",
         "How far some particles get and how long they remember their velocities, from the end of the "
         "equilibration on; "
         "without this section, not measured."},
        output.diffusion, [&](DiffusionOutput& diffusion) {
            keys.integer({"every", "Steps between samples; lags are multiples of it."}, diffusion.every,
                         every_range);
            keys.integer({"tracers", "At most so many particles are followed, evenly spread over the ids."},
                         diffusion.tracers, {1, most_tracers});
        });
    keys.optional_section(
        {"radial_distribution",
         "How many particles there are at a distance from a particle, from the end of the equilibration on; "
         "without this "
         "section, not counted."},
        output.radial_distribution, [&](RadialDistributionOutput& radial) {
            keys.integer({"every", "Steps between samples."}, radial.every, every_range);
            keys.real({"range", "Longest distance, in cells; at most half of the box along periodic axes."},
                      radial.range, positive_up_to(largest_edge));
            keys.integer({"bins", "Bins of equal width from 0 to range."}, radial.bins,
                         {1, largest_histogram});
            keys.integer({"centres",
                          "At most so many particles, evenly spread over the ids, have their neighbours "
                          "counted; those nearer "
                          "to a wall than range are left out."},
                         radial.centres, {1, most_tracers});
        });
    const auto waves = [&](auto& section) {
        keys.integer({"every", "Steps between samples."}, section.every, every_range);
        keys.integer(
            {"count",
             "Wave numbers n = 1 ... count along each axis without walls, k = 2 pi n / L; waves shorter "
             "than two cells are left out."},
            section.count, {1, most_modes});
    };
    keys.optional_section(
        {"modes",
         "How waves of the velocity decay: correlations of its Fourier modes, from the end of the "
         "equilibration on; "
         "without this section, none."},
        output.modes, waves);
    keys.optional_section(
        {"structure_factor",
         "How strongly the density fluctuates by wave length and for how long, from the end of the "
         "equilibration on; without this section, not measured."},
        output.structure_factor, waves);
    keys.optional_section(
        {"stress",
         "The pressure tensor of all of the fluid, its correlations and by these the viscosity, from the end "
         "of the "
         "equilibration on; without this section, none."},
        output.stress,
        [&](StressOutput& stress) {
            keys.integer({"every", "Steps from the beginning of a burst of samples to that of the next."},
                         stress.every, every_range);
            keys.integer_or_auto(
                {"burst",
                 "Consecutive steps that are sampled; as many as `every`: all steps; auto: 20, or all "
                 "where `every` is less."},
                stress.burst, {1, 1'000'000});
            keys.integer_or_auto(
                {"lags",
                 "Lags of the correlations, of 0 steps and more; auto: as many as a burst has steps, "
                 "at most 100."},
                stress.lags, {1, most_stress_lags});
        });
    keys.optional_section(
        {"walls",
         "Stress on the walls and flow rates, from the end of the equilibration on; without this section, "
         "none."},
        output.walls,
        [&](WallsOutput& walls) {
            keys.integer({"every",
                          "Steps between samples, each of which costs one to five steps; 1 gives by far the "
                          "smallest errors, since the noise of successive steps cancels."},
                         walls.every, every_range);
        });
    keys.optional_section(
        {"series",
         "Energy, temperature and momentum of all particles and extremes over time; without this "
         "section, none."},
        output.series, [&](SeriesOutput& series) {
            keys.integer({"every", "Steps between entries, counted from step 0, which is written too.",
                          Presence::required},
                         series.every, every_range);
        });
}

void visit_checkpoint(KeyVisitor& keys, CheckpointTimes& checkpoint) {
    keys.integer({"every", "Steps between checkpoints; 0: none by steps."}, checkpoint.every, step_range);
    keys.real({"minutes", "Minutes between checkpoints; 0: none by time."}, checkpoint.minutes,
              between(0, 1e6));
}

void visit_execution(KeyVisitor& keys, Execution& execution) {
    keys.device({"device", "What runs it; auto takes a GPU if there is one, and the CPU otherwise."},
                execution.device);
    keys.choice({"precision",
                 "How particles are stored: double (64 bytes each) or mixed (32 bytes); sums are double "
                 "in both."},
                execution.precision);
    keys.choice({"summation",
                 "How a GPU adds particles to cells; auto times the ways on the run's first steps. Changes "
                 "the speed, "
                 "never a bit of the result."},
                execution.summation);
    keys.integer_or_auto(
        {"reorder",
         "Steps between re-orderings of the particles in memory; auto, on a GPU, goes by measured "
         "cost. Changes the speed, never a bit of the result."},
        execution.reorder, {1, 1'000'000});
    keys.integer_or_auto(
        {"threads",
         "CPU threads; auto takes as many as the process may use, and in a Slurm job no more than "
         "`--cpus-per-task`; changes the speed, never a bit of the result."},
        execution.threads, {1, 1024});
    keys.integers_or_auto(
        {"domains",
         "How the box is cut along x, y, z where several processes run it (mpirun, srun): a domain for each; "
         "auto takes the cut with the least surface. Changes the speed, never a bit of the result."},
        execution.domains, {1, largest_edge});
}

}  // namespace

void visit_keys(KeyVisitor& keys, Scenario& scenario) {
    keys.text({"title", "One line that names the run; it is kept in the results."}, scenario.title, 200);
    visit_system(keys, scenario.system);
    visit_start(keys, scenario);
    keys.section(
        {"run", "How long.", Presence::required},
        [&] {
            keys.integer({"equilibration", "Steps that come first, of which no averages take samples."},
                         scenario.run.equilibration, step_range);
            keys.integer({"steps", "Steps after the equilibration.", Presence::required}, scenario.run.steps,
                         step_range);
        });
    keys.section(
        {"output", "What is written, and where."}, [&] { visit_output(keys, scenario.output); });
    keys.optional_section(
        {"checkpoint",
         "The state of the run is saved so often, from which it goes on after it was killed; without this "
         "section, only "
         "when a signal stops it."},
        scenario.checkpoint, [&](CheckpointTimes& checkpoint) { visit_checkpoint(keys, checkpoint); });
    keys.section({"execution", "Which machine, and how; of these keys only precision changes results."},
                 [&] { visit_execution(keys, scenario.execution); });
}

}  // namespace mpcflow::input
