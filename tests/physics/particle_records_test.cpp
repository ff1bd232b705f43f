/// Copies of particle records: their memory is used again, and what they hold comes out of them bit for bit.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "physics/errors.hpp"
#include "physics/particle_records.hpp"
#include "physics/snapshot.hpp"

namespace mpcflow {
namespace {

template <class Particle>
Particle some_particle(std::uint64_t id) {
    using Real = typename Particle::Real;
    const auto x = static_cast<Real>(id);
    Particle particle = Particle::make(id, {x / 3, x / 7, x / 11}, {-x, x / 13, 1 / (x + 1)});
    particle.add_image(0, static_cast<int>(id % 5));
    particle.add_image(2, -static_cast<int>(id % 3));
    return particle;
}

template <class Particle>
class Records : public testing::Test {};
using Kinds = testing::Types<ParticleDouble, ParticleMixed>;
TYPED_TEST_SUITE(Records, Kinds);

TYPED_TEST(Records, come_out_in_the_order_of_ids) {
    for (const std::size_t count : {0U, 1U, 2U, 31U, 32U, 33U, 1000U}) {
        ParticleRecords records;
        const auto to = records.begin<TypeParam>(17, static_cast<std::int64_t>(count));
        ASSERT_EQ(to.size(), count);
        // Every third id, in an order that is none.
        for (std::size_t i = 0; i < count; ++i) to[i] = some_particle<TypeParam>(3 * ((i * 7) % count));
        if (count % 7 == 0 && count > 0) FAIL() << "7 must not divide the count";
        records.sort_by_id();
        const ParticleSnapshot snapshot = make_snapshot(records);
        EXPECT_EQ(snapshot.step, 17);
        ASSERT_EQ(snapshot.id.size(), count);
        for (std::size_t i = 0; i < count; ++i) {
            EXPECT_EQ(snapshot.id[i], static_cast<std::int64_t>(3 * i));
            const auto expected = some_particle<TypeParam>(3 * i);
            EXPECT_EQ(particle_hash(take_from_snapshot<TypeParam>(snapshot, i)), particle_hash(expected));
            for (int axis = 0; axis < 3; ++axis)
                EXPECT_EQ(snapshot.image[3 * i + static_cast<std::size_t>(axis)], expected.image(axis));
        }
    }
}

TYPED_TEST(Records, give_any_part) {
    ParticleRecords records;
    const auto to = records.begin<TypeParam>(1, 100);
    for (std::size_t i = 0; i < 100; ++i) to[i] = some_particle<TypeParam>(i);
    std::vector<float> single(3 * 10);
    std::vector<double> wide(3 * 10);
    std::vector<std::int32_t> narrow_ids(10);
    std::vector<std::int64_t> wide_ids(10);
    copy_velocities(records, 90, 10, single.data());
    copy_velocities(records, 90, 10, wide.data());
    copy_ids(records, 90, 10, narrow_ids.data());
    copy_ids(records, 90, 10, wide_ids.data());
    for (std::size_t i = 0; i < 10; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto value = some_particle<TypeParam>(90 + i).velocity[static_cast<int>(axis)];
            EXPECT_EQ(wide[3 * i + axis], static_cast<double>(value));
            EXPECT_EQ(single[3 * i + axis], static_cast<float>(value));
        }
        EXPECT_EQ(narrow_ids[i], static_cast<std::int32_t>(90 + i));
        EXPECT_EQ(wide_ids[i], static_cast<std::int64_t>(90 + i));
    }
}

TEST(ParticleRecords, UseTheirMemoryAgain) {
    static int allocations = 0;
    allocations = 0;
    const auto allocate = [](std::size_t count) {
        ++allocations;
        return allocate_host_bytes(count);
    };
    ParticleRecords records;
    static_cast<void>(records.begin<ParticleDouble>(0, 0, allocate));
    EXPECT_EQ(allocations, 0);
    static_cast<void>(records.begin<ParticleDouble>(0, 1000, allocate));
    EXPECT_EQ(allocations, 1);
    EXPECT_EQ(records.capacity(), 64000U);
    const auto fewer = records.begin<ParticleMixed>(3, 2000, allocate);
    EXPECT_EQ(allocations, 1) << "2000 records of 32 bytes fit";
    EXPECT_EQ(fewer.size(), 2000U);
    EXPECT_EQ(records.precision(), Precision::mixed);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(fewer.data()) % 128, 0U);
    // Numbers that go up a little at a time must not allocate at each.
    for (std::int64_t count = 1001; count < 1120; ++count)
        static_cast<void>(records.begin<ParticleDouble>(0, count, allocate));
    EXPECT_EQ(allocations, 2);
}

TEST(ParticleRecords, SayWhenThereIsNoMemory) {
    ParticleRecords records;
    static_cast<void>(records.begin<ParticleDouble>(0, 10));
    const auto allocate = [](std::size_t) -> HostBytes { throw std::bad_alloc(); };
    EXPECT_THROW(static_cast<void>(records.begin<ParticleDouble>(0, 11, allocate)), EnvironmentError);
    EXPECT_EQ(records.count(), 0);
    static_cast<void>(records.begin<ParticleDouble>(0, 11));
    EXPECT_EQ(records.count(), 11);
}

}  // namespace
}  // namespace mpcflow
