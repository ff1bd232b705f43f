#pragma once
/// A row of a dataset whose items come piece by piece.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "app/hdf5/layout.hpp"
#include "app/storage/checksum.hpp"

namespace mpcflow::hdf5 {

class Dataset;

/// Gathers the items of a chunk and writes it as soon as it is full: never more is in memory. Throws
/// FileError.
class RowInPieces {
public:
    /// Gives the numbers of `count` items of a piece from its item number `first` on.
    using Make = std::function<void(std::size_t first, std::size_t count, void* numbers)>;

    /// The last row of the dataset, of which the first `items` are to come, as numbers of this type.
    RowInPieces(Dataset& dataset, hsize_t items, NumberType type);

    /// Adds so many items.
    void add(std::size_t items, const Make& make);
    /// When all have come: their checksum.
    [[nodiscard]] std::uint64_t finish() const;

private:
    [[nodiscard]] std::byte* place_of(hsize_t item) { return numbers_.data() + item * bytes_of_item_; }
    void write_chunk();

    Dataset* dataset_;
    hsize_t items_;
    NumberType type_;
    std::vector<hsize_t> start_;  ///< of the chunk, in the dataset
    hsize_t chunk_items_ = 0;
    std::size_t bytes_of_item_ = 0;
    bool is_whole_chunks_ = false;
    std::vector<std::byte> fill_;
    std::vector<std::byte> numbers_;  ///< of the chunk
    hsize_t gathered_ = 0;            ///< items of it
    hsize_t written_ = 0;             ///< items of the row
    storage::Checksum checksum_;
};

}  // namespace mpcflow::hdf5
