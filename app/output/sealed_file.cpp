#include "app/output/sealed_file.hpp"

#include "app/hdf5/file.hpp"
#include "app/storage/disk_space.hpp"
#include "app/storage/file_error.hpp"
#include "app/storage/seal.hpp"

namespace mpcflow {

namespace {

Sealed write_as(const storage::Directory& directory, const std::string& name, std::int64_t bytes,
                const std::function<void(const hdf5::Group& root)>& write) {
    hdf5::File file = hdf5::File::create(directory, name);
    try {
        storage::reserve_space(file.descriptor(), file.path(), 0, bytes);
        write(file.root());
        file.flush();
        file.close();
        const storage::Seal seal = storage::seal_file(file.descriptor(), file.path());
        storage::release_reserve(file.descriptor());
        storage::sync_file(file.descriptor(), file.path());
        file.disk().close();
        return {static_cast<std::int64_t>(seal.bytes), seal.sum};
    } catch (...) {
        file.abandon();
        throw;
    }
}

}  // namespace

Sealed write_sealed_file(const storage::Directory& directory, const std::string& name, std::int64_t bytes,
                         const std::function<void(const hdf5::Group& root)>& write) {
    try {
        return write_as(directory, name, bytes, write);
    } catch (const FileError&) {
        // Were that to fail and to be told instead, a failed fsync would pass for a file that may be missing.
        directory.discard(name);
        throw;
    }
}

}  // namespace mpcflow
