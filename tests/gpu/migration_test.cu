/// What a domain on a card gives its neighbours of the particles that leave it, and what it takes.

#include "gpu/migration.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/copy_kernels.cuh"
#include "tests/support/gpu_required.hpp"

namespace mpcflow::test {
namespace {

using Record = ParticleOf<float, Masses::equal>;
using Grid = DomainGrid<float>;

/// What is given comes back.
class Mirror final : public DeviceLink {
public:
    explicit Mirror(bool can_trade) : can_trade_(can_trade) {}
    [[nodiscard]] double* outbox() const override { return nullptr; }
    [[nodiscard]] const double* inbox() const override { return nullptr; }
    void begin(cudaStream_t /*stream*/) override {}
    void end(cudaStream_t /*stream*/) override {}
    [[nodiscard]] bool can_trade() const override { return can_trade_; }
    void trade(std::span<const Piece> given, std::span<const Piece> taken, cudaStream_t stream) override {
        ++trades;
        ASSERT_EQ(given.size(), taken.size());
        for (std::size_t i = 0; i < given.size(); ++i) {
            ASSERT_EQ(given[i].neighbour, taken[i].neighbour);
            ASSERT_EQ(given[i].bytes, taken[i].bytes);
            MPCFLOW_CUDA(cudaMemcpyAsync(taken[i].data, given[i].data,
                                         static_cast<std::size_t>(given[i].bytes), cudaMemcpyDeviceToDevice,
                                         stream));
        }
    }

    int trades = 0;

private:
    bool can_trade_;
};

std::vector<Record> read(const Record* records, std::int64_t count) {
    std::vector<Record> copy(static_cast<std::size_t>(count));
    MPCFLOW_CUDA(cudaMemcpy(copy.data(), records, count * sizeof(Record), cudaMemcpyDeviceToHost));
    return copy;
}

std::multiset<std::uint64_t> ids_of(const std::vector<Record>& records) {
    std::multiset<std::uint64_t> ids;
    for (const Record& record : records) ids.insert(record.id());
    return ids;
}

class MigrationTest : public GpuTest {
protected:
    MigrationTest() { system_.box.size = {8, 8, 16}; }

    [[nodiscard]] Grid grid(int number) const { return {system_, 3, Cut{{1, 1, 4}}, number}; }

    /// Of `count` particles of domain 0, `leave` of which are off its grid, in any places: gives them to all
    /// others, and takes as many as if these had given the same.
    void expect_exchange(std::uint32_t count, std::uint32_t leave, bool can_trade) {
        SCOPED_TRACE(std::to_string(leave) + " of " + std::to_string(count));
        const Grid own = grid(0);
        const std::vector<Grid> others{grid(1), grid(2), grid(3)};
        std::mt19937 random(count + leave);
        std::vector<Record> particles;
        std::multiset<std::uint64_t> owned_by_others, on_their_grids;
        for (std::uint32_t i = 0; i < count; ++i) {
            // In a cell of the own ones, or in one that is on no grid of domain 0.
            const bool leaves = i < leave;
            const Vec3<int> cell{static_cast<int>(random() % 8), static_cast<int>(random() % 8),
                                 static_cast<int>(leaves ? 6 + random() % 8 : random() % 4)};
            const Vec3<float> place{cell.x + 0.5F - own.shift().x, cell.y + 0.5F - own.shift().y,
                                    cell.z + 0.5F - own.shift().z};
            particles.push_back(Record::make(
                i, {std::max(place.x, 0.0F), std::max(place.y, 0.0F), std::max(place.z, 0.0F)}, {}));
        }
        std::ranges::shuffle(particles, random);
        for (const Record& particle : particles) {
            if (own.locate(particle.position).cell != no_cell) continue;
            owned_by_others.insert(particle.id());
            for (const Grid& other : others)
                if (other.locate(particle.position).cell != no_cell) on_their_grids.insert(particle.id());
        }
        ASSERT_EQ(owned_by_others.size(), leave);

        Mirror link(can_trade);
        Migration<Record> migration(others, 1000, link);
        const DeviceArray<Record> records(count + 1);
        records.upload(particles.data(), count);
        const ParticleMemory<Record> memory(count + 1);
        if (count > 0)
            take_records<<<block_count(count), block_size>>>(count, records.data(), memory.columns());
        const DeviceArray<StepReport> report(1);
        report.clear();
        for (bool is_complete = false; !is_complete;) {
            if (count > 0)
                find_leaving<<<block_count(count), block_size>>>(own, count, memory.columns(),
                                                                 migration.queue());
            migration.send(own, memory.columns(), report.data(), nullptr);
            MPCFLOW_CUDA(cudaDeviceSynchronize());
            ASSERT_EQ(migration.left(), leave);
            is_complete = migration.is_complete();
            if (!is_complete) migration.grow();
        }
        EXPECT_EQ(migration.report().faults, 0U);

        migration.receive(migration.messages(), nullptr);
        EXPECT_EQ(link.trades, can_trade && leave * sizeof(Record) > (512U << 10U) ? 1 : 0);
        ASSERT_EQ(migration.own(), static_cast<int>(leave));
        ASSERT_EQ(migration.arrivals(), static_cast<int>(on_their_grids.size()));
        EXPECT_EQ(ids_of(read(migration.arrived(), migration.arrivals())), on_their_grids);
        EXPECT_EQ(ids_of(read(migration.arrived(), migration.own())), owned_by_others);

        // As many come as go: each of them is in a hole.
        if (leave == 0) return;
        migration.fill(count, memory.columns(), nullptr);
        give_records<<<block_count(count), block_size>>>(count, memory.columns(), records.data());
        EXPECT_EQ(ids_of(read(records.data(), count)), ids_of(particles));
    }

