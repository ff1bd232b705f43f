#include "app/storage/file_error.hpp"

#include <cerrno>
#include <cstring>

namespace mpcflow {

bool means_no_room(int error_number) {
    return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

std::string describe_errno(int error_number) {
    switch (error_number) {
        case ENOSPC: return "disk full";
        case EDQUOT: return "disk quota exceeded";
        case EFBIG: return "file size limit reached (see ulimit -f)";
        case EACCES: return "permission denied";
        case EROFS: return "the file system is read-only";
        case ENOMEM: return "out of memory";
        case EMFILE: return "too many open files (see ulimit -n)";
        default: return std::strerror(error_number);
    }
}

void fail_file(const std::string& path, std::string_view what, int error_number) {
    throw FileError(path + ": cannot " + std::string(what) + ": " + describe_errno(error_number),
                    error_number);
}

}  // namespace mpcflow
