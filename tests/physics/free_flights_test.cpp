/// Streaming::fly_on(), by which a device flies most particles near surfaces, against bounce(), by which it
/// flies the rest and the host all that fly() leaves: the same bits, or nothing done. That what passes for
/// free meets nothing, surfaces_test.cpp has.

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>

#include "physics/particle.hpp"
#include "physics/streaming.hpp"
#include "tests/physics/streaming_cases.hpp"
#include "tests/physics/surface_cases.hpp"

namespace mpcflow::test {
namespace {

/// Places in the fluid: one half of them anywhere, the others at all distances from a surface, down to none.
class FluidPlaces {
public:
    FluidPlaces(const System& system, std::uint64_t seed)
        : box_(system.box.size), view_(view_of_surfaces(system)), engine_(seed) {}

    template <class Real>
    Vec3<Real> next() {
        Vec3<Real> place = anywhere<Real>(true);
        if (bit()) return place;
        Vec3<Real> solid = anywhere<Real>(false);
        const int halvings = std::uniform_int_distribution<int>(1, 60)(engine_);
        for (int i = 0; i < halvings; ++i) {
            const Vec3<Real> middle = static_cast<Real>(0.5) * (place + solid);
            (is_fluid(middle) ? place : solid) = middle;
        }
        return place;
    }
    /// Of any direction; a flight of the time `time` goes from a hundredth of a cell to three cells far.
    template <class Real>
    Vec3<Real> velocity(double time) {
        std::normal_distribution<double> gauss;
        const double speed = std::pow(300.0, uniform_(engine_)) / 100.0 / std::sqrt(3.0) / time;
        const Vec3<double> v{gauss(engine_), gauss(engine_), gauss(engine_)};
        return vector_cast<Real>(speed * v);
    }

private:
    bool bit() { return uniform_(engine_) < 0.5; }
    template <class Real>
    bool is_fluid(Vec3<Real> place) const {
        return view_.is_fluid(vector_cast<double>(place));
    }
    template <class Real>
    Vec3<Real> anywhere(bool in_fluid) {
        while (true) {
            Vec3<Real> place;
            bool is_in_box = true;
            for (int a = 0; a < 3; ++a) {
                const double edge = box_[static_cast<std::size_t>(a)];
                place[a] = static_cast<Real>(uniform_(engine_) * edge);
                is_in_box &= static_cast<double>(place[a]) < edge;
            }
            if (is_in_box && is_fluid(place) == in_fluid) return place;
        }
    }

    std::array<int, 3> box_;
    SurfaceView view_;
    std::mt19937_64 engine_;
    std::uniform_real_distribution<double> uniform_{0.0, 1.0};
};

template <class Particle>
bool are_same_bits(const Particle& a, const Particle& b) {
    return std::memcmp(&a, &b, sizeof(Particle)) == 0;
}

struct Flown {
    int freely = 0;
    int left = 0;
    int wrong = 0;  ///< of both
};

/// Takes particles, not only those that fly() leaves at a wall, through both.
template <class Real, Setting setting, Masses masses>
Flown fly_on_and_bounce(const System& system, std::uint64_t seed) {
    using Particle = ParticleOf<Real, masses>;
    static_assert(std::has_unique_object_representations_v<typename Particle::Label> &&
                  sizeof(Particle) == 6 * sizeof(Real) + sizeof(typename Particle::Label));
    const Streaming<Real, masses> streaming(system);
    FluidPlaces places(system, seed);
    Flown flown;
    for (std::uint64_t id = 0; id < 4000; ++id) {
        const int species = static_cast<int>(id) % system.species_count();
        const auto place = places.next<Real>();
        const auto before =
            Particle::make(id, place, places.velocity<Real>(system.collision.time_step), species);
        Particle freely = before;
        if (!streaming.template fly_on<setting>(freely)) {
            ++flown.left;
            flown.wrong += are_same_bits(freely, before) ? 0 : 1;
            continue;
        }
        ++flown.freely;
        Particle bounced = before;
        const HitDraws draws = streaming.draws_of(before, {seed, 1});
        const bool is_inside = streaming.template bounce<setting>(bounced, draws) == StreamOutcome::inside;
        flown.wrong += is_inside && are_same_bits(freely, bounced) ? 0 : 1;
    }
    return flown;
}

template <class Real>
class FlyOn : public testing::Test {
protected:
    static void expect_the_bits_of_bounce(Geometry geometry) {
        SCOPED_TRACE(geometry.name);
        System& system = geometry.system;
        system.force = {0.3, -0.2, 0.5};
        const Flown alone = fly_on_and_bounce<Real, Setting::among_surfaces, Masses::equal>(system, 1);
        system.forces.add({.shape = ForceShape::sine, .amplitude = {0.4, 0.0, -0.7}, .along = 1});
        const Flown over_waves = fly_on_and_bounce<Real, Setting::any, Masses::equal>(system, 2);
        system.forces.add({.shape = ForceShape::gravity, .amplitude = {0.0, 0.2, -0.5}});
        system.set_species({{"heavy", 7.0, 2.4}, {"light", 0.5, 5.3}});
        system.map_surfaces();
        const Flown mixed = fly_on_and_bounce<Real, Setting::any, Masses::by_species>(system, 3);
        for (const Flown& flown : {alone, over_waves, mixed}) {
            EXPECT_EQ(flown.wrong, 0);
            EXPECT_GT(flown.freely, 400);
            EXPECT_GT(flown.left, 400);
        }
    }
};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(FlyOn, Reals);

TYPED_TEST(FlyOn, gives_the_bits_of_bounce_or_leaves_the_particle_as_it_is) {
    for (const Geometry& geometry : all_geometries()) this->expect_the_bits_of_bounce(geometry);
}

TYPED_TEST(FlyOn, does_nothing_where_no_surface_is) {
    const System system = box_of({5, 6, 7}, {false, true, false}, 0.1);
    const Streaming<TypeParam> streaming(system);
    using Particle = ParticleOf<TypeParam, Masses::equal>;
    const auto before = particle_at<Particle>({2, 3, 4}, {0.5, 0.1, -0.2});
    Particle after = before;
    EXPECT_FALSE(streaming.fly_on(after));
    EXPECT_TRUE(are_same_bits(after, before));
}

}  // namespace
}  // namespace mpcflow::test
