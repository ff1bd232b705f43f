#pragma once
/// A directory that is worked in by its descriptor, so that it stays the same one when it is moved or
/// replaced.

#include <string>
#include <vector>

#include "app/storage/descriptor.hpp"

namespace mpcflow::storage {

/// Whether a change has to be on the disk itself when it returns, or may wait in the page cache (which
/// outlives the process, but not a power failure).
enum class Durability { page_cache, disk };

enum class Access { read_only, read_write };

/// Names are of files in the directory, without a slash. No link is followed, nothing but a regular file is
/// opened. All throw FileError, which names the file by the path that the directory had at first.
class Directory {
public:
    explicit Directory(const std::string& path);

    [[nodiscard]] const std::string& path() const { return path_; }
    /// The path of a file in it, for messages.
    [[nodiscard]] std::string file(const std::string& name) const;
    [[nodiscard]] int descriptor() const { return descriptor_.get(); }

    /// A new file, open to be written and read. What had the name is removed, not opened.
    [[nodiscard]] Descriptor create(const std::string& name) const;
    [[nodiscard]] Descriptor open(const std::string& name, Access access) const;
    /// Of all that is in it, in the order of their bytes.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Whether anything has this name, be it a file or a link that leads nowhere.
    [[nodiscard]] bool has(const std::string& name) const;
    /// Removes a file or a link, if there is one.
    void remove(const std::string& name) const;
    /// The same after a failure, which is what is to be told: what cannot be removed now the next run
    /// removes.
    void discard(const std::string& name) const noexcept;
    void rename(const std::string& from, const std::string& to) const;
    /// Takes the directory for whoever has this object, until it is closed. False where somebody else has it.
    /// A file system without locks does without.
    [[nodiscard]] bool lock() const;
    /// Whether somebody has it, by the system's list of locks. Takes none, not for a moment, as a run that
    /// starts just then would be refused. False where there is no such list.
    [[nodiscard]] bool is_locked() const;
    /// Waits until names are on the disk that were given and taken. Throws SyncError.
    void sync() const;

private:
    std::string path_;
    Descriptor descriptor_;
};

}  // namespace mpcflow::storage
