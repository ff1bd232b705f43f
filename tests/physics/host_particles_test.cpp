/// The host's particles in columns: what is put in comes out, and columns are where they should be.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "physics/host/host_particles.hpp"
#include "physics/host/shared_particles.hpp"
#include "physics/particle.hpp"

namespace mpcflow::test {
namespace {

template <class Particle>
class HostParticlesTest : public testing::Test {
protected:
    using Real = typename Particle::Real;

    static Particle made(std::int64_t id) {
        const auto x = static_cast<Real>(id);
        Particle particle =
            Particle::make(static_cast<std::uint64_t>(id), {x, x + 1, x + 2}, {-x, -x - 1, -x - 2},
                           Particle::has_species ? static_cast<int>(id % 3) : 0);
        particle.add_image(static_cast<int>(id % 3), 2);
        return particle;
    }
    static bool is(const Particle& particle, std::int64_t id) {
        return particle_hash(particle) == particle_hash(made(id)) &&
               particle.image(static_cast<int>(id % 3)) == 2;
    }
};

using AllParticles =
    testing::Types<ParticleOf<double, Masses::equal>, ParticleOf<float, Masses::equal>,
                   ParticleOf<double, Masses::by_species>, ParticleOf<float, Masses::by_species>>;
TYPED_TEST_SUITE(HostParticlesTest, AllParticles);

TYPED_TEST(HostParticlesTest, are_what_was_put_in) {
    for (const std::int64_t size : {0, 1, 31, 32, 33, 511, 512, 513}) {
        HostParticles<TypeParam> particles(size);
        EXPECT_EQ(particles.size(), size);
        EXPECT_EQ(particles.bytes(), HostParticles<TypeParam>::bytes_of(size));
        for (std::int64_t i = 0; i < size; ++i) particles.set(i, this->made(i));
        for (std::int64_t i = 0; i < size; ++i) EXPECT_TRUE(this->is(particles[i], i)) << i << " of " << size;
        for (int c = 0; c < particles.columns && size > 0; ++c)
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(particles.column(c)) % 64, 0U) << "a whole line";
    }
}

TYPED_TEST(HostParticlesTest, grow_and_close_gaps) {
    SharedParticles<TypeParam> particles(0, 2);
    for (std::int64_t i = 0; i < 500; ++i) particles.append(this->made(i));
    ASSERT_EQ(particles.count(), 500);
    for (std::int64_t i = 0; i < 500; ++i) EXPECT_TRUE(this->is(particles.now()[i], i)) << i;
    // The last ones take the places of those that go, and none that goes itself.
    particles.remove({3, 499, 498, 0});
    particles.mend_ranges();
    ASSERT_EQ(particles.count(), 496);
    std::vector<int> times(500);
    for (const TypeParam particle : ParticleRange<TypeParam>(particles.now(), 0, particles.count())) {
        ++times[particle.id()];
        EXPECT_TRUE(this->is(particle, static_cast<std::int64_t>(particle.id())));
    }
    for (int id = 0; id < 500; ++id) EXPECT_EQ(times[id], id == 0 || id == 3 || id >= 498 ? 0 : 1) << id;
}

TYPED_TEST(HostParticlesTest, are_read_in_ranges) {
    HostParticles<TypeParam> particles(10);
    for (std::int64_t i = 0; i < 10; ++i) particles.set(i, this->made(i));
    ParticleRange<TypeParam> left(particles, 2, 9);
    const auto some = left.take_first(5);
    EXPECT_EQ(some.first(), 2);
    EXPECT_EQ(some.size(), 5);
    EXPECT_EQ(left.size(), 2);
    EXPECT_EQ(left.take_first(5).size(), 2);
    EXPECT_EQ(left.size(), 0);
    EXPECT_TRUE(left.begin() == left.end());
    std::int64_t id = 2;
    for (const TypeParam particle : some) EXPECT_TRUE(this->is(particle, id++));
    EXPECT_EQ(id, 7);
}

}  // namespace
}  // namespace mpcflow::test
