#include "app/hdf5/ordered_driver.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <tuple>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "app/hdf5/error.hpp"

namespace mpcflow::hdf5 {

namespace {

struct PendingBlock {
    H5FD_mem_t type = H5FD_MEM_DEFAULT;
    std::vector<std::byte> bytes;
};

/// The driver's file. HDF5 knows it by its base.
struct OrderedFile : H5FD_t {
    OrderedFile() : H5FD_t{} {}
    OrderedFile(const OrderedFile&) = delete;
    OrderedFile& operator=(const OrderedFile&) = delete;

    int descriptor = -1;
    haddr_t end_of_address = 0;
    haddr_t end_of_file = 0;  ///< pending blocks included
    haddr_t bytes_on_disk = 0;
    haddr_t old_bytes = 0;      ///< of the file as it was opened
    haddr_t committed_end = 0;  ///< end of address at the last commit
    std::map<haddr_t, PendingBlock> pending;
    std::set<haddr_t> committed;  ///< addresses of metadata blocks that are on the disk
    /// A write failed. HDF5 goes on with a flush all the same; nothing more may reach the disk then.
    bool has_failed = false;

    ~OrderedFile() {
        if (descriptor >= 0)
            ::close(descriptor);
    }
};

OrderedFile& as_ordered(H5FD_t* file) { return static_cast<OrderedFile&>(*file); }
const OrderedFile& as_ordered(const H5FD_t* file) { return static_cast<const OrderedFile&>(*file); }

/// Tells HDF5's error stack about errno, in the words that error.cpp looks for.
/// Returns -1, HDF5's failure.
herr_t push_errno(const char* what) {
    const int number = errno;
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR,
             "%s failed: errno = %d, error message = '%s'", what, number, std::strerror(number));
    return -1;
}

/// The same, and stops all further writing.
herr_t give_up(OrderedFile& file, const char* what) {
    const herr_t failure = push_errno(what);
    file.has_failed = true;
    return failure;
}

herr_t write_bytes(OrderedFile& file, haddr_t address, const std::byte* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t written = pwrite(file.descriptor, bytes, count, static_cast<off_t>(address));
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return give_up(file, "pwrite");
        address += static_cast<haddr_t>(written);
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
    file.bytes_on_disk = std::max(file.bytes_on_disk, address);
    return 0;
}

/// Where a block comes in the order of a commit; smaller is earlier.
using Rank = std::tuple<int, int, haddr_t>;

Rank rank_of(const OrderedFile& file, haddr_t address, const PendingBlock& block) {
    if (address >= file.old_bytes && !file.committed.contains(address))
        return {0, 0, address};
    if (block.type == H5FD_MEM_SUPER)
        return {file.end_of_address < file.committed_end ? 4 : 1, 0, address};
    if (block.type == H5FD_MEM_BTREE) {
        // A node begins with "TREE", its type, and its level: 0 for leaves.
        constexpr std::size_t level_at = 5;
        const int level = block.bytes.size() > level_at ? static_cast<int>(block.bytes[level_at]) : 0;
        return {2, -level, address};
    }
    return {3, 0, address};
}

herr_t commit(OrderedFile& file) {
    if (file.has_failed)
        return -1;
    std::vector<std::pair<Rank, const PendingBlock*>> order;
    order.reserve(file.pending.size());
    for (const auto& [address, block] : file.pending)
        order.emplace_back(rank_of(file, address, block), &block);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [rank, block] : order) {
        if (write_bytes(file, std::get<2>(rank), block->bytes.data(), block->bytes.size()) < 0)
            return -1;
    }
    for (const auto& [address, block] : file.pending)
        file.committed.insert(address);
    file.pending.clear();
    file.committed_end = file.end_of_address;
    return 0;
}

