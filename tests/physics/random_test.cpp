/// The counter-based generator: published vectors, no two askers alike.

#include <array>
#include <set>
#include <vector>

#include "physics/random.hpp"
#include "tests/physics/statistics.hpp"

namespace mpcflow::test {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words words(const RandomBlock& block) { return {block.word[0], block.word[1], block.word[2], block.word[3]}; }

// The known-answer tests of Random123 (file kat_vectors, philox 4x32 10).
TEST(Philox, published_vectors) {
    EXPECT_EQ(words(philox4x32({{0, 0, 0, 0}}, 0, 0)),
              (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(words(philox4x32({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffff, 0xffffffff)),
              (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(words(philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0)),
              (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// Every asker that differs in one or two bits of seed, stream, step, index or block, within their
// ranges, gets a block of its own: the fields do not overlap in the counter.
TEST(RandomSource, no_two_askers_get_the_same_block) {
    struct Field {
        int bits;
        std::uint64_t value;
    };
    const std::array<int, 5> widths{64, 3, 56, 48, 16};
    const auto draw = [](const std::array<std::uint64_t, 5>& asker) {
        RandomSource source{asker[0], static_cast<RandomStream>(asker[1]), asker[2], asker[3],
                            static_cast<std::uint32_t>(asker[4])};
        return words(source.next());
    };
    std::vector<std::array<std::uint64_t, 5>> single;
    for (std::size_t field = 0; field < widths.size(); ++field) {
        for (int bit = 0; bit < widths[field]; ++bit) {
            std::array<std::uint64_t, 5> asker{};
            asker[field] = std::uint64_t{1} << static_cast<unsigned>(bit);
            single.push_back(asker);
        }
    }
    std::set<Words> seen{draw({})};
    std::size_t askers = 1;
    for (std::size_t i = 0; i < single.size(); ++i) {
        for (std::size_t j = i; j < single.size(); ++j) {
            std::array<std::uint64_t, 5> asker{};
            for (std::size_t f = 0; f < asker.size(); ++f) asker[f] = single[i][f] | single[j][f];
            seen.insert(draw(asker));
            ++askers;
        }
    }
    EXPECT_EQ(seen.size(), askers);
}

TEST(RandomSource, goes_on_with_the_next_block_and_has_no_other_state) {
    RandomSource source{3, RandomStream::thermostat, 5, 7};
    std::set<Words> seen;
    for (std::uint32_t block = 0; block < 1000; ++block) {
        RandomSource fresh{3, RandomStream::thermostat, 5, 7, block};
        const Words next = words(source.next());
        EXPECT_EQ(next, words(fresh.next()));
        seen.insert(next);
    }
    EXPECT_EQ(seen.size(), 1000u);
}

TEST(RandomSource, bytes_of_all_words_are_uniform_along_every_coordinate) {
    for (int coordinate = 0; coordinate < 4; ++coordinate) {
        std::vector<std::vector<double>> counts(16, std::vector<double>(256));
        for (std::uint64_t i = 0; i < 50000; ++i) {
            RandomSource source{coordinate == 0 ? i : 9, RandomStream::rotation_axis, coordinate == 1 ? i : 9,
                                coordinate == 2 ? i : 9, coordinate == 3 ? static_cast<std::uint32_t>(i) : 9};
            const RandomBlock block = source.next();
            for (std::size_t byte = 0; byte < 16; ++byte)
                counts[byte][block.word[byte / 4] >> (8 * (byte % 4)) & 0xffU] += 1.0;
        }
        for (const auto& count : counts) EXPECT_GT(uniform_p_value(count), least_p_value);
    }
}

TEST(UniformOpen, never_zero_or_one_and_monotonic) {
    EXPECT_EQ(uniform_open(0, 0), 0x1p-53);
    EXPECT_EQ(uniform_open(0xffffffff, 0xffffffff), 1.0 - 0x1p-53);
    EXPECT_LT(uniform_open(0xffffffff, 0xffffffff), 1.0);
    EXPECT_EQ(uniform_open(0x80000000, 0), 0.5 + 0x1p-53);
    // The lowest 12 of 64 bits do not count; the 13th does.
    EXPECT_EQ(uniform_open(7, 0xfff), uniform_open(7, 0));
    EXPECT_EQ(uniform_open(7, 0x1000) - uniform_open(7, 0), 0x1p-52);
    EXPECT_EQ(uniform_open(8, 0) - uniform_open(7, 0xffffffff), 0x1p-52);
}

TEST(UniformOpen, is_uniform) {
    std::vector<double> samples;
    for (std::uint64_t i = 0; i < 100000; ++i) {
        const RandomBlock bits = RandomSource{1, RandomStream::initial_state, 0, i}.next();
        samples.push_back(uniform_open(bits.word[0], bits.word[1]));
        samples.push_back(uniform_open(bits.word[2], bits.word[3]));
    }
    EXPECT_GT(kolmogorov_p_value(samples, [](double x) { return x; }), least_p_value);
}

}  // namespace
}  // namespace mpcflow::test
