// `--set path=value`: reaches every key, is checked like the file, and says which one is wrong.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "input/key_index.hpp"
#include "input/writer.hpp"
#include "tests/input/input_cases.hpp"
#include "tests/input/same_settings.hpp"

namespace mpcflow::tests {
namespace {

using Messages = std::vector<std::string>;

/// For every key a value that is not its default. Where one alone would be wrong, what goes with it.
const std::map<std::string, Messages> changes_of_most_keys = {
    {"title", {"title=Something"}},
    {"seed", {"seed=7"}},
    {"box", {"box={size: [4, 4, 4]}"}},
    {"box.size", {"box.size=[4, 8, 8]"}},
    {"fluid", {"fluid={density: 5}"}},
    {"fluid.species", {"fluid.species=[{name: a, mass: 1, density: 2}, {name: b, mass: 3, density: 1}]"}},
    {"fluid.species.0", {"fluid.species.0={name: a, mass: 2, density: 2}"}},
    {"fluid.species.0.name",
     {"fluid.species.0.name=a", "fluid.species.0.mass=2", "fluid.species.0.density=2"}},
    {"fluid.species.0.mass",
     {"fluid.species.0.mass=2", "fluid.species.0.name=a", "fluid.species.0.density=2"}},
    {"fluid.species.0.density",
     {"fluid.species.0.density=2", "fluid.species.0.name=a", "fluid.species.0.mass=2"}},
    {"fluid.density", {"fluid.density=5"}},
    {"fluid.temperature_schedule",
     {"fluid.temperature_schedule=[{step: 0, temperature: 2}]", "collision.rule=at"}},
    {"fluid.temperature_schedule.0",
     {"fluid.temperature_schedule.0={step: 3, temperature: 1}", "collision.rule=at"}},
    {"fluid.temperature_schedule.0.step",
     {"fluid.temperature_schedule.0.step=3", "fluid.temperature_schedule.0.temperature=1",
      "collision.rule=at"}},
    {"fluid.temperature_schedule.0.temperature",
     {"fluid.temperature_schedule.0.temperature=2", "fluid.temperature_schedule.0.step=3",
      "collision.rule=at"}},
    {"fluid.temperature", {"fluid.temperature=2"}},
    {"fluid.mass", {"fluid.mass=2"}},
    {"collision", {"collision={angle: 90}"}},
    {"collision.rule", {"collision.rule=srd"}},
    {"collision.angle", {"collision.angle=90"}},
    {"collision.time_step", {"collision.time_step=0.2"}},
    {"collision.conserve_angular_momentum", {"collision.conserve_angular_momentum=true"}},
    {"collision.random_shift", {"collision.random_shift=false"}},
    {"thermostat", {"thermostat={kind: maxwell_boltzmann}"}},
    {"thermostat.kind", {"thermostat.kind=maxwell_boltzmann"}},
    {"thermostat.strength", {"thermostat.kind=monte_carlo", "thermostat.strength=0.5"}},
    {"boundaries", {"boundaries={x: no_slip}"}},
    {"boundaries.x", {"boundaries.x=no_slip"}},
    {"boundaries.x.lower", {"boundaries.x.lower=no_slip", "boundaries.x.upper=no_slip"}},
    {"boundaries.x.upper", {"boundaries.x.upper=no_slip", "boundaries.x.lower=no_slip"}},
    {"boundaries.y", {"boundaries.y={lower: no_slip, upper: no_slip}"}},
    {"boundaries.y.lower", {"boundaries.y.lower=no_slip", "boundaries.y.upper=no_slip"}},
    {"boundaries.y.upper", {"boundaries.y.upper=no_slip", "boundaries.y.lower=no_slip"}},
    {"boundaries.z", {"boundaries.z=no_slip"}},
    {"boundaries.z.lower", {"boundaries.z.lower=no_slip", "boundaries.z.upper=no_slip"}},
    {"boundaries.z.upper", {"boundaries.z.upper=no_slip", "boundaries.z.lower=no_slip"}},
    {"boundaries.virtual_particles", {"boundaries.virtual_particles=false"}},
    {"forces", {"forces=[{uniform: [1, 0, 0]}, {uniform: [0, 0, 1]}]"}},
    {"forces.0", {"forces.0={uniform: [1, 0, 0]}"}},
    {"forces.0.uniform", {"forces.0.uniform=[1, 0, 0]"}},
    {"forces.0.gravity", {"forces.0.gravity=[1, 0, 0]"}},
    {"forces.0.from", {"forces=[{uniform: [1, 0, 0]}]", "forces.0.from=5"}},
    {"forces.0.until", {"forces=[{uniform: [1, 0, 0]}]", "forces.0.until=5"}},
    {"forces.0.period", {"forces=[{uniform: [1, 0, 0]}]", "forces.0.period=5"}},
    {"run", {"run={steps: 5}"}},
    {"run.equilibration", {"run.equilibration=5"}},
    {"run.steps", {"run.steps=5"}},
    {"output", {"output={directory: here}"}},
    {"output.directory", {"output.directory=here"}},
    {"output.trajectory", {"output.trajectory={every: 5}"}},
    {"output.trajectory.every", {"output.trajectory.every=5"}},
    {"output.trajectory.quantities",
     {"output.trajectory.quantities=[velocity]", "output.trajectory.every=5"}},
    {"output.trajectory.region",
     {"output.trajectory.region={lower: [0, 0, 0], upper: [1, 1, 1]}", "output.trajectory.every=5"}},
    {"output.trajectory.region.lower",
     {"output.trajectory.region.lower=[0, 0, 0]", "output.trajectory.region.upper=[1, 1, 1]",
      "output.trajectory.every=5"}},
    {"output.trajectory.region.upper",
     {"output.trajectory.region.upper=[1, 1, 1]", "output.trajectory.region.lower=[0, 0, 0]",
      "output.trajectory.every=5"}},
    {"output.trajectory.every_nth_id", {"output.trajectory.every_nth_id=3", "output.trajectory.every=5"}},
    {"output.trajectory.precision", {"output.trajectory.precision=single", "output.trajectory.every=5"}},
    {"output.histograms", {"output.histograms={every: 5}"}},
    {"output.histograms.every", {"output.histograms.every=5"}},
    {"output.histograms.occupancy_bins", {"output.histograms.occupancy_bins=7", "output.histograms.every=5"}},
    {"output.histograms.speed_bins", {"output.histograms.speed_bins=7", "output.histograms.every=5"}},
    {"output.histograms.largest_speed", {"output.histograms.largest_speed=7", "output.histograms.every=5"}},
    {"output.diffusion", {"output.diffusion={every: 5}"}},
    {"output.diffusion.every", {"output.diffusion.every=5"}},
    {"output.diffusion.tracers", {"output.diffusion.tracers=7"}},
    {"output.radial_distribution", {"output.radial_distribution={every: 5}"}},
    {"output.radial_distribution.every", {"output.radial_distribution.every=5"}},
    {"output.radial_distribution.range",
     {"output.radial_distribution.range=1.5", "output.radial_distribution.every=5"}},
    {"output.radial_distribution.bins",
     {"output.radial_distribution.bins=7", "output.radial_distribution.every=5"}},
    {"output.radial_distribution.centres",
     {"output.radial_distribution.centres=7", "output.radial_distribution.every=5"}},
    {"output.modes", {"output.modes={every: 5}"}},
    {"output.modes.every", {"output.modes.every=5"}},
    {"output.modes.count", {"output.modes.count=2", "output.modes.every=5"}},
    {"output.structure_factor", {"output.structure_factor={every: 5}"}},
    {"output.structure_factor.every", {"output.structure_factor.every=5"}},
    {"output.structure_factor.count", {"output.structure_factor.count=2"}},
    {"output.fields", {"output.fields={every: 5, bins: [1, 1, 8]}"}},
    {"output.fields.every", {"output.fields.every=5", "output.fields.bins=[1, 1, 1]"}},
    {"output.fields.quantities",
     {"output.fields.quantities=[density]", "output.fields.every=5", "output.fields.bins=[1, 1, 1]"}},
    {"output.fields.time_window",
     {"output.fields.time_window=10", "output.fields.every=5", "output.fields.bins=[1, 1, 1]"}},
    {"output.fields.bins", {"output.fields.bins=[1, 1, 1]", "output.fields.every=5"}},
    {"output.stress", {"output.stress={every: 5}"}},
    {"output.stress.every", {"output.stress.every=5"}},
    {"output.stress.burst", {"output.stress.burst=5", "output.stress.every=5"}},
    {"output.stress.lags", {"output.stress.lags=7", "output.stress.every=5"}},
    {"output.walls", {"output.walls={every: 5}", "boundaries.z=no_slip"}},
    {"output.walls.every", {"output.walls.every=5", "boundaries.z=no_slip"}},
    {"output.series", {"output.series={every: 5}"}},
    {"output.series.every", {"output.series.every=5"}},
    {"checkpoint", {"checkpoint={every: 10}"}},
    {"checkpoint.every", {"checkpoint.every=10"}},
    {"checkpoint.minutes", {"checkpoint.minutes=1.5"}},
    {"execution", {"execution={threads: 2}"}},
    {"execution.device", {"execution.device=cuda:1"}},
    {"execution.precision", {"execution.precision=mixed"}},
    {"execution.summation", {"execution.summation=cas"}},
    {"execution.reorder", {"execution.reorder=8"}},
    {"execution.threads", {"execution.threads=2"}},
    {"execution.domains", {"execution.domains=[2, 1, 3]"}},
};

/// And of what faces and waves of force are like.
std::map<std::string, Messages> all_changes() {
    std::map<std::string, Messages> changes = changes_of_most_keys;
    for (const std::string shape : {"sine", "opposed_blocks"}) {
        const std::string path = "forces.0." + shape;
        const std::string wave = path + "={amplitude: [1, 0, 0], along: z}";
        changes[path] = {wave};
        changes[path + ".amplitude"] = {wave, path + ".amplitude=[0, 2, 0]"};
        changes[path + ".along"] = {wave, path + ".along=y"};
        changes[path + ".waves"] = {wave, path + ".waves=2"};
    }
    for (const std::string axis : {"x", "y", "z"}) {
        const std::string velocity = axis == "x" ? "[0, 0.1, 0]" : "[0.1, 0, 0]";
        for (const std::string side : {".lower", ".upper"}) {
            const std::string face = "boundaries." + axis + side;
            const std::string sticky = "boundaries." + axis + "=no_slip";
            changes[face + ".kind"] = {"boundaries." + axis + "=slip", face + ".kind=no_slip"};
            changes[face + ".velocity"] = {sticky, face + ".velocity=" + velocity};
            changes[face + ".temperature"] = {sticky, face + ".temperature=1.5"};
        }
    }
    const std::string pipe = "surfaces.0={cylinder: {axis: z, centre: [4, 4], radius: 2}, fluid: outside}";
    const std::string ball = "surfaces.0={sphere: {centre: [4, 4, 4], radius: 2}, fluid: outside}";
    changes["surfaces"] = {"surfaces=[{sphere: {centre: [4, 4, 4], radius: 2}, fluid: outside}]"};
    changes["surfaces.0"] = {pipe};
    changes["surfaces.0.cylinder"] = {ball, "surfaces.0={fluid: inside}",
                                      "surfaces.0.cylinder={axis: x, centre: [4, 4], radius: 3}"};
    changes["surfaces.0.cylinder.axis"] = {pipe, "surfaces.0.cylinder.axis=x"};
    changes["surfaces.0.cylinder.centre"] = {pipe, "surfaces.0.cylinder.centre=[3, 4]"};
    changes["surfaces.0.cylinder.radius"] = {pipe, "surfaces.0.cylinder.radius=1.5"};
    changes["surfaces.0.sphere"] = {pipe, "surfaces.0={fluid: inside}",
                                    "surfaces.0.sphere={centre: [4, 4, 4], radius: 3}"};
    changes["surfaces.0.sphere.centre"] = {ball, "surfaces.0.sphere.centre=[3, 4, 5]"};
    changes["surfaces.0.sphere.radius"] = {ball, "surfaces.0.sphere.radius=1.5"};
    changes["surfaces.0.fluid"] = {ball, "surfaces.0.fluid=inside"};
    changes["surfaces.0.kind"] = {ball, "surfaces.0.kind=thermal"};
    changes["surfaces.0.velocity"] = {pipe, "surfaces.0.velocity=[0, 0, 0.1]"};
    changes["surfaces.0.angular_velocity"] = {ball, "surfaces.0.angular_velocity=[0, 0.1, 0]"};
    changes["surfaces.0.temperature"] = {ball, "surfaces.0.temperature=1.5"};
    const std::string stream = "stream={axis: x, to: 4, velocity: [0.1, 0, 0]}";
    changes["stream"] = {stream};
    changes["stream.axis"] = {stream, "stream.axis=y"};
    changes["stream.from"] = {stream, "stream.from=1.5"};
    changes["stream.to"] = {stream, "stream.to=3"};
    changes["stream.velocity"] = {stream, "stream.velocity=[0.2, 0, 0]"};
    changes["stream.profile"] = {stream, "boundaries.z=no_slip", "stream.profile=parabolic"};
    changes["stream.strength"] = {stream, "stream.strength=0.5"};
    changes["start"] = {"start=lattice"};
    changes["start.lattice"] = {"start.lattice={}"};
    changes["start.from"] = {"start=lattice", "start.from=old.h5"};  // which takes the word's place
    changes["start.frame"] = {"start.frame=3", "start.from=old.h5"};
    changes["start.arrays"] = {"start.arrays=mine.h5"};
    return changes;
}

TEST(Overrides, ReachEveryKey) {
    const std::map<std::string, Messages> changes = all_changes();
    const Scenario plain = parse_scenario(least, "f.yaml");
    for (const std::string& path : input::all_paths()) {
        const auto change = changes.find(path);
        ASSERT_NE(change, changes.end()) << "no case for the key " << path;
        EXPECT_EQ(errors_of(least, change->second), Messages{}) << path;
        const Scenario changed = parse_scenario(least, "f.yaml", change->second);
        const bool has_one_value = path == "collision.rule";
        EXPECT_EQ(same_settings(plain, changed), has_one_value) << path;
        EXPECT_EQ(changed.overrides, change->second);
    }
    EXPECT_EQ(changes.size(), input::all_paths().size());
}

TEST(Overrides, ReachEveryKeyOfAFullFile) {
    const std::string full = read_file(source_file("tests/input/corpus/all_keys.yaml"));
    ASSERT_EQ(errors_of(full), Messages{});
    // A surface has one shape alone.
    const std::string shape = "cylinder: {axis: z, centre: [4, 5], radius: 3.5}, velocity: [0, 0, 0.1], ";
    std::string with_sphere = full;
    with_sphere.replace(full.find(shape), shape.size(), "sphere: {centre: [4, 5, 6], radius: 3.5}, ");
    ASSERT_EQ(errors_of(with_sphere), Messages{});
    const std::string of_one = "density: 3.5, temperature: 2.0, mass: 0.5";
    const std::string mixture = std::string(full).replace(
        full.find(of_one), of_one.size(), "temperature: 2.0, species: [{name: a, mass: 1, density: 1}]");
    ASSERT_EQ(errors_of(mixture), Messages{});
    const std::string steady = "temperature: 2.0";
    const std::string scheduled = std::string(full).replace(
        full.find(steady), steady.size(), "temperature_schedule: [{step: 5, temperature: 2}]");
    ASSERT_EQ(errors_of(scheduled), Messages{});
    for (const std::string& path : input::all_paths()) {
        // No key takes a map of a single unknown name: an error that names the override, and it alone.
        const std::string override_text = path + "={no_such_name: 1}";
        const bool is_of_sphere = path.starts_with("surfaces.0.sphere");
        // Beside species a density and a mass of all are an error of their own; beside a schedule a
        // temperature is.
        const bool is_of_species = path.starts_with("fluid.species");
        const bool is_of_schedule = path.starts_with("fluid.temperature_schedule");
        Messages overrides{override_text};
        // Where there is no wave yet it would lack what it must have, too.
        for (const std::string wave : {"sine", "opposed_blocks"})
            if (path.starts_with("forces.0." + wave + "."))
                overrides.insert(overrides.begin(),
                                 "forces=[{" + wave + ": {amplitude: [1, 0, 0], along: z}}]");
        const std::string& text = is_of_sphere     ? with_sphere
                                  : is_of_species  ? mixture
                                  : is_of_schedule ? scheduled
                                                   : full;
        const Messages messages = errors_of(text, overrides);
        ASSERT_FALSE(messages.empty()) << path;
        for (const std::string& message : messages)
            EXPECT_EQ(message.rfind("--set " + override_text + ": " + path, 0), 0U) << message;
    }
}

TEST(Overrides, SetWhatTheySay) {
    const Scenario s = parse_scenario(
        "box: {size: [8, 8, 8]}\nrun: {steps: 1}\nboundaries: {z: no_slip}\nforces: [{uniform: [1, 2, 3]}]\n",
        "f.yaml",
        {"box.size.2=16", "collision.angle=90", "collision.angle=1e2", "forces.1.uniform=[1, 1, 1]",
         "forces.0.uniform.0=-1", "boundaries.z.lower=periodic", "boundaries.z.upper=periodic", "title=a=b",
         "output.fields={every: 1, bins: [2, 2, 2]}", "output.fields.bins.0=4"});
    EXPECT_EQ(s.system.box.size, (std::array{8, 8, 16}));
    EXPECT_EQ(s.system.collision.angle, 100.0);
    EXPECT_EQ(s.system.force, (std::array{0.0, 3.0, 4.0}));
    EXPECT_TRUE(s.system.boundaries.faces[2].is_periodic());
    EXPECT_EQ(s.title, "a=b");
    EXPECT_EQ(s.output.fields->bins, (std::array{4, 2, 2}));
}

TEST(Overrides, GiveWhatAFileLacks) {
    EXPECT_EQ(errors_of("title: x", {"box.size=[4, 4, 4]", "run.steps=5"}), Messages{});
}

TEST(Overrides, MendWhatAFileHasWrong) {
    EXPECT_EQ(errors_of(least + "collision: {angle: 200}", {"collision.angle=100"}), Messages{});
    EXPECT_EQ(errors_of(least + "fluid: 5", {"fluid={mass: 1}"}), Messages{});
}

TEST(Overrides, SayWhichIsWrong) {
    const auto message = [](const std::string& change) {
        const Messages messages = errors_of(least, {change});
        return messages.size() == 1 ? messages[0] : std::to_string(messages.size()) + " messages";
    };
    EXPECT_EQ(message("collision.angle=200"),
              "--set collision.angle=200: collision.angle: 200 is out of range (0, 180]");
    EXPECT_EQ(
        message("collision.angel=90"),
        "--set collision.angel=90: collision.angel: is not a key; did you mean collision.angle? Allowed in "
        "collision are rule, angle, time_step, conserve_angular_momentum, random_shift");
    EXPECT_EQ(message("colision.angle=90"),
              "--set colision.angle=90: colision: is not a key; did you mean collision? Allowed here are "
              "title, seed, "
              "box, fluid, collision, thermostat, boundaries, surfaces, forces, stream, start, run, output, "
              "checkpoint, execution");
    EXPECT_EQ(message("seed="),
              "--set seed=: seed: nothing is given; a whole number in [0, 9223372036854775807] is needed");
    EXPECT_EQ(message("seed"), "--set seed: there is no \"=\"; write --set path=value");
    EXPECT_EQ(message("=5"), "--set =5: the part before \"=\" is not a path such as collision.angle");
    EXPECT_EQ(message("a..b=5"), "--set a..b=5: the part before \"=\" is not a path such as collision.angle");
    EXPECT_EQ(message("collision. angle=5"),
              "--set collision. angle=5: the part before \"=\" is not a path such as collision.angle");
    EXPECT_EQ(message("box.size=[1, 2"),
              "--set box.size=[1, 2: box.size: not YAML: this bracket is never closed");
    EXPECT_EQ(message("box.size.3=5"),
              "--set box.size.3=5: box.size: a list of 4 is given; a list of 3 whole numbers in [1, 65536] "
              "is needed");
    EXPECT_EQ(message("box.size.4=5"),
              "--set box.size.4=5: box.size: is a list of 3; \"4\" is none of its indices 0 ... 3");
    EXPECT_EQ(message("box.size.x=5"),
              "--set box.size.x=5: box.size: is a list of 3; \"x\" is none of its indices 0 ... 3");
    EXPECT_EQ(message("run.steps.x=5"), "--set run.steps.x=5: run.steps: is 100, which has no \"x\"");
    EXPECT_EQ(message("boundaries.z.lower=no_slip"),
              "--set boundaries.z.lower=no_slip: boundaries.z: lower is no_slip and upper is periodic; both "
              "faces of "
              "an axis are periodic, or neither");
    EXPECT_EQ(message("output.trajectory.quantities=[position]"),
              "--set output.trajectory.quantities=[position]: output.trajectory.every: is missing; a whole "
              "number in "
              "[1, 1000000000000000] is needed");
    EXPECT_EQ(message("title=&a x"),
              "--set title=&a x: title: anchors (&name) are not allowed; write the value out");
    EXPECT_EQ(message("title=\x1b[31m"),
              "--set title=\\x1B[31m: title: the control character 0x1B; an input is UTF-8 text");
}

TEST(Overrides, ComeAfterTheFileInTheList) {
    EXPECT_EQ(
        errors_of(least + "seed: x\ntitle: ''", {"fluid.mass=0", "collision.angle=0"}),
        (Messages{"f.yaml:3:7: seed: x is not a number; a whole number in [0, 9223372036854775807] is needed",
                  "f.yaml:4:8: title: \"\" is empty; one line of text of at most 200 characters is needed",
                  "--set fluid.mass=0: fluid.mass: 0 is out of range [1e-6, 1e6]",
                  "--set collision.angle=0: collision.angle: 0 is out of range (0, 180]"}));
}

}  // namespace
}  // namespace mpcflow::tests
