#pragma once
/// Memory that many lanes, warps and blocks write: what an algorithm may ask of it, and ways of adding
/// doubles to it.
///
/// Like the warp (warp.hpp) it is a type that the algorithms are written over: on the GPU CudaAtomics
/// (cuda_atomics.cuh), in unit tests the emulator's (tests/support/emulated_atomics.hpp).

#include <bit>
#include <concepts>
#include <cstdint>

#include "gpu/warp/warp.hpp"

namespace mpcflow::warp {

/// Indivisible operations on one word of memory, shared or global. Each returns what the word held before.
/// None orders other accesses to memory: for that there is warp.sync. `A` is a handle, cheap to copy.
template <class A>
concept IsAtomics = std::copyable<A> &&
    requires(const A& atomics, std::int32_t* int32, std::uint32_t* uint32, unsigned long long* uint64,
             float* float32, double* float64) {
    /// Adds a value.
    { atomics.add(int32, std::int32_t{}) } -> std::same_as<std::int32_t>;
    { atomics.add(uint32, std::uint32_t{}) } -> std::same_as<std::uint32_t>;
    { atomics.add(uint64, 0ULL) } -> std::same_as<unsigned long long>;
    { atomics.add(float32, 0.0f) } -> std::same_as<float>;
    { atomics.add(float64, 0.0) } -> std::same_as<double>;
    /// (at, expected, desired): writes `desired` if the word is `expected`.
    { atomics.compare_and_swap(uint32, std::uint32_t{}, std::uint32_t{}) } -> std::same_as<std::uint32_t>;
    { atomics.compare_and_swap(uint64, 0ULL, 0ULL) } -> std::same_as<unsigned long long>;
    /// Writes a value.
    { atomics.exchange(uint32, std::uint32_t{}) } -> std::same_as<std::uint32_t>;
    { atomics.exchange(uint64, 0ULL) } -> std::same_as<unsigned long long>;
    /// Writes the smaller, or the larger, of the word and a value.
    { atomics.minimum(int32, std::int32_t{}) } -> std::same_as<std::int32_t>;
    { atomics.minimum(uint32, std::uint32_t{}) } -> std::same_as<std::uint32_t>;
    { atomics.minimum(uint64, 0ULL) } -> std::same_as<unsigned long long>;
    { atomics.maximum(int32, std::int32_t{}) } -> std::same_as<std::int32_t>;
    { atomics.maximum(uint32, std::uint32_t{}) } -> std::same_as<std::uint32_t>;
    { atomics.maximum(uint64, 0ULL) } -> std::same_as<unsigned long long>;
    /// Reads a word that others write meanwhile, from where all see it.
    { atomics.load(uint32) } -> std::same_as<std::uint32_t>;
    { atomics.load(uint64) } -> std::same_as<unsigned long long>;
    /// Sets bits.
    { atomics.bit_or(uint32, std::uint32_t{}) } -> std::same_as<std::uint32_t>;
};

/// Adds by a compare-and-swap loop: the only way where the hardware cannot add doubles, and elsewhere one
/// to be measured against. The loop ends, for whenever one lane's swap fails another's has succeeded.
template <IsAtomics Atomics>
MPCFLOW_WARP double add_by_compare_and_swap(Atomics atomics, double* to, double value) {
    auto* const word = reinterpret_cast<unsigned long long*>(to);
    auto seen = std::bit_cast<unsigned long long>(*to);  // a guess, which the first swap checks
    unsigned long long expected;
    do {
        expected = seen;
        const double sum = std::bit_cast<double>(expected) + value;
        seen = atomics.compare_and_swap(word, expected, std::bit_cast<unsigned long long>(sum));
    } while (seen != expected);  // bits, not doubles: a NaN does not equal itself
    return std::bit_cast<double>(seen);
}

/// A double approximated by the sum of two floats: 48 bits instead of 53, in a float's range.
struct TwoFloats {
    float high = 0;
    float low = 0;

    /// The nearest float and what is missing: within 2^-48 |value| of it for |value| in [2^-102, 2^127].
    [[nodiscard]] static MPCFLOW_HD TwoFloats split(double value) {
        const auto high = static_cast<float>(value);
        return {high, static_cast<float>(value - static_cast<double>(high))};
    }
    [[nodiscard]] MPCFLOW_HD double value() const {
        return static_cast<double>(high) + static_cast<double>(low);
    }
};

/// Adds a double to a sum of two floats by two float atomics, for cards on which those are much faster than
/// atomics of doubles. Any number of lanes may add at the same time.
///
/// What the atomic on `high` loses by rounding is known to the lane that did it, since it gets the old value:
/// the rounding error of a + b is itself a float, found by six additions (O. Moller, BIT 5, 1965; D. E.
/// Knuth, The Art of Computer Programming 2, 4.2.2). It goes to `low`, together with the value's own low
/// part. So only the additions to `low` round for good. After n additions to a sum S that starts at zero
///     |result - S| <= n (n + 5) 2^-48 M + n 2^-123,   M = max(|values|, |partial sums|):
/// an addition brings at most 2^-23 M to `low`, which so is at most i 2^-23 M after the i-th one; the i-th
/// rounds off 2^-24 of that, n (n + 1) 2^-48 M in all; what is brought has been rounded itself, by 2^-47 M
/// and by the 2^-48 M of the split. 2^-123 stands for numbers below the normal floats, which the hardware's
/// atomics take for zero. The sum depends on the order of the additions, so runs that use it are not
/// reproducible to the bit. Not for sums beyond 2^127.
template <IsAtomics Atomics>
MPCFLOW_WARP void add_two_floats(Atomics atomics, TwoFloats* to, double value) {
    const TwoFloats added = TwoFloats::split(value);
    const float old = atomics.add(&to->high, added.high);
    const float sum = old + added.high;  // what the atomic has written
    const float part_of_added = sum - old;
    const float error = (old - (sum - part_of_added)) + (added.high - part_of_added);
    atomics.add(&to->low, added.low + error);
}

}  // namespace mpcflow::warp
