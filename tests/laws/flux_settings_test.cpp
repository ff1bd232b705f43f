/// The flux of momentum of particles where it is known what a system has none of and the law is not known, as
/// in kernels of the device, and of particles in blocks, as on the host: the same bits as where nothing is
/// known but the law.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "physics/collision/laws.hpp"
#include "physics/host/flux_block.hpp"
#include "physics/host/host_flux.hpp"
#include "physics/host/host_particles.hpp"
#include "physics/host/vector_units.hpp"
#include "physics/names.hpp"
#include "physics/observables/fields.hpp"
#include "physics/observables/flux_plan.hpp"
#include "physics/observables/momentum_flux.hpp"
#include "physics/particle.hpp"
#include "physics/step.hpp"
#include "tests/laws/law_cases.hpp"
#include "tests/physics/surface_cases.hpp"

namespace mpcflow::test {
namespace {

/// What a law asks of its cell it gets from `Law` itself, whatever the system says.
template <class Law>
System system_of(Setting setting, bool has_walls) {
    System system;
    system.seed = 23;
    system.box.size = {5, 4, 6};
    if (setting == Setting::among_surfaces) system.box.size = {8, 7, 8};  // with places far from them
    system.fluid.density = 10.0;
    if (Law::masses == Masses::by_species)
        system.set_species(
            {{.name = "light", .mass = 1.0, .density = 6.0}, {.name = "heavy", .mass = 3.0, .density = 4.0}});
    system.collision.time_step = 0.3;
    system.force = {0.02, -0.05, 0.03};
    auto& faces = system.boundaries.faces;
    if (has_walls) {
        faces[1] = {{FaceKind::no_slip, {0.1, 0.0, 0.0}}, {FaceKind::slip}};
        faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    }
    if (setting == Setting::sheared) faces[0].shear = {0.2, 1};
    if (setting == Setting::among_surfaces) {
        Surface sphere;
        sphere.centre = {2.5, 2.0, 3.0};
        sphere.radius = 1.1;
        sphere.angular_velocity = {0.1, 0.0, 0.2};
        system.surfaces.list = {sphere};
        system.map_surfaces();
    }
    return system;
}

/// At random in the fluid, with one of ten so fast that it crosses the box, and one of five or so at a face.
template <class Particle>
std::vector<Particle> particles_of(const System& system) {
    using Real = typename Particle::Real;
    std::mt19937_64 engine(7);
    std::uniform_real_distribution<double> uniform;
    std::normal_distribution<double> normal;
    std::vector<Particle> particles;
    for (std::int64_t i = 0; i < system.particle_count(); ++i) {
        Vec3<Real> x, v;
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = static_cast<Real>(uniform(engine) * 0.999 * system.box.size[axis]);
            v[axis] = static_cast<Real>(normal(engine) * (i % 10 == 0 ? 8.0 : 1.0));
        }
        const auto axis = static_cast<std::size_t>(i % 3);
        if (i % 7 == 0) x[static_cast<int>(axis)] = 0;
        if (i % 11 == 0 && !system.boundaries.faces[axis].is_periodic())
            x[static_cast<int>(axis)] = static_cast<Real>(system.box.size[axis]);
        const SurfaceView surfaces = view_of_surfaces(system);
        if (surfaces.exist() && !surfaces.is_fluid(vector_cast<double>(x))) continue;
        const auto id = static_cast<std::uint64_t>(i);
        particles.push_back(Particle::make(id, x, v, static_cast<int>(i % system.species_count())));
    }
    return particles;
}

template <class Real>
std::array<Real, 3> numbers(const Vec3<Real>& v) {
    return {v.x, v.y, v.z};
}
template <class Real, Masses masses>
auto numbers(const ParticleFlux<Real, masses>& f) {
    return std::tuple(f.mass(), numbers(f.start), numbers(f.flight), numbers(f.mid_flight_velocity),
                      numbers(f.mid_flight_place), numbers(f.change), f.energy_change, numbers(f.arm),
                      numbers(f.cell_centre));
}

/// What faces and surfaces take in the hits of a flight, and surfaces in the collision, one after the other.
struct Taken {
    std::vector<double>& all;
    void operator()(int face, const double* taken) const {
        all.push_back(face);
        all.insert(all.end(), taken, taken + WallSums::of_face);
    }
    void to_surface(int number, const double* taken) const {
        all.push_back(number);
        all.insert(all.end(), taken, taken + SurfaceSums::count);
    }
};
template <Setting setting, class Real, Masses masses>
std::vector<double> taken_of(const MomentumFluxRule<Real>& rule, const FluxAtWalls<Real, masses>& flux) {
    std::vector<double> all;
    const Taken take{all};
    rule.template measure_hits<setting>(flux, take);
    for (int which = 0; which < rule.surfaces_near(flux); ++which) {
        double taken[SurfaceSums::count]{};
        take.to_surface(rule.put_surface_collision(flux, which, taken), taken);
    }
    return all;
}

template <class Particle>
HostParticles<Particle> in_columns(const std::vector<Particle>& particles) {
    HostParticles<Particle> columns(static_cast<std::int64_t>(particles.size()));
    for (std::size_t i = 0; i < particles.size(); ++i)
        columns.set(static_cast<std::int64_t>(i), particles[i]);
    return columns;
}

/// A block measures those of its particles that are not odd as they are measured one by one, and all that may
/// give something to walls are odd.
template <class Plan>
void check_blocks(const Plan& plan, const MomentumFluxRule<typename Plan::Real>& rule,
                  const std::vector<typename Plan::Particle>& particles, const std::string& label) {
    using Block = FluxBlock<Plan>;
    if (!Block::takes(plan)) return;
    const auto load = [](const auto* of_cell) { return *of_cell; };
    const auto columns = in_columns(particles);
    Block block;
    int measured = 0;
    int count = 1;  // and then as many as a block has
    for (std::int64_t first = 0; first < columns.size(); first += count, count = Block::size) {
        count = static_cast<int>(std::min<std::int64_t>(count, columns.size() - first));
        block.template measure<VectorUnits::plain>(plan, rule, columns, first, count);
        for (int k = 0; k < Block::size; ++k) {
            if (block.is_odd(k)) continue;
            ASSERT_LT(k, count) << label;
            const auto particle = columns[first + k];
            const auto flux =
                rule.measure_at_walls(plan, particle, plan.grid.locate(particle.position), load);
            const auto found = block[k];
            ASSERT_FALSE(rule.has_walls() && (flux.meets_wall || flux.walls.are_any())) << label;
            ASSERT_EQ(found.mass(), flux.mass()) << label;
            ASSERT_EQ(numbers(found.mid_flight_velocity), numbers(flux.mid_flight_velocity)) << label;
            ASSERT_EQ(numbers(found.mid_flight_place), numbers(flux.mid_flight_place)) << label;
            ASSERT_EQ(numbers(found.change), numbers(flux.change)) << label;
            ASSERT_EQ(numbers(found.arm), numbers(flux.arm)) << label;
            ASSERT_EQ(numbers(block.cell_centre(plan, rule, k)), numbers(flux.cell_centre)) << label;
            ++measured;
        }
    }
    EXPECT_GT(measured, 0) << label;
}

std::vector<double> numbers(FluxPart& part) {
    std::vector<double> all;
    const auto append = [&](auto sums) { all.insert(all.end(), sums.begin(), sums.end()); };
    append(numbers_in(std::span(&part.flux, 1)));
    append(numbers_in(std::span(&part.walls, 1)));
    append(numbers_in(std::span(part.surfaces)));
    return all;
}

/// All vector units add up what particles give one by one, from the sixth one on.
template <class Plan>
void check_host_sums(const Plan& plan, const MomentumFluxRule<typename Plan::Real>& rule,
                     const System& system, const std::vector<typename Plan::Particle>& particles,
                     const std::string& label) {
    const auto load = [](const auto* of_cell) { return *of_cell; };
    const BinRule bin_rule(system, system.box.size);
    const auto bin_count = static_cast<std::size_t>(bin_rule.bin_count());
    FluxPart part{{}, {}, std::vector<SurfaceSums>(system.surfaces.list.size())};
    const FluxPart empty = part;
    std::vector<PressureBinSums> bins(bin_count);
    constexpr std::int64_t first = 5;
    for (const auto& p : std::span(particles).subspan(first)) {
        const auto flux = rule.measure_at_walls(plan, p, plan.grid.locate(p.position), load);
        part.add(rule, flux);
        PressureBinSums in_flight, at_centre;
        rule.put_in_bin_of_flight(flux.mass(), flux.mid_flight_velocity, in_flight.value);
        rule.put_collisional(flux.mass(), flux.change, flux.arm,
                             at_centre.value + PressureBinSums::in_flight);
        bins[static_cast<std::size_t>(bin_rule.bin(flux.mid_flight_place))] += in_flight;
        bins[static_cast<std::size_t>(bin_rule.bin(flux.cell_centre))] += at_centre;
    }
    const auto columns = in_columns(particles);
    for (const auto& units : names_of(VectorUnits{})) {
        const VectorUnits taken = vector_units(units.value);
        FluxPart found = empty;
        std::vector<PressureBinSums> found_bins(bin_count);
        const ParticleRange<typename Plan::Particle> all(columns, first, columns.size());
        HostFlux<Plan>::add(plan, rule, all, taken, found);
        HostFlux<Plan>::add_to_bins(plan, rule, bin_rule, all, taken, found_bins.data());
        ASSERT_EQ(numbers(found), numbers(part)) << label << ", " << units.name;
        for (std::size_t b = 0; b < bin_count; ++b)
            ASSERT_TRUE(std::ranges::equal(found_bins[b].value, bins[b].value)) << label << ", bin " << b;
    }
}

template <Setting setting, class Law>
void check_step(const Law& law, const System& system, std::uint64_t step, const std::string& label) {
    using Particle = ParticleOf<typename Law::Real, Law::masses>;
    const auto particles = particles_of<Particle>(system);
    StepPlan<Law> plan(law, system);
    plan.go_to(system, step);
    plan.begin_step(system, step);
    ASSERT_EQ(plan.setting(), setting) << label;
    std::vector<typename Law::Sums> sums(static_cast<std::size_t>(plan.grid.cell_count()));
    const auto index_of = [&](const Particle& p) {
        return static_cast<std::size_t>(plan.grid.locate(p.position).cell);
    };
    for (const Particle& p : particles) {
        const auto place = plan.grid.locate(p.position);
        const double mass = system.relative_mass(p.species());
        const InCell<typename Law::Real> in_cell{p.velocity, place.offset, mass, p.id()};
        sums[index_of(p)] +=
            rounded(law, law.contribute(in_cell, law.draw(plan.key(place.cell)), {plan.seed, plan.step}));
    }
    std::vector<CellAction<Law>> actions(sums.size());
    std::uint32_t faults = no_fault;
    for (std::size_t c = 0; c < actions.size(); ++c) {
        const int cell = static_cast<int>(c);
        actions[c].set_draw(law.draw(plan.key(cell)));
        actions[c].transform = plan.resolve(cell, sums[c], actions[c].draw(), faults);
    }

    const auto rule = MomentumFluxRule<typename Law::Real>(system, 1000.0).at_step(system, step);
    const FluxPlan<typename Law::Real, Law::masses, CellGrid<typename Law::Real>> any_law(plan,
                                                                                          actions.data());
    const auto load = [](const auto* of_cell) { return *of_cell; };
    int givers = 0;
    int in_stream = 0;
    for (const Particle& p : particles) {
        const auto place = plan.grid.locate(p.position);
        const auto& action = actions[index_of(p)];
        const auto flux = rule.measure(plan, p, place, action);
        const auto known = rule.template measure<setting>(any_law, p, place, load);
        ASSERT_EQ(numbers(known), numbers(flux)) << label << ", particle " << p.id();
        const auto at_walls = rule.measure_at_walls(plan, p, place, action);
        const auto known_at_walls = rule.template measure_at_walls<setting>(any_law, p, place, load);
        ASSERT_EQ((numbers<typename Law::Real, Law::masses>(at_walls)), numbers(flux))
            << label << ", particle " << p.id();
        ASSERT_EQ((numbers<typename Law::Real, Law::masses>(known_at_walls)), numbers(flux))
            << label << ", particle " << p.id();
        ASSERT_EQ(taken_of<setting>(rule, known_at_walls), taken_of<Setting::any>(rule, at_walls))
            << label << ", particle " << p.id();
        const bool gives = at_walls.meets_wall || at_walls.walls.are_any();
        ParticleFlux<typename Law::Real, Law::masses> free{}, known_free{};
        const bool is_free = rule.measure_without_walls(plan, p, place, action, free);
        const bool is_known_free =
            rule.template measure_without_walls<setting>(any_law, p, place, load, known_free);
        ASSERT_EQ(is_known_free, is_free) << label << ", particle " << p.id();
        // Of flights that leave across sheared faces near surfaces the half may not be known to be free.
        const bool is_known = setting != Setting::any;
        ASSERT_TRUE(is_known ? is_free == !gives : !is_free || !gives) << label << ", particle " << p.id();
        if (is_free) {
            ASSERT_EQ(numbers(free), numbers(flux)) << label << ", particle " << p.id();
            ASSERT_EQ(numbers(known_free), numbers(flux)) << label << ", particle " << p.id();
        }
        for (int face = 0; face < face_count; ++face) {
            std::array<double, WallSums::of_face> taken{}, known_taken{};
            rule.put_collision(at_walls, face, taken.data());
            rule.put_collision(known_at_walls, face, known_taken.data());
            ASSERT_EQ(known_taken, taken) << label << ", particle " << p.id();
        }
        givers += gives ? 1 : 0;
        in_stream += at_walls.is_in_stream ? 1 : 0;
    }
    check_blocks(any_law, rule, particles, label);
    check_host_sums(any_law, rule, system, particles, label);
    EXPECT_EQ(givers > 0, rule.has_walls()) << label;
    EXPECT_LT(givers, static_cast<int>(particles.size())) << label;
    EXPECT_EQ(in_stream > 0, system.stream.has_value()) << label;
    EXPECT_LT(in_stream, static_cast<int>(particles.size())) << label;
}

template <Setting setting, class Law>
void check(const Law& law, const System& system, const std::string& label) {
    for (const std::uint64_t step : {0, 3})
        check_step<setting>(law, system, step, label + ", step " + std::to_string(step));
}

template <class Law>
void check_all_settings() {
    for (const bool has_walls : {false, true}) {
        const System system = system_of<Law>(Setting::plain, has_walls);
        check<Setting::plain>(Law(system), system, has_walls ? "walls" : "no walls");
    }
    System with_stream = system_of<Law>(Setting::plain, true);
    with_stream.stream = Stream{0, 1.0, 3.0, {0.2, 0.0, 0.0}};
    check<Setting::plain>(Law(with_stream), with_stream, "walls and a stream");
    const System sheared = system_of<Law>(Setting::sheared, false);
    check<Setting::sheared>(Law(sheared), sheared, "sheared");
    System sheared_with_walls = sheared;
    sheared_with_walls.boundaries.faces[2] = {FaceKind::no_slip, FaceKind::no_slip};
    check<Setting::sheared>(Law(sheared_with_walls), sheared_with_walls, "sheared, walls");
    System thermal = system_of<Law>(Setting::plain, true);
    thermal.boundaries.faces[1].lower.kind = FaceKind::thermal;
    check<Setting::among_surfaces>(Law(thermal), thermal, "thermal walls");
    for (const bool has_walls : {false, true}) {
        const System system = system_of<Law>(Setting::among_surfaces, has_walls);
        check<Setting::among_surfaces>(Law(system), system, has_walls ? "a sphere, walls" : "a sphere");
    }
    System unshifted = system_of<Law>(Setting::plain, true);
    unshifted.collision.random_shift = false;
    check<Setting::plain>(Law(unshifted), unshifted, "walls of a grid that is not shifted");
    System container = system_of<Law>(Setting::among_surfaces, false);
    container.surfaces.list = {
        cylinder(0, {0.0, 3.5, 4.0}, 3.2, FluidSide::inside, FaceKind::slip),
        sphere({0.0, 3.5, 4.0}, 0.8, FluidSide::outside, FaceKind::thermal)};  // across a periodic face
    container.map_surfaces();
    check<Setting::among_surfaces>(Law(container), container, "a sphere in a cylinder");
    System waves = system_of<Law>(Setting::plain, true);
    waves.forces.add({.shape = ForceShape::sine, .amplitude = {0.05, 0.0, 0.1}, .along = 1});
    check<Setting::any>(Law(waves), waves, "walls and a force with waves");
    System sheared_sphere = system_of<Law>(Setting::among_surfaces, false);
    sheared_sphere.boundaries.faces[0].shear = {0.2, 1};
    sheared_sphere.collision.time_step = 0.03;  // nobody flies from the sphere to those faces
    check<Setting::any>(Law(sheared_sphere), sheared_sphere, "a sphere between sheared faces");
}

template <class Law>
class FluxOfMomentum : public testing::Test {};
TYPED_TEST_SUITE(FluxOfMomentum, AllLaws);
TYPED_TEST(FluxOfMomentum, is_the_same_where_the_setting_is_known) { check_all_settings<TypeParam>(); }

/// Places of single precision, which are rounded most there.
TEST(FluxOfLongBoxes, is_the_same_in_blocks) {
    System system;
    system.box.size = {4096, 4, 5};
    system.fluid.density = 0.5;
    system.collision.time_step = 0.2;
    system.boundaries.faces[0] = {FaceKind::no_slip, FaceKind::no_slip};
    using Law = Srd<float, Scaling::none>;
    check<Setting::plain>(Law(system), system, "a long box");
    system = with_surfaces(system, {sphere({4088.0, 2.0, 2.5}, 1.3, FluidSide::outside)});
    check<Setting::among_surfaces>(Law(system), system, "a sphere in a long box");
}

template <class Law>
class FluxOfMixtures : public testing::Test {};
using LawsOfSpecies = LawsWith<Always, Masses::by_species>::Types;
TYPED_TEST_SUITE(FluxOfMixtures, LawsOfSpecies);
TYPED_TEST(FluxOfMixtures, is_the_same_where_the_setting_is_known) { check_all_settings<TypeParam>(); }

}  // namespace
}  // namespace mpcflow::test
