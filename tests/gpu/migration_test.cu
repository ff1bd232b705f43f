/// What a domain on a card gives its neighbours of the particles that leave it, and what it takes.

#include "gpu/migration.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

/// What is given comes back, and what `others` give comes, too.
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
        last_given.assign(given.begin(), given.end());
        std::vector<Piece> on_the_way = last_given;
        on_the_way.insert(on_the_way.end(), others.begin(), others.end());
        for (const Piece& piece : taken) {
            const auto from = std::ranges::find(on_the_way, piece.neighbour, &Piece::neighbour);
            ASSERT_NE(from, on_the_way.end());
            ASSERT_EQ(from->bytes, piece.bytes);
            MPCFLOW_CUDA(cudaMemcpyAsync(piece.data, from->data, static_cast<std::size_t>(piece.bytes),
                                         cudaMemcpyDeviceToDevice, stream));
            on_the_way.erase(from);
        }
        left_over = on_the_way.size();
    }

    int trades = 0;
    std::size_t left_over = 0;      ///< pieces of the last trade that nobody took
    std::vector<Piece> last_given;  ///< in the last trade
    std::vector<Piece> others;

private:
    bool can_trade_;
};

std::vector<Record> read(const Record* records, std::int64_t count) {
    std::vector<Record> copy(static_cast<std::size_t>(count));
    if (count > 0)
        MPCFLOW_CUDA(cudaMemcpy(copy.data(), records, count * sizeof(Record), cudaMemcpyDeviceToHost));
    return copy;
}

using Ids = std::multiset<std::uint64_t>;

Ids ids_of(const std::vector<Record>& records) {
    Ids ids;
    for (const Record& record : records) ids.insert(record.id());
    return ids;
}

Ids both(Ids ids, const Ids& others) {
    ids.insert(others.begin(), others.end());
    return ids;
}

/// Particles of domain 0 of four, on the device.
struct Crowd {
    std::vector<Record> particles;
    std::uint32_t leave;            ///< so many are off its grid
    std::array<Ids, 3> become_own;  ///< of each other domain
    std::array<Ids, 3> are_others;  ///< on its grid, but not its own
    ParticleMemory<Record> memory;

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(particles.size()); }
};

class MigrationTest : public GpuTest {
protected:
    MigrationTest() { system_.box.size = {8, 8, 16}; }

    [[nodiscard]] Grid grid(int number) const { return {system_, 3, Cut{{1, 1, 4}}, number}; }
    [[nodiscard]] std::vector<Grid> other_grids() const { return {grid(1), grid(2), grid(3)}; }

    /// `leave` of them are off the grid, in any places of memory; ids from `first` on.
    [[nodiscard]] Crowd crowd(std::uint32_t count, std::uint32_t leave, std::uint32_t first = 0) const {
        Crowd crowd{{}, leave, {}, {}, ParticleMemory<Record>(count + 1)};
        const Grid own = grid(0);
        std::mt19937 random(count + leave);
        for (std::uint32_t i = 0; i < count; ++i) {
            // Own cells are in layers 0 to 3, and those of the grid from -1 to 4.
            const Vec3<int> cell{static_cast<int>(random() % 8), static_cast<int>(random() % 8),
                                 static_cast<int>(i < leave ? 6 + random() % 8 : random() % 4)};
            const Vec3<float> place{cell.x + 0.5F - own.shift().x, cell.y + 0.5F - own.shift().y,
                                    cell.z + 0.5F - own.shift().z};
            crowd.particles.push_back(Record::make(
                first + i, {std::max(place.x, 0.0F), std::max(place.y, 0.0F), std::max(place.z, 0.0F)}, {}));
        }
        std::ranges::shuffle(crowd.particles, random);
        std::uint32_t left = 0;
        for (const Record& particle : crowd.particles) {
            if (own.locate(particle.position).cell != no_cell) continue;
            ++left;
            for (int n = 0; n < 3; ++n)
                if (own.owner(particle.position) == n + 1) crowd.become_own[n].insert(particle.id());
                else if (grid(n + 1).locate(particle.position).cell != no_cell)
                    crowd.are_others[n].insert(particle.id());
        }
        EXPECT_EQ(left, leave);
        if (count > 0) {
            const DeviceArray<Record> records(count);
            records.upload(crowd.particles.data(), count);
            take_records<<<block_count(count), block_size>>>(count, records.data(), crowd.memory.columns());
            MPCFLOW_CUDA(cudaDeviceSynchronize());
        }
        return crowd;
    }

    /// As a domain does after a step.
    void send(Migration<Record>& migration, const Crowd& crowd) const {
        const DeviceArray<StepReport> report(1);
        report.clear();
        for (bool is_complete = false; !is_complete;) {
            if (crowd.count() > 0)
                find_leaving<<<block_count(crowd.count()), block_size>>>(
                    grid(0), crowd.count(), crowd.memory.columns(), migration.queue());
            migration.send(grid(0), crowd.memory.columns(), report.data(), nullptr);
            MPCFLOW_CUDA(cudaDeviceSynchronize());
            ASSERT_EQ(migration.left(), crowd.leave);
            is_complete = migration.is_complete();
            if (!is_complete) migration.grow();
        }
        EXPECT_EQ(migration.report().faults, 0U);
    }

