#include "app/growing_file.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "app/disk_space.hpp"
#include "app/hdf5/error.hpp"

namespace mpcflow {

namespace {

std::string temporary_path(const std::string& path) { return path + ".tmp"; }

}  // namespace

hdf5::File create_growing_file(const std::string& path) {
    return hdf5::File::create(temporary_path(path), hdf5::WriteOrder::ordered);
}

void name_growing_file(const std::string& path, bool is_first_row) {
    if (is_first_row)
        rename_file(temporary_path(path), path, Durability::page_cache);
}

void close_growing_file(hdf5::File file, const std::string& path) {
    release_reserve(file.descriptor());
    sync_file(file.descriptor(), path);
    file.close();
}

void check_growing_file_is_there(const std::string& path, const std::string& rows, RowsBefore before) {
    std::error_code error;
    if (std::filesystem::exists(path, error))
        return;
    throw hdf5::FileError(fmt::format("{}: no such file, but the checkpoint tells of {} {} in it; put it back, or go on "
                                      "without them in another folder (--restart CHECKPOINT --output DIR)",
                                      path, before.rows, rows),
                          ENOENT);
}

void check_rows_before(const std::string& path, const std::string& rows, RowsBefore before,
                       std::span<const std::int64_t> steps, std::int64_t lowest) {
    std::int64_t found = 0;
    for (const std::int64_t step : steps) {
        if (step >= before.step || step <= lowest)
            break;
        lowest = step;
        ++found;
    }
    if (found != before.rows) {
        throw hdf5::FileError(fmt::format("{}: has {} {} of before step {}, but the checkpoint tells of {}; put back the "
                                          "file that belongs to the checkpoint",
                                          path, found, rows, before.step, before.rows),
                              0);
    }
}

void leave_growing_file(hdf5::File& file, const std::string& path, bool has_rows) noexcept {
    if (has_rows) {
        release_reserve(file.descriptor());
    } else {
        discard_contents(file.descriptor());
        std::remove(temporary_path(path).c_str());
    }
    file.abandon();
}

}  // namespace mpcflow
