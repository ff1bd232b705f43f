#include "app/verify/lock.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "physics/errors.hpp"

namespace mpcflow::verify {

bool is_locked(const storage::Directory& directory) {
    struct stat status {};
    if (fstat(directory.descriptor(), &status) != 0)
        return false;
    // "1: FLOCK  ADVISORY  WRITE 4711 fe:00:123456 0 EOF"; lines of those who wait have an arrow.
    const std::string place = fmt::format("{:02x}:{:02x}:{}", major(status.st_dev), minor(status.st_dev), status.st_ino);
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line);
        std::string number, kind, way, access, process, file;
        words >> number >> kind >> way >> access >> process >> file;
        if (kind == "FLOCK" && access == "WRITE" && file == place)
            return true;
    }
    return false;
}

void take(const storage::Directory& directory) {
    if (flock(directory.descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        throw EnvironmentError(directory.path() + ": a run is writing to it: nothing is repaired; try again when it has ended");
}

}  // namespace mpcflow::verify