    /// What came: first the own ones.
    static void expect_arrived(const Migration<Record>& migration, const Ids& own, const Ids& others) {
        ASSERT_EQ(migration.own(), static_cast<int>(own.size()));
        ASSERT_EQ(migration.arrivals(), static_cast<int>(own.size() + others.size()));
        EXPECT_EQ(ids_of(read(migration.arrived(), migration.own())), own);
        EXPECT_EQ(ids_of(read(migration.arrived(), migration.arrivals())), both(own, others));
    }

    /// A domain gives to all others, and takes as much as if these gave the same to it.
    void expect_exchange(Migration<Record>& migration, Mirror& link, std::uint32_t count,
                         std::uint32_t leave) const {
        SCOPED_TRACE(std::to_string(leave) + " of " + std::to_string(count));
        const Crowd all = crowd(count, leave);
        send(migration, all);
        const int trades = link.trades;
        migration.receive(migration.messages(), nullptr);
        const bool are_many = leave * sizeof(Record) > (512U << 10U);
        EXPECT_EQ(link.trades - trades, link.can_trade() && are_many ? 1 : 0);
        EXPECT_EQ(link.left_over, 0U);
        Ids own, others;
        for (int n = 0; n < 3; ++n) {
            own = both(own, all.become_own[n]);
            others = both(others, all.are_others[n]);
        }
        ASSERT_EQ(own.size(), leave);
        expect_arrived(migration, own, others);
        // As many come as go: each of them is in a hole.
        if (leave == 0) return;
        migration.fill(count, all.memory.columns(), nullptr);
        const DeviceArray<Record> records(count);
        give_records<<<block_count(count), block_size>>>(count, all.memory.columns(), records.data());
        EXPECT_EQ(ids_of(read(records.data(), count)), ids_of(all.particles));
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
                                           {60000U, 40000U}}) {
            Mirror link(can_trade);
            Migration<Record> migration(other_grids(), 1000, link);
            expect_exchange(migration, link, count, leave);
        }
}

TEST_F(MigrationTest, goes_on_with_any_number_in_the_next_step) {
    for (const bool can_trade : {false, true}) {
        Mirror link(can_trade);
        Migration<Record> migration(other_grids(), 1000, link);
        for (const std::uint32_t leave : {40000U, 33U, 0U, 16385U, 16384U, 50000U})
            expect_exchange(migration, link, 60000, leave);
    }
}

/// Some neighbours have much to give and some little, and so has the domain itself.
TEST_F(MigrationTest, takes_by_host_and_by_device_in_one_step) {
    Mirror of_many(true), of_few(true);
    Migration<Record> many(other_grids(), 1000, of_many), few(other_grids(), 1000, of_few);
    const Crowd crowd_of_many = crowd(60000, 40000);
    const Crowd crowd_of_few = crowd(200, 100, 60000);
    send(many, crowd_of_many);
    send(few, crowd_of_few);
    const std::vector<Message> from_many = many.messages();
    const std::vector<Message> from_few = few.messages();
    many.receive(from_many, nullptr);
    ASSERT_EQ(of_many.trades, 1);

    // What neighbours 0 and 2 give goes by device, what 1 gives by host.
    for (Migration<Record>* const migration : {&few, &many}) {
        Mirror& link = migration == &few ? of_few : of_many;
        link.others.clear();
        if (migration == &few)
            for (const Piece& piece : of_many.last_given)
                if (piece.neighbour != 1) link.others.push_back(piece);
        migration->receive({from_many[0], from_few[1], from_many[2]}, nullptr);
        MPCFLOW_CUDA(cudaDeviceSynchronize());
        // `many` gives to neighbour 1, too, who does not give as much.
        EXPECT_EQ(link.left_over, migration == &few ? 0U : 2U);
        expect_arrived(
            *migration,
            both(both(crowd_of_many.become_own[0], crowd_of_few.become_own[1]), crowd_of_many.become_own[2]),
            both(both(crowd_of_many.are_others[0], crowd_of_few.are_others[1]), crowd_of_many.are_others[2]));
    }
    // And all by host where the domain itself gives by device.
    many.receive(from_few, nullptr);
    EXPECT_EQ(of_many.left_over, 6U);
    EXPECT_EQ(many.arrivals(), [&] {
        std::size_t count = 0;
        for (int n = 0; n < 3; ++n)
            count += crowd_of_few.become_own[n].size() + crowd_of_few.are_others[n].size();
        return static_cast<int>(count);
    }());
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
    Ids expected = ids_of(arrivals);
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
