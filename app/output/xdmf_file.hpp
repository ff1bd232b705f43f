#pragma once
/// fields.xdmf and fields_in_time.xdmf: tell ParaView, VisIt and other readers of XDMF where in run.h5 and
/// fields.h5 the averaged fields are. Of version 2 and with names relative to their own folder: what
/// ParaView's readers of both versions take. (The one of version 3, which ParaView takes unless told
/// otherwise, aborts where it is given an .xdmf as a name without a folder: it then looks for
/// "fields.xdmfrun.h5".)

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/storage/directory.hpp"
#include "input/scenario.hpp"

namespace mpcflow {

inline constexpr const char* xdmf_file_name = "fields.xdmf";
inline constexpr const char* window_xdmf_file_name = "fields_in_time.xdmf";

/// The text: one grid of box-shaped cells, the bins, with the fields of `wanted` and their standard errors as
/// cell data. The numbers stay in run.h5, beside which the file must lie.
[[nodiscard]] std::string describe_fields(const Box& box, const FieldsOutput& wanted);

/// The grid of window `row` of fields.h5, the same without errors. It stays true when windows follow.
[[nodiscard]] std::string describe_window(const Box& box, const FieldsOutput& wanted, std::int64_t row,
                                          double time);

/// Writes such a text. A reader sees the whole file, the one before it or none. Throws FileError.
void write_xdmf_file(const storage::Directory& directory, const std::string& name, const std::string& text);

/// fields_in_time.xdmf: a grid for each window of fields.h5, one after the other in time. A window is added
/// in place of the closing tags, which follow it: that costs the same however many there are.
class WindowXdmf {
public:
    /// Of the windows that are in fields.h5, which ended at these times: written whole. It comes to be with
    /// the first window. Throws FileError, as add() does.
    WindowXdmf(const storage::Directory& directory, const Box& box, const FieldsOutput& wanted,
               const std::vector<double>& times);

    /// Adds the next window. After a failure the file is as it was.
    void add(double time);
    /// After the last window. Throws FileError.
    void close();
    [[nodiscard]] std::int64_t windows() const { return windows_; }

private:
    void create(const std::vector<double>& times);
    void write_whole(const std::vector<double>& times);
    void write(std::string_view text);
    void put_back() noexcept;

    const storage::Directory& directory_;
    std::string path_;
    Box box_;
    FieldsOutput wanted_;
    storage::Descriptor file_;
    std::uint64_t end_ = 0;  ///< of the last grid, where the closing tags begin
    std::int64_t windows_ = 0;
};

}  // namespace mpcflow