/// The first pending block that overlaps [address, address + count), or end.
std::map<haddr_t, PendingBlock>::const_iterator first_overlap(const OrderedFile& file, haddr_t address,
                                                              std::size_t count) {
    auto block = file.pending.upper_bound(address);
    if (block != file.pending.begin()) {
        const auto before = std::prev(block);
        if (before->first + before->second.bytes.size() > address)
            return before;
    }
    return block != file.pending.end() && block->first < address + count ? block : file.pending.end();
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t, haddr_t) {
    int mode = (flags & H5F_ACC_RDWR) != 0U ? O_RDWR : O_RDONLY;
    if ((flags & H5F_ACC_TRUNC) != 0U)
        mode |= O_TRUNC;
    if ((flags & H5F_ACC_CREAT) != 0U)
        mode |= O_CREAT;
    if ((flags & H5F_ACC_EXCL) != 0U)
        mode |= O_EXCL;
    try {
        auto file = std::make_unique<OrderedFile>();
        file->descriptor = open(name, mode | O_CLOEXEC, 0666);
        struct stat status {};
        if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0) {
            push_errno("open");
            return nullptr;
        }
        file->bytes_on_disk = file->end_of_file = static_cast<haddr_t>(status.st_size);
        file->old_bytes = file->committed_end = file->end_of_file;
        return file.release();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

herr_t close_file(H5FD_t* base) {
    const std::unique_ptr<OrderedFile> file(&as_ordered(base));
    if (commit(*file) < 0)
        return -1;
    // Only now: a file may be longer than its superblock says, but not shorter.
    if (file->bytes_on_disk > file->end_of_address &&
        ftruncate(file->descriptor, static_cast<off_t>(file->end_of_address)) != 0) {
        return give_up(*file, "ftruncate");
    }
    return 0;
}

int compare_files(const H5FD_t* a, const H5FD_t* b) {
    struct stat first {};
    struct stat second {};
    fstat(as_ordered(a).descriptor, &first);
    fstat(as_ordered(b).descriptor, &second);
    const auto key = [](const struct stat& s) { return std::make_pair(s.st_dev, s.st_ino); };
    return key(first) < key(second) ? -1 : key(first) > key(second) ? 1 : 0;
}

herr_t query_features(const H5FD_t*, unsigned long* flags) {
    // Not H5FD_FEAT_ACCUMULATE_METADATA: each block is to come on its own.
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

haddr_t get_end_of_address(const H5FD_t* file, H5FD_mem_t) { return as_ordered(file).end_of_address; }

herr_t set_end_of_address(H5FD_t* file, H5FD_mem_t, haddr_t address) {
    as_ordered(file).end_of_address = address;
    return 0;
}

haddr_t get_end_of_file(const H5FD_t* file, H5FD_mem_t) { return as_ordered(file).end_of_file; }

herr_t get_descriptor(H5FD_t* file, hid_t, void** handle) {
    *handle = &as_ordered(file).descriptor;
    return 0;
}

herr_t read_block(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t count, void* buffer) {
    OrderedFile& file = as_ordered(base);
    auto* bytes = static_cast<std::byte*>(buffer);
    std::size_t done = 0;
    while (done < count) {
        const ssize_t got = pread(file.descriptor, bytes + done, count - done, static_cast<off_t>(address + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return push_errno("pread");
        if (got == 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    std::fill(bytes + done, bytes + count, std::byte{0});
    for (auto block = first_overlap(file, address, count);
         block != file.pending.end() && block->first < address + count; ++block) {
        const haddr_t from = std::max(address, block->first);
        const haddr_t to = std::min<haddr_t>(address + count, block->first + block->second.bytes.size());
        std::copy_n(block->second.bytes.begin() + static_cast<std::ptrdiff_t>(from - block->first), to - from,
                    bytes + (from - address));
    }
    return 0;
}

herr_t write_block(H5FD_t* base, H5FD_mem_t type, hid_t, haddr_t address, std::size_t count, const void* buffer) {
    OrderedFile& file = as_ordered(base);
    const auto* bytes = static_cast<const std::byte*>(buffer);
    try {
        const auto overlap = first_overlap(file, address, count);
        const bool replaces =
            overlap != file.pending.end() && overlap->first == address && overlap->second.bytes.size() == count;
        // Space that changed hands since the last flush: what it held goes first.
        if (overlap != file.pending.end() && !replaces && commit(file) < 0)
            return -1;
        file.end_of_file = std::max(file.end_of_file, address + count);
        if (file.has_failed)
            return -1;
        if (type == H5FD_MEM_DRAW)
            return write_bytes(file, address, bytes, count);
        file.pending[address] = {type, {bytes, bytes + count}};
        return 0;
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

herr_t flush_file(H5FD_t* file, hid_t, hbool_t) { return commit(as_ordered(file)); }

herr_t fit_to_end_of_address(H5FD_t* base, hid_t, hbool_t) {
    OrderedFile& file = as_ordered(base);
    // Growing now keeps the superblock that will be written true; shrinking waits for close_file.
    if (file.end_of_address > file.bytes_on_disk) {
        if (ftruncate(file.descriptor, static_cast<off_t>(file.end_of_address)) != 0)
            return give_up(file, "ftruncate");
        file.bytes_on_disk = file.end_of_address;
    }
    file.end_of_file = file.end_of_address;
    return 0;
}

H5FD_class_t driver_class() {
    H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(600);  // of the range for drivers of one program
#endif
    driver.name = "mpcflow_ordered";
    driver.maxaddr = HADDR_MAX >> 1U;
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.open = open_file;
    driver.close = close_file;
    driver.cmp = compare_files;
    driver.query = query_features;
    driver.get_eoa = get_end_of_address;
    driver.set_eoa = set_end_of_address;
    driver.get_eof = get_end_of_file;
    driver.get_handle = get_descriptor;
    driver.read = read_block;
    driver.write = write_block;
    driver.flush = flush_file;
    driver.truncate = fit_to_end_of_address;
    const H5FD_mem_t free_lists[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(free_lists), std::end(free_lists), driver.fl_map);
    return driver;
}

}  // namespace

void use_ordered_driver(hid_t file_access_list) {
    static const H5FD_class_t driver = driver_class();
    static const hid_t id = check(H5FDregister(&driver), "HDF5", "register the file driver");
    check(H5Pset_driver(file_access_list, id, nullptr), "HDF5", "choose the file driver");
}

}  // namespace mpcflow::hdf5
