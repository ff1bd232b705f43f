/// Particle records: packed image counts, ids, and the hash of their state.

#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "physics/particle.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

template <class Particle>
class ParticleRecord : public testing::Test {};
using AllRecords = testing::Types<ParticleDouble, ParticleMixed, DoubleRecord<Masses::by_species>,
                                  MixedRecord<Masses::by_species>>;
TYPED_TEST_SUITE(ParticleRecord, AllRecords);

template <class Particle>
Particle some_particle(std::uint64_t id) {
    using Real = typename Particle::Real;
    return Particle::make(id, {Real(1.25), Real(2.5), Real(0.75)}, {Real(-0.3), Real(0.1), Real(1.7)});
}

TYPED_TEST(ParticleRecord, fills_whole_sectors) {
    EXPECT_EQ(sizeof(TypeParam), 8 * sizeof(typename TypeParam::Real));
    EXPECT_EQ(alignof(TypeParam), 32u);
}

TYPED_TEST(ParticleRecord, begins_in_image_0_and_keeps_its_id) {
    for (const std::uint64_t id : {std::uint64_t{0}, std::uint64_t{1}, TypeParam::max_particles - 1}) {
        TypeParam p = some_particle<TypeParam>(id);
        EXPECT_EQ(p.id(), id);
        for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(p.image(axis), 0);
        EXPECT_TRUE(p.add_image(0, -7) && p.add_image(1, 5) && p.add_image(2, -1));
        EXPECT_EQ(p.id(), id);
    }
}

TYPED_TEST(ParticleRecord, images_count_up_to_their_limits_and_no_further) {
    constexpr int limit = TypeParam::Images::limit;
    EXPECT_GE(limit, TypeParam::has_species ? 512 : 1024);
    for (int axis = 0; axis < 3; ++axis) {
        TypeParam p = some_particle<TypeParam>(TypeParam::max_particles - 1);
        const auto others_are_zero = [&] {
            return p.image((axis + 1) % 3) == 0 && p.image((axis + 2) % 3) == 0;
        };
        EXPECT_TRUE(p.add_image(axis, limit - 1));
        EXPECT_EQ(p.image(axis), limit - 1);
        EXPECT_TRUE(others_are_zero());
        EXPECT_FALSE(p.add_image(axis, 1));
        EXPECT_EQ(p.image(axis), limit - 1) << "unchanged where it does not fit";
        EXPECT_TRUE(p.add_image(axis, -2 * limit + 1));
        EXPECT_EQ(p.image(axis), -limit);
        EXPECT_TRUE(others_are_zero());
        EXPECT_FALSE(p.add_image(axis, -1));
        EXPECT_FALSE(p.add_image(axis, 2 * limit));
        EXPECT_EQ(p.image(axis), -limit);
        EXPECT_TRUE(others_are_zero());
        EXPECT_EQ(p.id(), TypeParam::max_particles - 1);
    }
}

TYPED_TEST(ParticleRecord, keeps_its_species_beside_id_and_images) {
    if (!TypeParam::has_species) return;
    std::set<std::uint64_t> hashes;
    for (int species = 0; species < SpeciesList::most; ++species) {
        TypeParam p = TypeParam::make(TypeParam::max_particles - 1, {}, {}, species);
        EXPECT_TRUE(p.add_image(0, -TypeParam::Images::limit) &&
                    p.add_image(2, TypeParam::Images::limit - 1));
        EXPECT_EQ(p.species(), species);
        EXPECT_EQ(p.id(), TypeParam::max_particles - 1);
        EXPECT_EQ(p.image(2), TypeParam::Images::limit - 1);
        hashes.insert(particle_hash(p));
    }
    EXPECT_EQ(hashes.size(), std::size_t{SpeciesList::most});
}

TYPED_TEST(ParticleRecord, images_walk_independently) {
    TypeParam p = some_particle<TypeParam>(99);
    std::mt19937 engine(1);
    std::array<int, 3> expected{};
    for (int i = 0; i < 10000; ++i) {
        const int axis = static_cast<int>(engine() % 3);
        const int change = static_cast<int>(engine() % 7) - 3;
        ASSERT_TRUE(p.add_image(axis, change));
        expected[axis] += change;
        for (int a = 0; a < 3; ++a) ASSERT_EQ(p.image(a), expected[a]);
    }
    EXPECT_EQ(p.id(), 99u);
}

TYPED_TEST(ParticleRecord, every_bit_of_the_record_changes_the_hash) {
    const TypeParam particle = some_particle<TypeParam>(12345);
    const std::uint64_t hash = particle_hash(particle);
    std::set<std::uint64_t> hashes{hash};
    for (std::size_t bit = 0; bit < 8 * sizeof(TypeParam); ++bit) {
        unsigned char bytes[sizeof(TypeParam)];
        std::memcpy(bytes, &particle, sizeof(TypeParam));
        bytes[bit / 8] = static_cast<unsigned char>(bytes[bit / 8] ^ (1U << (bit % 8)));
        TypeParam flipped;
        std::memcpy(&flipped, bytes, sizeof(TypeParam));
        // The word of images holds 63 bits in double; the highest is no state.
        const bool unused = flipped.id() == particle.id() && flipped.image(0) == 0 && flipped.image(1) == 0 &&
                            flipped.image(2) == 0 && bit >= 48 * sizeof(typename TypeParam::Real) + 64;
        if (!unused) hashes.insert(particle_hash(flipped));
        EXPECT_TRUE(!unused || particle_hash(flipped) == hash);
    }
    EXPECT_GE(hashes.size(), 8 * sizeof(TypeParam));
}

// A sum of a plain xor would miss these: values exchanged between axes, fields or particles.
TYPED_TEST(ParticleRecord, exchanged_values_change_the_hash) {
    const TypeParam p = some_particle<TypeParam>(1);
    TypeParam axes = p;
    std::swap(axes.position.x, axes.position.y);
    TypeParam fields = p;
    std::swap(fields.position, fields.velocity);
    TypeParam images = p;
    TypeParam other_images = p;
    ASSERT_TRUE(images.add_image(0, 1) && other_images.add_image(1, 1));
    const std::set<std::uint64_t> hashes{particle_hash(p), particle_hash(axes), particle_hash(fields),
                                         particle_hash(images), particle_hash(other_images)};
    EXPECT_EQ(hashes.size(), 5u);

    TypeParam q = some_particle<TypeParam>(2);
    q.velocity.x = 3;
    TypeParam p_with_q = p, q_with_p = q;
    std::swap(p_with_q.velocity, q_with_p.velocity);
    EXPECT_NE(particle_hash(p) + particle_hash(q), particle_hash(p_with_q) + particle_hash(q_with_p));
}

TYPED_TEST(ParticleRecord, the_sum_of_hashes_is_free_of_the_order) {
    std::vector<TypeParam> particles;
    for (std::uint64_t id = 0; id < 1000; ++id) {
        particles.push_back(some_particle<TypeParam>(id));
        particles.back().position.x += static_cast<typename TypeParam::Real>(id);
    }
    const auto sum = [&] {
        std::uint64_t hash = 0;
        for (const TypeParam& p : particles) hash += particle_hash(p);
        return hash;
    };
    const std::uint64_t before = sum();
    std::mt19937 engine(3);
    std::shuffle(particles.begin(), particles.end(), engine);
    EXPECT_EQ(sum(), before);
}

}  // namespace
}  // namespace mpcflow::test
