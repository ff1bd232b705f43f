#include "app/hdf5/fletcher32.hpp"

#include <algorithm>
#include <cstring>

namespace mpcflow::hdf5 {

namespace {

constexpr std::uint64_t modulus = 65535;
/// Words whose weighted sum still fits into 32 bits: 65535 * 256 * 257 / 2.
constexpr std::size_t block_words = 256;

/// HDF5 folds its sums, which are modulo 65535, so that 0 comes of nothing but zeros.
std::uint32_t folded(std::uint64_t sum) {
    const auto rest = static_cast<std::uint32_t>(sum % modulus);
    return rest == 0 && sum != 0 ? static_cast<std::uint32_t>(modulus) : rest;
}

}  // namespace

std::uint32_t fletcher32(const std::byte* bytes, std::size_t count) {
    // HDF5 adds big-endian words w_i, and the sums so far after each: that is sum w_i and sum (n - i) w_i. Of
    // the same words with their bytes swapped, which are 256 w_i modulo 65535, the sums are found many at a
    // time; 256 is its own inverse.
    const std::size_t words = count / 2;
    std::uint64_t sum = 0;
    std::uint64_t weighted = 0;
    for (std::size_t first = 0; first < words; first += block_words) {
        const std::size_t length = std::min(block_words, words - first);
        std::uint16_t block[block_words];
        std::memcpy(block, bytes + 2 * first, 2 * length);
        std::uint32_t block_sum = 0;
        std::uint32_t block_weighted = 0;
        for (std::size_t i = 0; i < length; ++i) {
            block_sum += block[i];
            block_weighted += static_cast<std::uint32_t>(static_cast<std::uint16_t>(length - i)) * block[i];
        }
        weighted = (weighted + length * sum + block_weighted) % (modulus << 32U);
        sum += block_sum;
    }
    // The modulus above is a multiple of 65535; a sum that it takes to 0 was none of zeros alone, which `sum`
    // knows.
    const auto swapped = [&](std::uint64_t of) {
        return folded(of % modulus * 256 + (sum != 0 ? modulus : 0));
    };
    return swapped(weighted) << 16U | swapped(sum);
}

}  // namespace mpcflow::hdf5