    System system_;
};

TEST_F(MigrationTest, brings_all_to_their_owners_and_to_whoever_has_their_cell) {
    for (const bool can_trade : {false, true})
        for (const auto& [count, leave] : {std::pair{0U, 0U},
                                           {1U, 0U},
                                           {1U, 1U},
                                           {31U, 31U},
                                           {64U, 32U},
                                           {1000U, 33U},
                                           {5000U, 4000U},
                                           {16385U, 16384U},
                                           {60000U, 40000U}})
            expect_exchange(count, leave, can_trade);
}

/// `left` particles leave, and `come` of others stay with their numbers from `count` on.
void expect_filled(std::uint32_t count, std::uint32_t left, std::uint32_t come) {
    SCOPED_TRACE(std::to_string(left) + " of " + std::to_string(count) + " leave, " + std::to_string(come) +
                 " come");
    std::vector<std::uint32_t> slots(count);
    for (std::uint32_t i = 0; i < count; ++i) slots[i] = i;
    std::mt19937 random(left + come);
    std::ranges::shuffle(slots, random);
    std::vector<Record> particles, arrivals;
    for (std::uint32_t i = 0; i < count; ++i) particles.push_back(Record::make(i, {}, {}));
    for (std::uint32_t i = 0; i < come; ++i) arrivals.push_back(Record::make(count + i, {}, {}));
    std::multiset<std::uint64_t> expected = ids_of(arrivals);
    for (std::uint32_t i = left; i < count; ++i) expected.insert(slots[i]);

    const std::uint32_t room = count + come;
    const DeviceArray<Record> records(room);
    records.upload(particles.data(), count);
    const DeviceArray<Record> arrived(come);
    arrived.upload(arrivals.data(), come);
    const DeviceArray<std::uint32_t> leaving(count);
    leaving.upload(slots.data(), count);
    const ParticleMemory<Record> memory(room);
    take_records<<<block_count(count), block_size>>>(count, records.data(), memory.columns());
    const DeviceArray<std::uint32_t> scratch(2 + 3 * count);
    MPCFLOW_CUDA(cudaMemset(scratch.data(), 0xff, static_cast<std::size_t>(scratch.bytes())));
    const Holes holes{scratch.data(), scratch.data() + 2, scratch.data() + 2 + count,
                      scratch.data() + 2 + 2 * count};
    fill_holes(count, left, come, leaving.data(), arrived.data(), holes, memory.columns(), nullptr);
    const std::uint32_t new_count = count - left + come;
    give_records<<<block_count(room), block_size>>>(new_count, memory.columns(), records.data());
    EXPECT_EQ(ids_of(read(records.data(), new_count)), expected);
}

TEST_F(MigrationTest, leaves_no_hole) {
    for (const std::uint32_t count : {1U, 31U, 32U, 33U, 1000U, 70000U})
        for (const std::uint32_t left : {0U, 1U, count / 3, count - 1, count})
            for (const std::uint32_t come : {0U, 1U, count / 4, count / 2, 2 * count})
                if (left > 0 || come > 0) expect_filled(count, left, come);
}

}  // namespace
}  // namespace mpcflow::test
