// What is read is what was written; defaults; to_yaml gives an input that reads back to the same.

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "input/names.hpp"
#include "input/writer.hpp"
#include "tests/input/input_cases.hpp"
#include "tests/input/same_settings.hpp"

namespace mpcflow::tests {
namespace {

void expect_round_trip(const Scenario& scenario) {
    const std::string yaml = to_yaml(scenario);
    ASSERT_EQ(errors_of(yaml), std::vector<std::string>{}) << yaml;
    const Scenario again = parse_scenario(yaml, "again.yaml");
    EXPECT_TRUE(same_settings(scenario, again)) << yaml;
    EXPECT_EQ(to_yaml(again), yaml);
}

TEST(Reading, FillsInDefaults) {
    const Scenario s = parse_scenario(least, "some/where/case.1.yaml");
    Scenario expected;
    expected.system.box.size = {8, 8, 8};
    expected.run.steps = 100;
    expected.output.directory = "out/case.1";
    EXPECT_TRUE(same_settings(s, expected)) << to_yaml(s);
    EXPECT_EQ(s.source_name, "some/where/case.1.yaml");
    EXPECT_EQ(s.source_text, least);
    EXPECT_TRUE(s.warnings.empty());
    EXPECT_EQ(parse_scenario(least, "..").output.directory, "out/run");
    EXPECT_EQ(parse_scenario(least, "").output.directory, "out/run");
}

TEST(Reading, TakesEveryKey) {
    const Scenario s = read_scenario(source_file("tests/input/corpus/all_keys.yaml"));
    Scenario expected;
    expected.title = "All keys";
    expected.system.seed = 9223372036854775807U;
    expected.system.box.size = {8, 10, 12};
    expected.system.fluid = {3.5, 2.0, 0.5};
    expected.system.collision = {CollisionRule::srd, 90.0, 0.1, true, false};
    expected.system.thermostat.kind = ThermostatKind::maxwell_boltzmann;
    expected.system.boundaries.faces[0] = {FaceKind::no_slip, FaceKind::no_slip};
    expected.system.boundaries.faces[2] = {Face{FaceKind::no_slip, {0.25, -1e-3, 0.0}}, FaceKind::slip};
    expected.system.boundaries.virtual_particles = false;
    Surface pipe;
    pipe.shape = SurfaceShape::cylinder;
    pipe.centre = {4.0, 5.0, 0.0};
    pipe.radius = 3.5;
    pipe.fluid = FluidSide::inside;
    pipe.kind = FaceKind::thermal;
    pipe.velocity = {0.0, 0.0, 0.1};
    pipe.temperature = 1.5;
    expected.system.surfaces.list = {pipe};
    expected.system.force = {0.001, 1.0, -0.0025};
    expected.system.forces.add({.shape = ForceShape::gravity,
                                .amplitude = {0.0, 0.0, 0.5},
                                .from = 10,
                                .until = 2000,
                                .period = 100});
    expected.system.forces.add(
        {.shape = ForceShape::sine, .amplitude = {0.0, 0.25, 0.0}, .along = 0, .waves = 2});
    expected.system.forces.add(
        {.shape = ForceShape::opposed_blocks, .amplitude = {0.125, 0.0, 0.0}, .along = 1, .from = 5});
    expected.system.stream = Stream{1, 1.5, 5.0, {0.0, 0.25, 0.0}, StreamProfile::uniform, 0.5};
    expected.start = {"out/before/trajectory.h5", 7, ""};
    expected.run = {2000, 100000};
    expected.output.directory = "out/all keys";
    expected.output.trajectory = TrajectoryOutput{
        5000, true, true, Region{{0.0, 1.5, 2.0}, {8.0, 2.5, 12.0}}, 4, FilePrecision::single_precision};
    expected.output.fields = FieldsOutput{10, true, true, true, {2, 5, 12}, true, 50};
    expected.output.histograms = HistogramsOutput{50, 30, 40, 6.0};
    expected.output.modes = ModesOutput{20, 5};
    expected.output.structure_factor = StructureFactorOutput{30, 4};
    expected.output.stress = StressOutput{200, 40, 30};
    expected.output.walls = WallsOutput{20};
    expected.output.series = SeriesOutput{100};
    expected.output.diffusion = DiffusionOutput{5, 1000};
    expected.output.radial_distribution = RadialDistributionOutput{500, 2.5, 50, 300};
    expected.checkpoint = CheckpointTimes{5000, 2.5};
    expected.execution.device = {DeviceKind::cuda, 1};
    expected.execution.precision = Precision::mixed;
    expected.execution.summation = Summation::cas;
    expected.execution.reorder = 16;
    expected.execution.threads = 4;
    expected.execution.domains = {2, 1, 3};
    EXPECT_TRUE(same_settings(s, expected)) << to_yaml(s);
    expect_round_trip(s);
}

TEST(Reading, TakesEveryKeyOfSurfaces) {
    const Scenario s = read_scenario(source_file("tests/input/corpus/surfaces.yaml"));
    Scenario expected;
    expected.system.box.size = {16, 18, 12};
    expected.system.boundaries.faces[2] = {Face{FaceKind::thermal, {0.1, 0.0, 0.0}, 1.5}, FaceKind::thermal};
    Surface pipe;
    pipe.shape = SurfaceShape::cylinder;
    pipe.centre = {8, 9.5, 0};
    pipe.radius = 7.0;
    pipe.fluid = FluidSide::inside;
    pipe.angular_velocity = {0, 0, 0.01};
    Surface rod;
    rod.shape = SurfaceShape::cylinder;
    rod.axis = 0;
    rod.centre = {0, 10, 6};
    rod.radius = 2.5;
    rod.kind = FaceKind::thermal;
    rod.velocity = {-0.25, 0, 0};
    rod.temperature = 0.5;
    Surface ball;
    ball.centre = {8, 9, 0.5};
    ball.radius = 1.25;
    ball.angular_velocity = {0, 0.1, -0.2};
    Surface bubble;
    bubble.centre = {4, 9, 6};
    bubble.kind = FaceKind::slip;
    expected.system.surfaces.list = {pipe, rod, ball, bubble};
    expected.run.steps = 100;
    expected.output.walls = WallsOutput{10};
    expected.output.directory = "out/surfaces";
    EXPECT_TRUE(same_settings(s, expected)) << to_yaml(s);
    ASSERT_NE(s.system.surfaces.map, nullptr);
    EXPECT_LT(s.system.particle_count(), 10 * 12 * 154);
    expect_round_trip(s);
}

TEST(Reading, TakesAllStylesOfYaml) {
    const Scenario s = read_scenario(source_file("tests/input/corpus/styles.yaml"));
    EXPECT_EQ(s.title, "folded text");
    EXPECT_EQ(s.output.directory, "literal");
    EXPECT_EQ(s.system.force, (std::array{1.0, 2.0, 0.5}));
    // Line ends and byte order marks of other systems.
    const Scenario windows = parse_scenario(
        "\xEF\xBB\xBF"
        "box: {size: [8, 8, 8]}\r\nrun:\r\n  steps: 100\r\n",
        "f");
    EXPECT_TRUE(same(windows.system, parse_scenario(least, "f").system));
}

TEST(Reading, TakesTheExamples) {
    for (const char* name : {"examples/poiseuille.yaml", "examples/equilibrium.yaml"}) {
        const Scenario s = read_scenario(source_file(name));
        EXPECT_TRUE(s.warnings.empty()) << name;
        expect_round_trip(s);
        EXPECT_LT(static_cast<double>(s.system.particle_count() * (s.run.equilibration + s.run.steps)), 2.5e9)
            << name;
    }
}

TEST(RoundTrip, OfRandomScenarios) {
#ifdef MPCFLOW_SANITIZED
    constexpr int scenarios = 400;
#else
    constexpr int scenarios = 2000;
#endif
    std::mt19937_64 random(7);
    const auto real = [&](double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(random);
    };
    const auto pick = [&](int low, int high) {
        return std::uniform_int_distribution<int>(low, high)(random);
    };
    for (int i = 0; i < scenarios; ++i) {
        Scenario s;
        s.title = pick(0, 1) == 0 ? "" : "quotes \" and \\ and ' and # : é {" + std::to_string(i);
        s.output.directory = "- out: " + std::to_string(pick(0, 99));
        s.system.seed = random() >> 1U;
        s.system.box.size = {pick(20, 100), pick(20, 100), pick(20, 100)};
        s.system.fluid = {real(1, 20), real(0.1, 2), real(0.5, 5)};
        if (pick(0, 3) == 0)
            s.system.set_species({{"a", real(0.5, 5), real(1, 5)}, {"b_2", real(0.5, 5), real(1, 5)}});
        s.system.collision = {CollisionRule::srd, real(1, 180), real(1e-6, 1), pick(0, 1) == 1,
                              pick(0, 1) == 1};
        s.system.thermostat.kind = names_of(ThermostatKind{})[static_cast<std::size_t>(pick(0, 3))].value;
        if (s.system.thermostat.kind == ThermostatKind::monte_carlo)
            s.system.thermostat.strength = real(0.01, 1);
        if (pick(0, 3) == 0) {
            // Neither of the two means anything to it, and neither is written.
            s.system.collision.rule = CollisionRule::at;
            s.system.collision.angle = Collision{}.angle;
            s.system.thermostat = {};
        }
        const bool is_held =
            s.system.thermostat.kind != ThermostatKind::none || s.system.collision.rule == CollisionRule::at;
        if (is_held && pick(0, 3) == 0) {
            TemperatureSchedule schedule;
            for (std::int64_t step = pick(0, 9); schedule.size() < pick(1, 16); step += pick(1, 1'000'000))
                schedule.add({step, real(0.1, 2)});
            s.system.fluid.follow(schedule);
        }
        for (auto& faces : s.system.boundaries.faces)
            faces.lower = faces.upper = pick(0, 1) == 1 ? FaceKind::no_slip : FaceKind::periodic;
        s.system.boundaries.virtual_particles = pick(0, 1) == 1;
        AxisFaces& walls = s.system.boundaries.faces[2];
        if (!walls.is_periodic() && pick(0, 1) == 1)
            walls.lower.velocity = {real(-0.1, 0.1), pick(0, 1) * 1e-9, 0.0};
        if (!walls.is_periodic() && s.system.boundaries.virtual_particles && pick(0, 1) == 1)
            walls.upper.temperature = real(0.1, 0.8);
        if (!walls.is_periodic() && pick(0, 2) == 1)
            (pick(0, 1) == 1 ? walls.lower : walls.upper) = FaceKind::slip;
        AxisFaces& sheared = s.system.boundaries.faces[1];
        if (sheared.is_periodic() && s.system.boundaries.faces[0].is_periodic() && walls.is_periodic())
            sheared.shear = {real(-0.1, 0.1) * std::sqrt(s.system.fluid.temperature / s.system.fluid.mass),
                             2 * pick(0, 1)};
        for (int force = pick(0, 3); force > 0; --force) {
            Force one;
            one.shape = static_cast<ForceShape>(pick(0, 3));
            one.amplitude = {real(-1, 1), 0.0, real(-1e-9, 1e-9)};
            if (one.is_wave()) {
                one.along = 1;  // no flow is along it, of a shear
                one.waves = pick(1, 10);
            }
            one.from = pick(1, 100);
            one.until = pick(0, 1) * pick(101, 200);
            one.period = pick(0, 1) * pick(2, 100);
            s.system.forces.add(one);
        }
        if (pick(0, 1) == 1) s.system.force = {real(-1, 1), 0.0, real(-1e-9, 1e-9)};
        s.run = {pick(0, 1000), pick(100, 1000000)};
        if (pick(0, 1) == 1) {
            s.output.trajectory = TrajectoryOutput{pick(1, 1000), true, pick(0, 1) == 1};
            if (pick(0, 1) == 1) {
                s.output.trajectory->region =
                    Region{{real(0, 9), 0.0, real(0, 1e-3)}, {real(10, 20), real(1, 20), 20.0}};
            }
            s.output.trajectory->every_nth_id = pick(1, 100);
            s.output.trajectory->precision = static_cast<FilePrecision>(pick(0, 2));
        }
        if (pick(0, 1) == 1)
            s.output.histograms = HistogramsOutput{pick(1, 100), pick(0, 99), pick(1, 300), real(1e-3, 32)};
        if (pick(0, 1) == 1 && waves_of(s.system, 1).count() > 0)
            s.output.modes = ModesOutput{pick(1, 100), pick(1, 10)};
        if (pick(0, 1) == 1 && waves_of(s.system, 1).count() > 0)
            s.output.structure_factor = StructureFactorOutput{pick(1, 100), pick(1, 10)};
        if (pick(0, 1) == 1) s.output.stress = StressOutput{pick(50, 100), pick(0, 50), 0};
        if (pick(0, 1) == 1 && !s.system.boundaries.faces[2].is_periodic())
            s.output.walls = WallsOutput{pick(1, 100)};
        if (pick(0, 1) == 1) {
            s.output.fields =
                FieldsOutput{pick(1, 100), pick(0, 1) == 1, true, pick(0, 1) == 1, s.system.box.size};
        }
        if (pick(0, 1) == 1) s.output.diffusion = DiffusionOutput{pick(1, 100), pick(1, 1000000)};
        if (pick(0, 1) == 1) {
            s.output.radial_distribution =
                RadialDistributionOutput{pick(1, 100), real(0.01, 9.0), pick(1, 11000), pick(1, 1000000)};
        }
        if (pick(0, 1) == 1) s.output.series = SeriesOutput{pick(1, 1000)};
        if (pick(0, 1) == 1)
            s.checkpoint = CheckpointTimes{pick(1, 1000), pick(0, 1) == 1 ? real(0, 100) : 0.0};
        s.execution = {*parse_device(pick(0, 1) == 1 ? "cpu" : "cuda:3"),
                       pick(0, 1) == 1 ? Precision::mixed : Precision::double_precision,
                       names_of(Summation{})[static_cast<std::size_t>(pick(0, 5))].value, pick(0, 100),
                       pick(0, 100)};
        if (pick(0, 1) == 1) s.execution.domains = {pick(1, 20), pick(1, 20), pick(1, 20)};
        // Which a sheared box has along one axis alone.
        if (s.output.modes || s.output.structure_factor) sheared.shear = {};
        expect_round_trip(s);
        if (HasFailure()) break;
    }
}

}  // namespace
}  // namespace mpcflow::tests
