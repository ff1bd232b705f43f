#include "app/hdf5/disk_file.hpp"

#include <algorithm>
#include <cerrno>
#include <compare>
#include <iterator>
#include <new>
#include <utility>

#include "app/storage/file_error.hpp"

namespace mpcflow::hdf5 {

namespace {

constexpr std::uint64_t page_bytes = 4096;

}  // namespace

/// Where a block comes in the order of a commit; smaller is earlier.
struct DiskFile::Rank {
    int turn = 0;
    int level = 0;  ///< of nodes of an index, negative
    std::uint64_t address = 0;
    auto operator<=>(const Rank&) const = default;
};

DiskFile::DiskFile(storage::Descriptor file, std::string path, WriteOrder order)
    : file_(std::move(file)), path_(std::move(path)), order_(order) {
    bytes_on_disk_ = end_of_file_ = storage::file_size(file_.get(), path_);
}

void DiskFile::show_as_it_was(const storage::JournalContents& contents) {
    for (const auto& [offset, bytes] : contents.pages) pending_[offset] = {BlockKind::other, bytes};
    end_of_file_ = std::min(end_of_file_, contents.guarded_bytes);
    is_only_shown_ = true;
}

int DiskFile::note(int error_number) noexcept {
    if (error_number != 0) fail(error_number);
    return error_number;
}

void DiskFile::fail(int error_number) noexcept {
    if (!has_failed_) error_number_ = error_number;
    has_failed_ = true;
}

void DiskFile::check() const {
    if (!has_failed_) return;
    if (error_number_ != 0) fail_file(path_, "write it", error_number_);
    throw FileError(path_ + ": cannot write it: HDF5 could not close what was written", 0);
}

void DiskFile::give_up() noexcept {
    is_given_up_ = true;
    fail(EIO);
    file_.drop();
}

void DiskFile::close() {
    if (const int error_number = file_.close(); error_number != 0) fail_file(path_, "close it", error_number);
}

void DiskFile::sync() {
    check();
    try {
        storage::sync_file(file_.get(), path_);
        if (journal_ != nullptr) journal_->begin(end_of_address_);
    } catch (const FileError& error) {
        fail(error.error_number);
        throw;
    }
    // Only now: until then a file may be longer than its superblock says, but not shorter.
    if (order_ == WriteOrder::ordered && bytes_on_disk_ > end_of_address_) {
        if (const int error_number = note(storage::resize_file(file_.get(), end_of_address_));
            error_number != 0)
            fail_file(path_, "shorten it", error_number);
        bytes_on_disk_ = end_of_file_ = end_of_address_;
    }
}

void DiskFile::guard(std::unique_ptr<storage::Journal> journal) {
    journal_ = std::move(journal);
    sync();
}

std::uint64_t DiskFile::allocate(std::uint64_t bytes) noexcept {
    std::uint64_t address = end_of_address_;
    // HDF5's own alignment would leave it to keep account of every gap.
    const bool is_torn = address % page_bytes + bytes > page_bytes;
    if (order_ == WriteOrder::ordered && address % page_bytes != 0 && (bytes >= page_bytes / 2 || is_torn))
        address += page_bytes - address % page_bytes;
    end_of_address_ = address + bytes;
    return address;
}

DiskFile::Blocks::const_iterator DiskFile::first_overlap(std::uint64_t address, std::size_t count) const {
    auto block = pending_.upper_bound(address);
    if (block != pending_.begin()) {
        const auto before = std::prev(block);
        if (before->first + before->second.bytes.size() > address) return before;
    }
    return block != pending_.end() && block->first < address + count ? block : pending_.end();
}

int DiskFile::read(std::uint64_t address, std::size_t count, std::byte* bytes) noexcept {
    std::size_t done = 0;
    if (!is_given_up_ && address < end_of_file_) {
        const std::size_t there =
            static_cast<std::size_t>(std::min<std::uint64_t>(count, end_of_file_ - address));
        const storage::ReadResult result = storage::read_at(file_.get(), address, bytes, there);
        if (result.error_number != 0) return result.error_number;
        done = result.count;
    }
    std::fill(bytes + done, bytes + count, std::byte{0});
    for (auto block = first_overlap(address, count);
         block != pending_.end() && block->first < address + count; ++block) {
        const std::uint64_t from = std::max(address, block->first);
        const std::uint64_t to =
            std::min<std::uint64_t>(address + count, block->first + block->second.bytes.size());
        std::copy_n(block->second.bytes.begin() + static_cast<std::ptrdiff_t>(from - block->first), to - from,
                    bytes + (from - address));
    }
    return 0;
}

int DiskFile::write_through(std::uint64_t address, std::size_t count, const std::byte* bytes) noexcept {
    if (const int error_number = note(storage::write_at(file_.get(), address, bytes, count));
        error_number != 0)
        return error_number;
    bytes_on_disk_ = std::max(bytes_on_disk_, address + count);
    return 0;
}

int DiskFile::write(BlockKind kind, std::uint64_t address, std::size_t count,
                    const std::byte* bytes) noexcept {
    if (is_given_up_ || is_only_shown_) return 0;
    if (has_failed_) return error_number_ != 0 ? error_number_ : EIO;
    if (order_ == WriteOrder::any) {
        end_of_file_ = std::max(end_of_file_, address + count);
        return write_through(address, count, bytes);
    }
    try {
        const auto overlap = first_overlap(address, count);
        const bool replaces =
            overlap != pending_.end() && overlap->first == address && overlap->second.bytes.size() == count;
        // Space that changed hands since the last flush: what it held goes first.
        if (overlap != pending_.end() && !replaces) {
            if (const int error_number = commit(); error_number != 0) return error_number;
        }
        end_of_file_ = std::max(end_of_file_, address + count);
        const bool is_guarded = journal_ != nullptr && address < journal_->guarded_bytes();
        if (kind == BlockKind::raw && !is_guarded) return write_through(address, count, bytes);
        pending_[address] = {kind, {bytes, bytes + count}};
        return 0;
    } catch (const std::bad_alloc&) {
        return note(ENOMEM);
    }
}

DiskFile::Rank DiskFile::rank_of(std::uint64_t address, const Block& block) const {
    if (block.kind == BlockKind::raw || address >= committed_end_) return {0, 0, address};
    if (block.kind == BlockKind::superblock) return {end_of_address_ < committed_end_ ? 4 : 1, 0, address};
    if (block.kind == BlockKind::index) {
        // A node begins with "TREE", its type, and its level: 0 for leaves.
        constexpr std::size_t level_at = 5;
        const int level = block.bytes.size() > level_at ? static_cast<int>(block.bytes[level_at]) : 0;
        return {2, -level, address};
    }
    return {3, 0, address};
}

/// What is about to be overwritten goes into the journal, and with it to the disk, before.
int DiskFile::save_guarded() noexcept {
    if (journal_ == nullptr) return 0;
    try {
        for (const auto& [address, block] : pending_)
            journal_->save(file_.get(), address, block.bytes.size());
        journal_->sync();
        return 0;
    } catch (const FileError& error) {
        return note(error.error_number != 0 ? error.error_number : EIO);
    } catch (const std::bad_alloc&) {
        return note(ENOMEM);
    }
}

int DiskFile::commit() noexcept {
    if (is_given_up_ || is_only_shown_) return 0;
    if (has_failed_) return error_number_ != 0 ? error_number_ : EIO;
    if (pending_.empty()) return 0;
    try {
        std::vector<std::pair<Rank, const Block*>> order;
        order.reserve(pending_.size());
        for (const auto& [address, block] : pending_) order.emplace_back(rank_of(address, block), &block);
        std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        if (const int error_number = save_guarded(); error_number != 0) return error_number;
        for (const auto& [rank, block] : order)
            if (const int error_number =
                    write_through(rank.address, block->bytes.size(), block->bytes.data());
                error_number != 0)
                return error_number;
        pending_.clear();
        committed_end_ = end_of_address_;
        return 0;
    } catch (const std::bad_alloc&) {
        return note(ENOMEM);
    }
}

int DiskFile::fit_to_end() noexcept {
    if (is_given_up_ || is_only_shown_) return 0;
    if (has_failed_) return error_number_ != 0 ? error_number_ : EIO;
    const bool is_shorter = end_of_address_ < bytes_on_disk_;
    if (end_of_address_ > bytes_on_disk_ || (is_shorter && order_ == WriteOrder::any)) {
        // Growing now keeps the superblock true that will be written.
        if (const int error_number = note(storage::resize_file(file_.get(), end_of_address_));
            error_number != 0)
            return error_number;
        bytes_on_disk_ = end_of_address_;
    }
    end_of_file_ = end_of_address_;
    return 0;
}

}  // namespace mpcflow::hdf5
