#pragma once
/// A regular lattice of places in a box, as even as any number of particles allows.

#include <cstdint>

#include "physics/host_device.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Layers along z of rows along x. Layers are equally far from each other, and so are the rows of one and the
/// places in a row; the numbers of particles of two layers, or of two rows, differ by one at most. There are
/// as many layers and rows as make these distances alike.
class Lattice {
public:
    explicit Lattice(const System& system);

    /// The place of a particle, of each another. The ids are shuffled, always alike: those of a species, or
    /// every n-th, are spread as at random.
    [[nodiscard]] MPCFLOW_HD Vec3<double> place(std::uint64_t id) const {
        const Part layer = part_of(shuffled(id), count_, layers_);
        const Part row = part_of(layer.index, layer.count, rows_);
        return {(static_cast<double>(row.index) + 0.5) * length_.x / static_cast<double>(row.count),
                (static_cast<double>(row.number) + 0.5) * length_.y / static_cast<double>(rows_),
                (static_cast<double>(layer.number) + 0.5) * length_.z / static_cast<double>(layers_)};
    }

private:
    /// One of the parts of a sequence, and an item in it.
    struct Part {
        std::uint64_t number;
        std::uint64_t count;  ///< of its items
        std::uint64_t index;  ///< of the item
    };
    /// Of `count` items in `parts` parts that are as long as each other or by one longer, that of item `i`:
    /// part k begins with item floor(k count / parts).
    MPCFLOW_HD static Part part_of(std::uint64_t i, std::uint64_t count, std::uint64_t parts) {
        const std::uint64_t number = ((i + 1) * parts - 1) / count;
        const std::uint64_t first = number * count / parts;
        return {number, (number + 1) * count / parts - first, i - first};
    }

    /// A permutation of the ids: one of all numbers of so many bits, of which less than half are no ids,
    /// taken again where it leads to one of these. Products with odd numbers permute, and so does adding the
    /// upper half of the bits to the lower one.
    [[nodiscard]] MPCFLOW_HD std::uint64_t shuffled(std::uint64_t id) const {
        const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
        const int half = bits_ > 1 ? bits_ / 2 : 1;
        const auto mix = [&](std::uint64_t number, std::uint64_t factor) {
            number = (number * factor) & mask;
            return number ^ (number >> half);
        };
        do {
            id = mix(id, 0x9e3779b97f4a7c15);
            id = mix(id, 0xbf58476d1ce4e5b9);
            id = mix(id, 0x94d049bb133111eb);
        } while (id >= count_);
        return id;
    }

    std::uint64_t count_;
    std::uint64_t layers_;
    std::uint64_t rows_;
    int bits_;  ///< of the ids
    Vec3<double> length_;
};

}  // namespace mpcflow
