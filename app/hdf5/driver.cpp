#include "app/hdf5/driver.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <functional>
#include <iterator>
#include <new>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "app/hdf5/error.hpp"

namespace mpcflow::hdf5 {

namespace {

/// What HDF5 knows as the file. HDF5 knows it by its base.
struct DriverFile : H5FD_t {
    DriverFile() : H5FD_t{} {}
    std::shared_ptr<DiskFile> disk;
};

/// What a file access list carries.
struct DriverInfo {
    const std::shared_ptr<DiskFile>* file;
};

DiskFile& disk_of(H5FD_t* file) { return *static_cast<DriverFile*>(file)->disk; }
const DiskFile& disk_of(const H5FD_t* file) { return *static_cast<const DriverFile*>(file)->disk; }

/// HDF5's word for how something went, and for its error stack errno in the words that error.cpp looks for.
herr_t told(int error_number, const char* what) {
    if (error_number == 0) return 0;
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR,
             "%s failed: errno = %d, error message = '%s'", what, error_number, std::strerror(error_number));
    return -1;
}

BlockKind kind_of(H5FD_mem_t type) {
    switch (type) {
        case H5FD_MEM_DRAW: return BlockKind::raw;
        case H5FD_MEM_SUPER: return BlockKind::superblock;
        case H5FD_MEM_BTREE: return BlockKind::index;
        default: return BlockKind::other;
    }
}

/// HDF5 opens a file twice to create it, and once to look at one.
H5FD_t* open_file(const char*, unsigned, hid_t file_access_list, haddr_t) {
    const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(file_access_list));
    if (info == nullptr) return nullptr;
    auto* file = new (std::nothrow) DriverFile;
    if (file != nullptr) file->disk = *info->file;
    return file;
}

herr_t close_file(H5FD_t* base) {
    const std::unique_ptr<DriverFile> file(static_cast<DriverFile*>(base));
    return told(file->disk->commit(), "write");
}

/// No two of this program's files are one.
int compare_files(const H5FD_t* a, const H5FD_t* b) {
    const std::less<const DiskFile*> is_less;
    return is_less(&disk_of(a), &disk_of(b)) ? -1 : is_less(&disk_of(b), &disk_of(a)) ? 1 : 0;
}

herr_t query_features(const H5FD_t* file, unsigned long* flags) {
    // Not H5FD_FEAT_POSIX_COMPAT_HANDLE, for which HDF5 looks at the path, which may be another file's by
    // then.
    *flags = H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    // Of a file that is whole at every instant each block comes on its own, at a place that never was
    // another's.
    if (file == nullptr || disk_of(file).order() == WriteOrder::any)
        *flags |=
            H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_ACCUMULATE_METADATA;
    return 0;
}

haddr_t allocate(H5FD_t* file, H5FD_mem_t, hid_t, hsize_t bytes) { return disk_of(file).allocate(bytes); }

haddr_t get_end_of_address(const H5FD_t* file, H5FD_mem_t) { return disk_of(file).end_of_address(); }

herr_t set_end_of_address(H5FD_t* file, H5FD_mem_t, haddr_t address) {
    disk_of(file).set_end_of_address(address);
    return 0;
}

haddr_t get_end_of_file(const H5FD_t* file, H5FD_mem_t) { return disk_of(file).end_of_file(); }

herr_t read_block(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t count, void* buffer) {
    return told(disk_of(file).read(address, count, static_cast<std::byte*>(buffer)), "read");
}

herr_t write_block(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t count,
                   const void* buffer) {
    return told(disk_of(file).write(kind_of(type), address, count, static_cast<const std::byte*>(buffer)),
                "write");
}

herr_t flush_file(H5FD_t* file, hid_t, hbool_t) { return told(disk_of(file).commit(), "write"); }

herr_t fit_to_end(H5FD_t* file, hid_t, hbool_t) { return told(disk_of(file).fit_to_end(), "ftruncate"); }

H5FD_class_t driver_class() {
    H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
    driver.version = H5FD_CLASS_VERSION;
    driver.value = static_cast<H5FD_class_value_t>(600);  // of the range for drivers of one program
#endif
    driver.name = "mpcflow";
    driver.maxaddr = HADDR_MAX >> 1U;
    driver.fc_degree = H5F_CLOSE_WEAK;
    driver.fapl_size = sizeof(DriverInfo);
    driver.open = open_file;
    driver.close = close_file;
    driver.cmp = compare_files;
    driver.query = query_features;
    driver.alloc = allocate;
    driver.get_eoa = get_end_of_address;
    driver.set_eoa = set_end_of_address;
    driver.get_eof = get_end_of_file;
    driver.read = read_block;
    driver.write = write_block;
    driver.flush = flush_file;
    driver.truncate = fit_to_end;
    const H5FD_mem_t free_lists[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(free_lists), std::end(free_lists), driver.fl_map);
    return driver;
}

}  // namespace

void use_driver(hid_t file_access_list, const std::shared_ptr<DiskFile>& file) {
    static const H5FD_class_t driver = driver_class();
    static const hid_t id = check(H5FDregister(&driver), "HDF5", "register the file driver");
    const DriverInfo info{&file};
    check(H5Pset_driver(file_access_list, id, &info), "HDF5", "choose the file driver");
}

}  // namespace mpcflow::hdf5
