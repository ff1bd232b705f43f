#pragma once
/// fields.h5: the fields averaged over one window of time after the other. docs/output.md has the format.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/hdf5/error.hpp"
#include "app/output/growing_file.hpp"
#include "app/run/run_record.hpp"

namespace mpcflow {

inline constexpr const char* window_file_name = "fields.h5";
inline constexpr const char* window_file_format = "mpcflow fields";
inline constexpr std::int64_t window_file_format_version = 2;

/// Bytes that one window adds to the file, a little more than exact.
[[nodiscard]] std::int64_t window_bytes(const FieldsOutput& wanted, int species);

/// Adds windows, rows of the fields' observable, one by one. After each the file is complete on its own:
/// readable while the run goes on and after the process is killed. What does not fit on the disk is refused
/// before the first byte of it is written.
class WindowFile {
public:
    /// A new file, which comes to be with its first window.
    WindowFile(const storage::Directory& directory, const RunRecord& record);
    /// Opens the file, in which check_kept_file() found these windows, to go on after them, and drops later
    /// ones. Throws FileError.
    WindowFile(const storage::Directory& directory, const RunRecord& record, RowsBefore before,
               JournalUse journal);
    ~WindowFile();
    WindowFile(const WindowFile&) = delete;
    WindowFile& operator=(const WindowFile&) = delete;

    /// Leaves `spare_bytes` of the disk free (for run.h5). Throws FileError, saying which window is lost;
    /// earlier ones stay.
    void append(const ObservableRow& window, std::int64_t spare_bytes);
    /// Waits until all is on the disk, and guards it from what comes. Throws SyncError.
    void sync();
    /// The same, and closes.
    void close();

    [[nodiscard]] std::int64_t windows() const { return windows_; }
    /// Times of the last samples of the windows so far, read from the file. Of an open one.
    [[nodiscard]] std::vector<double> read_times() const;
    /// Time of the last sample of a window.
    [[nodiscard]] double time_of(const ObservableRow& window) const;
    /// chained_checksum() of all windows.
    [[nodiscard]] std::uint64_t checksum() const { return checksum_; }

private:
    struct Objects;

    void create();
    void open_datasets();
    void close_datasets();
    void write(const ObservableRow& window);
    void abandon() noexcept;

    const storage::Directory& directory_;
    std::string path_;
    const RunRecord& record_;
    std::int64_t windows_ = 0;
    std::uint64_t checksum_ = 0;
    std::unique_ptr<Objects> objects_;  ///< none: not begun, closed or abandoned
};

}  // namespace mpcflow
