#pragma once
/// The bytes of an HDF5 file: where they are put, in which order they reach the disk, and what failed.
///
/// HDF5's own driver writes the changed blocks of a flush in order of their addresses: a process killed
/// between two of them can leave a chunk index whose halves do not fit, and with it unreadable rows
/// that were there for long. With WriteOrder::ordered metadata is held back until the flush and then written
/// as
///
///   1. blocks that are new, which nothing on the disk points to yet;
///   2. the superblock, which says how long the file is;
///   3. nodes of the chunk indices (B-trees), parents before children: until a node that was split is
///      itself rewritten, it still holds all that its new neighbour took over;
///   4. object headers and the rest: the lengths of the datasets.
///
/// Where the file becomes shorter, 2 comes last, so that nothing that is still pointed to lies beyond its
/// end. After every single write the file then shows either the rows before the flush or, dataset by dataset,
/// those after it. Raw data (rows of chunks, which nothing points to before the flush) is written at once. No
/// block smaller than a page lies on two: a kill does not tear it.
///
/// That is for kills, after which the kernel still writes all. For a power failure, which leaves any of the
/// pages written since the last sync(), a journal (app/storage/journal.hpp) guards what the file was then.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/storage/descriptor.hpp"
#include "app/storage/journal.hpp"

namespace mpcflow::hdf5 {

/// How the blocks of a file reach the disk.
enum class WriteOrder {
    any,     ///< the file is whole after a flush
    ordered  ///< the file is whole at every instant after its first flush
};

/// What a block of a file is.
enum class BlockKind { raw, superblock, index, other };

/// The file beneath one of HDF5's. A failure to write is kept: HDF5 goes on after some, and says nothing of
/// others (those of H5Dclose, which writes the last chunks, where the identifier closes itself). Nothing is
/// written after it.
class DiskFile {
public:
    DiskFile(storage::Descriptor file, std::string path, WriteOrder order);
    DiskFile(const DiskFile&) = delete;
    DiskFile& operator=(const DiskFile&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] int descriptor() const { return file_.get(); }

    /// Reads the file as it was by its journal.
    void show_as_it_was(const storage::JournalContents& contents);

    /// Throws FileError if anything failed.
    void check() const;
    /// Notes that something could not be written; errno, or 0 if that is not known.
    void fail(int error_number) noexcept;
    /// Not another byte is written, though HDF5 is told that it were; the descriptor is closed.
    void give_up() noexcept;

    /// Forces the file, all of which HDF5 has flushed, to the disk. From then on a journal, if there is one,
    /// guards it as it is now, and what comes after its end is cut off. Throws SyncError, after which nothing
    /// more is written.
    void sync();
    /// The same from now on with a journal.
    void guard(std::unique_ptr<storage::Journal> journal);
    [[nodiscard]] bool is_guarded() const { return journal_ != nullptr; }
    /// Closes the descriptor. Throws FileError.
    void close();

    // What the driver (driver.cpp) asks for. All return errno, or 0.

    [[nodiscard]] int read(std::uint64_t address, std::size_t count, std::byte* bytes) noexcept;
    [[nodiscard]] int write(BlockKind kind, std::uint64_t address, std::size_t count,
                            const std::byte* bytes) noexcept;
    /// Writes what was held back.
    [[nodiscard]] int commit() noexcept;
    /// Makes room at the end of the file; returns its address.
    [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes) noexcept;
    /// Makes the file as long as HDF5 thinks it is. One that is ordered becomes shorter only in sync().
    [[nodiscard]] int fit_to_end() noexcept;

    void set_end_of_address(std::uint64_t address) noexcept { end_of_address_ = address; }
    /// HDF5 knows where the file ends: what will lie beyond is new.
    void note_opened() noexcept { committed_end_ = end_of_address_; }
    [[nodiscard]] std::uint64_t end_of_address() const noexcept { return end_of_address_; }
    [[nodiscard]] std::uint64_t end_of_file() const noexcept { return end_of_file_; }
    [[nodiscard]] WriteOrder order() const noexcept { return order_; }

private:
    struct Block {
        BlockKind kind = BlockKind::other;
        std::vector<std::byte> bytes;
    };
    using Blocks = std::map<std::uint64_t, Block>;  ///< by address
    struct Rank;

    [[nodiscard]] Rank rank_of(std::uint64_t address, const Block& block) const;
    [[nodiscard]] Blocks::const_iterator first_overlap(std::uint64_t address, std::size_t count) const;
    [[nodiscard]] int write_through(std::uint64_t address, std::size_t count,
                                    const std::byte* bytes) noexcept;
    [[nodiscard]] int save_guarded() noexcept;
    [[nodiscard]] int note(int error_number) noexcept;

    storage::Descriptor file_;
    std::string path_;
    WriteOrder order_;
    std::unique_ptr<storage::Journal> journal_;
    Blocks pending_;
    std::uint64_t end_of_address_ = 0;
    std::uint64_t end_of_file_ = 0;  ///< pending blocks included
    std::uint64_t bytes_on_disk_ = 0;
    std::uint64_t committed_end_ = 0;  ///< end of address at the last commit: what lies beyond is new
    bool has_failed_ = false;
    bool is_given_up_ = false;
    bool is_only_shown_ = false;  ///< pending blocks are never written
    int error_number_ = 0;
};

}  // namespace mpcflow::hdf5
