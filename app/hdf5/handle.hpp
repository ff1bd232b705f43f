#pragma once
/// HDF5 identifiers that close themselves.

#include <utility>

#include <hdf5.h>

namespace mpcflow::hdf5 {

/// Owns one HDF5 identifier; `close_function` is the H5?close that belongs to it.
template <herr_t (*close_function)(hid_t)>
class Handle {
public:
    Handle() = default;
    explicit Handle(hid_t id) : id_(id) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    ~Handle() { static_cast<void>(close()); }

    [[nodiscard]] hid_t get() const { return id_; }
    [[nodiscard]] bool is_open() const { return id_ >= 0; }
    /// Closes it; HDF5's word for how that went. What is written through it needs that word: the destructor
    /// drops it.
    herr_t close() noexcept { return is_open() ? close_function(release()) : 0; }
    /// Gives the identifier away without closing it.
    [[nodiscard]] hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

private:
    hid_t id_ = H5I_INVALID_HID;
};

using FileHandle = Handle<H5Fclose>;
using GroupHandle = Handle<H5Gclose>;
using DatasetHandle = Handle<H5Dclose>;
using DataspaceHandle = Handle<H5Sclose>;
using TypeHandle = Handle<H5Tclose>;
using AttributeHandle = Handle<H5Aclose>;
using PropertyListHandle = Handle<H5Pclose>;
using ObjectHandle = Handle<H5Oclose>;

}  // namespace mpcflow::hdf5
