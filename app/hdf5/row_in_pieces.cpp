#include "app/hdf5/row_in_pieces.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "app/hdf5/dataset.hpp"
#include "app/hdf5/fletcher32.hpp"

namespace mpcflow::hdf5 {

RowInPieces::RowInPieces(Dataset& dataset, hsize_t items, NumberType type)
    : dataset_(&dataset), items_(items), type_(type) {
    std::vector<hsize_t> extent = dataset.shape();
    start_.assign(extent.size(), 0);
    start_[0] = extent[0] - 1;
    extent.erase(extent.begin(), extent.begin() + 2);
    bytes_of_item_ = product(extent) * byte_size(type);
    chunk_items_ = dataset.items_in_chunk();
    is_whole_chunks_ = dataset.takes_whole_chunks(type);
    if (is_whole_chunks_) fill_ = dataset.fill_value(type);
    // And the checksum of a chunk that is written as it is in the file.
    numbers_.resize(chunk_items_ * bytes_of_item_ + sizeof(std::uint32_t));
}

void RowInPieces::add(std::size_t items, const Make& make) {
    if (written_ + gathered_ + items > items_)
        throw std::logic_error("a row of a dataset gets more items than it has");
    for (std::size_t first = 0; first < items;) {
        const std::size_t count = std::min<std::size_t>(items - first, chunk_items_ - gathered_);
        make(first, count, place_of(gathered_));
        checksum_.add(place_of(gathered_), count * bytes_of_item_);
        gathered_ += count;
        first += count;
        if (gathered_ == chunk_items_ || written_ + gathered_ == items_) write_chunk();
    }
}

std::uint64_t RowInPieces::finish() const {
    if (written_ != items_) throw std::logic_error("a row of a dataset lacks some of its items");
    return checksum_.sum();
}

void RowInPieces::write_chunk() {
    start_[1] = written_;
    if (is_whole_chunks_) {
        std::byte* const end = place_of(chunk_items_);
        for (std::byte* at = place_of(gathered_); at < end; at += fill_.size())
            std::copy(fill_.begin(), fill_.end(), at);
        const std::uint32_t fletcher = fletcher32(numbers_.data(), chunk_items_ * bytes_of_item_);
        std::memcpy(end, &fletcher, sizeof fletcher);
        dataset_->write_whole_chunk(start_, numbers_);
    } else {
        std::vector<hsize_t> extent = dataset_->shape();
        extent[0] = 1;
        extent[1] = gathered_;
        dataset_->write_block(numbers_.data(), start_, extent, type_);
    }
    written_ += gathered_;
    gathered_ = 0;
}

}  // namespace mpcflow::hdf5
