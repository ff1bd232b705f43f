#pragma once
/// The maximum of floating-point numbers over an array by a grid of blocks, in several ways: an atomic on one
/// word for each item; on one of several words, which are then compared, or whose rise raises the one; a
/// reduction, with one atomic a block.
///
/// There is no atomic maximum of floating-point numbers, but one of integers. So a word holds an image of its
/// number, an unsigned integer, in the same order. Apart from those of images, functions are for all threads
/// of all blocks; `value_of(item)` is a float or a double, not NaN. Words are to be set to `image_of_least`
/// before.

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "gpu/block/grid_reduce.hpp"
#include "gpu/warp/atomics.hpp"

namespace mpcflow::block {

/// The integers that are images of a float or a double.
template <std::floating_point T>
using Image = std::conditional_t<sizeof(T) == 4, std::uint32_t, unsigned long long>;

template <std::floating_point T>
inline constexpr Image<T> sign_bit = Image<T>{1} << (8 * sizeof(T) - 1);

/// The image of a number: a < b is image_of(a) < image_of(b), except that -0 comes before 0.
///
/// The bits of numbers that are not negative are in order already, those of negative ones in reverse. So of
/// these all bits are inverted, and of the others the sign, which puts them above.
template <std::floating_point T>
[[nodiscard]] MPCFLOW_HD Image<T> image_of(T value) {
    const auto bits = std::bit_cast<Image<T>>(value);
    return (bits & sign_bit<T>) != 0 ? ~bits : bits | sign_bit<T>;
}

/// The number of an image.
template <std::floating_point T>
[[nodiscard]] MPCFLOW_HD T value_of_image(Image<T> image) {
    return std::bit_cast<T>((image & sign_bit<T>) != 0 ? image & ~sign_bit<T> : ~image);
}

/// The image of minus infinity, than which no number is less.
template <std::floating_point T>
[[nodiscard]] MPCFLOW_HD Image<T> image_of_least() {
    return image_of(-std::numeric_limits<T>::infinity());
}

/// One word for all: each item tries to raise it.
template <std::floating_point T, IsBlock Block, warp::IsAtomics Atomics, class ValueOf>
MPCFLOW_WARP void raise_one_word(Block block, Atomics atomics, GridItems items, ValueOf&& value_of,
                                 Image<T>* word) {
    visit_alone(
        block, items,
        [&](std::int64_t item) { atomics.maximum(word, image_of(static_cast<T>(value_of(item)))); });
}

/// Words in global memory, for parts of the threads each.
template <std::floating_point T>
struct RegionWords {
    Image<T>* words;  ///< count
    int count;
};

/// One word for each region of the grid: thread i of the grid tries to raise word i modulo their number, so
/// that the lanes of a warp meet at as few words as can be. Then join_regions.
template <std::floating_point T, IsBlock Block, warp::IsAtomics Atomics, class ValueOf>
MPCFLOW_WARP void raise_regions(Block block, Atomics atomics, GridItems items, ValueOf&& value_of,
                                RegionWords<T> regions) {
    Image<T>* const word = regions.words + first_item(block, items) % regions.count;
    raise_one_word<T>(block, atomics, items, value_of, word);
}

/// The same, and whoever raises the word of its region also tries to raise the one word for all: after
/// Westphal, so that few ever do, and the maximum needs no second kernel.
template <std::floating_point T, IsBlock Block, warp::IsAtomics Atomics, class ValueOf>
MPCFLOW_WARP void raise_regions_then_one(Block block, Atomics atomics, GridItems items, ValueOf&& value_of,
                                         RegionWords<T> regions, Image<T>* word) {
    Image<T>* const of_region = regions.words + first_item(block, items) % regions.count;
    visit_alone(block, items, [&](std::int64_t item) {
        const Image<T> image = image_of(static_cast<T>(value_of(item)));
        if (atomics.maximum(of_region, image) < image) atomics.maximum(word, image);
    });
}

/// The largest of the regions' words, in thread 0. For one block, after all blocks have raised them.
template <std::floating_point T, IsBlock Block>
[[nodiscard]] MPCFLOW_WARP T join_regions(Block block, RegionWords<T> regions,
                                          ReduceScratch<1, Image<T>>& scratch) {
    const auto image = reduce_own_items<Image<T>>(
        block, GridItems{regions.count, 0, 1}, [=](std::int64_t region) { return regions.words[region]; },
        warp::Maximum{});
    return value_of_image<T>(reduce(block, image, scratch, warp::Maximum{}));
}

/// By reduction: one thread of each block tries to raise the word.
template <std::floating_point T, IsBlock Block, warp::IsAtomics Atomics, class ValueOf>
MPCFLOW_WARP void raise_by_reduction(Block block, Atomics atomics, GridItems items, ValueOf&& value_of,
                                     ReduceScratch<1, T>& scratch, Image<T>* word) {
    reduce_grid<T>(
        block, items, value_of, warp::Maximum{}, scratch,
        [=](T value) { atomics.maximum(word, image_of(value)); });
}

}  // namespace mpcflow::block
