#include "app/hdf5/error.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace mpcflow::hdf5 {

namespace {

/// What the error stack knows: the innermost description, and the errno that a driver noted in one.
struct Cause {
    std::string description;
    int error_number = 0;
};

herr_t collect(unsigned depth, const H5E_error2_t* entry, void* data) {
    auto& cause = *static_cast<Cause*>(data);
    if (entry->desc == nullptr) return 0;
    // HDF5 is C, through which nothing may be thrown.
    try {
        if (depth == 0) cause.description = entry->desc;
    } catch (const std::bad_alloc&) {
        return -1;
    }
    constexpr const char* key = "errno = ";
    if (const char* found = std::strstr(entry->desc, key); found != nullptr && cause.error_number == 0)
        cause.error_number = std::atoi(found + std::strlen(key));
    return 0;
}

}  // namespace

void initialise_library() {
    static const bool done = [] {
        // Read by HDF5 when it opens its first file. A user's own choice stands.
        setenv("HDF5_USE_FILE_LOCKING", "FALSE", 0);
        H5dont_atexit();
        H5open();
        return true;
    }();
    // A library that was built for threads has this for each of them.
    static thread_local const bool is_quiet = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
    static_cast<void>(done);
    static_cast<void>(is_quiet);
}

void fail(const std::string& file, std::string_view what) {
    Cause cause;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &cause);
    H5Eclear2(H5E_DEFAULT);
    std::string reason = cause.error_number != 0     ? describe_errno(cause.error_number)
                         : cause.description.empty() ? std::string("unknown HDF5 error")
                                                     : "HDF5: " + cause.description;
    throw FileError(file + ": cannot " + std::string(what) + ": " + reason, cause.error_number);
}

}  // namespace mpcflow::hdf5
