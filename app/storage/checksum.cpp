#include "app/storage/checksum.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace mpcflow::storage {

static_assert(std::endian::native == std::endian::little,
              "files are little-endian, as all machines with CUDA are");

namespace {

constexpr std::uint64_t key_step = 0x9e3779b97f4a7c15ULL;

/// The last step of MurmurHash3: every bit of the result depends on every bit of h.
std::uint64_t mix(std::uint64_t h) {
    h ^= h >> 33U;
    h *= 0xff51afd7ed558ccdULL;
    h ^= h >> 33U;
    h *= 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33U);
}

}  // namespace

void Checksum::add_words(const std::byte* bytes, std::size_t words) {
    std::uint64_t key = key_;
    std::uint64_t products = 0;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words; ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + 8 * i, 8);
        const std::uint64_t x = word + key + (i + 1) * key_step;
        products += (x & 0xffffffffU) * (x >> 32U);
        sum += word;
    }
    key_ += words * key_step;
    products_ += products;
    words_ += sum;
}

void Checksum::add(const void* from, std::size_t count) {
    if (count == 0) return;
    const auto* bytes = static_cast<const std::byte*>(from);
    if (const std::size_t begun = bytes_ % 8; begun != 0) {
        const std::size_t part = std::min(8 - begun, count);
        std::memcpy(rest_.data() + begun, bytes, part);
        bytes_ += part;
        bytes += part;
        count -= part;
        if (bytes_ % 8 != 0) return;
        add_words(rest_.data(), 1);
    }
    add_words(bytes, count / 8);
    bytes_ += count;
    std::memcpy(rest_.data(), bytes + count / 8 * 8, count % 8);
}

std::uint64_t Checksum::sum() const {
    Checksum whole = *this;
    if (const std::size_t begun = bytes_ % 8; begun != 0) {
        std::fill(whole.rest_.begin() + static_cast<std::ptrdiff_t>(begun), whole.rest_.end(), std::byte{0});
        whole.add_words(whole.rest_.data(), 1);
    }
    return mix(whole.products_ + mix(whole.words_ + mix(bytes_)));
}

std::uint64_t checksum(const void* bytes, std::size_t count) {
    Checksum checksum;
    checksum.add(bytes, count);
    return checksum.sum();
}

std::uint64_t checksum(std::initializer_list<std::uint64_t> words) {
    return checksum(std::data(words), words.size() * sizeof(std::uint64_t));
}

}  // namespace mpcflow::storage
