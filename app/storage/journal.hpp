#pragma once
/// A rollback journal: what a file held when it was last known to be whole on the disk.
///
/// While a file is changed in place, the journal beside it, FILE.journal, keeps the pages of the file as they
/// were, and is forced to the disk before any of them is overwritten. Whatever of the changes a power failure
/// leaves on the disk, the file goes back to what it was by putting these pages in their places and
/// forgetting what comes after its old end: the way of SQLite. The file is whole at the moments when
/// Journal::begin() is called, after it was forced to the disk itself.
///
/// A header of four words (mark, salt, guarded bytes, checksum) and four more (salt, end of what was forced
/// to the disk, checksum, 0), then pages, each behind four words (salt, offset, bytes, checksum). The salt is
/// another one at each begin(), so that pages of before count no more. A page beyond that end that is not
/// whole was never overwritten in the file: it and what follows are left out. One before it tells that the
/// journal is damaged, which then puts back nothing.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/storage/directory.hpp"

namespace mpcflow::storage {

/// What a file was: its first bytes, of which those in `pages`, by their offsets, are to be put back.
struct JournalContents {
    std::uint64_t guarded_bytes = 0;
    bool is_damaged = false;  ///< some of what was overwritten is not in `pages`
    std::map<std::uint64_t, std::vector<std::byte>> pages;
};

[[nodiscard]] std::string journal_name(const std::string& file_name);

/// What the journal of this file holds; none where there is no journal, or one that never began. Throws
/// FileError.
[[nodiscard]] std::optional<JournalContents> read_journal(const Directory& directory,
                                                          const std::string& file_name);

/// All throw FileError; after a failure nothing more may be written to the file.
class Journal {
public:
    /// Guards nothing yet. A journal that is there stays in force until begin().
    Journal(const Directory& directory, const std::string& file_name);

    /// From now on the first bytes of the file, as they are on the disk, are what it goes back to.
    void begin(std::uint64_t guarded_bytes);
    /// Makes sure that what `file` holds at [offset, offset + count) is in the journal, as far as it is
    /// guarded.
    void save(int file, std::uint64_t offset, std::size_t count);
    /// Forces what was saved to the disk: these bytes of the file may be overwritten now.
    void sync();

    [[nodiscard]] std::uint64_t guarded_bytes() const { return guarded_bytes_; }

private:
    void write(const void* bytes, std::size_t count);

    const Directory& directory_;
    std::string name_;
    std::string path_;
    Descriptor file_;
    std::uint64_t salt_ = 0;
    std::uint64_t guarded_bytes_ = 0;
    std::uint64_t end_ = 0;
    std::set<std::uint64_t> saved_;  ///< offsets of pages
    bool is_named_ = false;          ///< the name is on the disk, too
    bool is_synced_ = true;
};

/// Makes the file what it was, on the disk; it is open as `file`. To be called again if it does not end. The
/// journal stays.
void roll_back(const JournalContents& contents, int file, const std::string& path);

}  // namespace mpcflow::storage
