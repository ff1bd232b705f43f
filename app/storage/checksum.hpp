#pragma once
/// The 64-bit checksum of result files.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace mpcflow::storage {

/// A checksum of a stream of bytes that a processor adds up many words at a time, and numpy, too
/// (docs/output.md).
///
/// Of word w_i, with x_i = w_i + (i + 1) A, go lo(x_i) hi(x_i) into one sum and w_i into another: the first,
/// after NH of Black et al. (UMAC, CRYPTO 1999), depends on the order of the words; in the second a change
/// within one word always shows.
class Checksum {
public:
    void add(const void* bytes, std::size_t count);
    /// Of all bytes so far; the last word is padded with zeros.
    [[nodiscard]] std::uint64_t sum() const;

private:
    void add_words(const std::byte* bytes, std::size_t words);

    std::uint64_t key_ = 0;
    std::uint64_t products_ = 0;
    std::uint64_t words_ = 0;
    std::uint64_t bytes_ = 0;
    std::array<std::byte, 8> rest_{};  ///< of a word that is not full yet
};

[[nodiscard]] std::uint64_t checksum(const void* bytes, std::size_t count);
[[nodiscard]] std::uint64_t checksum(std::initializer_list<std::uint64_t> words);

}  // namespace mpcflow::storage
