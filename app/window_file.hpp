#pragma once
/// fields.h5: the fields averaged over one window of time after the other. docs/output.md has the format.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/field_statistics.hpp"
#include "app/growing_file.hpp"
#include "app/hdf5/error.hpp"
#include "app/run_record.hpp"

namespace mpcflow {

inline constexpr const char* window_file_name = "fields.h5";
inline constexpr const char* window_file_format = "mpcflow fields";
inline constexpr std::int64_t window_file_format_version = 1;

/// Averages over the samples of some steps.
struct FieldWindow {
    StepSpan steps;
    FieldAverages averages;
};

/// Bytes that one window adds to the file, a little more than exact.
[[nodiscard]] std::int64_t window_bytes(const FieldsOutput& wanted);

/// Throws hdf5::FileError unless this file has these windows. Changes nothing.
void check_windows(const std::string& path, RowsBefore before);

/// Adds windows one by one. After each the file is complete on its own: readable while the run goes on and after the
/// process is killed. What does not fit on the disk is refused before the first byte of it is written.
class WindowFile {
public:
    /// A new file, which comes to be with its first window; or, to go on after some windows, the one that is there, from
    /// which later ones are dropped. Throws hdf5::FileError, also if these windows are not there.
    WindowFile(std::string path, const RunRecord& record, RowsBefore before);
    ~WindowFile();
    WindowFile(const WindowFile&) = delete;
    WindowFile& operator=(const WindowFile&) = delete;

    /// Leaves `spare_bytes` of the disk free (for run.h5). Throws hdf5::FileError, saying which window is lost; earlier
    /// ones stay.
    void append(const FieldWindow& window, std::int64_t spare_bytes);
    /// Waits until all is on the disk. Throws hdf5::FileError.
    void sync();
    /// The same, and closes.
    void close();

    [[nodiscard]] std::int64_t windows() const { return static_cast<std::int64_t>(times_.size()); }
    /// Times of the last samples of the windows so far.
    [[nodiscard]] const std::vector<double>& times() const { return times_; }

private:
    struct Objects;

    void create();
    void open();
    void drop_windows(std::int64_t windows);
    void write(const FieldWindow& window);
    void abandon() noexcept;

    std::string path_;
    const RunRecord& record_;
    std::vector<double> times_;
    std::unique_ptr<Objects> objects_;  ///< none: not begun, closed or abandoned
};

}  // namespace mpcflow
