#include "app/verify/xdmf_check.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/hdf5/reading.hpp"

namespace mpcflow::verify {

namespace {

constexpr std::size_t part_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_reference = 4096;
constexpr std::string_view separator = ".h5:/";

/// "FILE.h5:/PATH" of "FILE.h5:/PATH|0 0 0 ...", which means a part of it.
std::string without_selection(const std::string& reference) { return reference.substr(0, reference.find('|')); }

/// Takes "FILE.h5:/PATH" out of a text that comes in parts.
class References {
public:
    void add(std::string_view part) {
        text_ += part;
        std::size_t begin = 0;
        for (std::size_t at = 0; (at = text_.find(separator, begin)) != std::string::npos;) {
            const std::size_t end = text_.find_first_of("<\"' \n", at);
            if (end == std::string::npos && text_.size() - at < longest_reference)
                break;  // the rest is in the next part
            const std::size_t before = text_.find_last_of(">\"' \n", at);
            const std::size_t first = before == std::string::npos ? 0 : before + 1;
            found_.insert(without_selection(text_.substr(first, std::min(end, text_.size()) - first)));
            begin = std::min(end, text_.size());
        }
        const std::size_t keep = std::min(text_.size() - begin, 2 * longest_reference);
        text_.erase(0, text_.size() - keep);
    }
    [[nodiscard]] const std::set<std::string>& found() const { return found_; }

private:
    std::string text_;
    std::set<std::string> found_;
};

/// The first that is not there; empty if all are.
std::string find_missing(const storage::Directory& directory, const std::set<std::string>& references) {
    std::map<std::string, std::optional<hdf5::File>> files;
    for (const std::string& reference : references) {
        const std::size_t colon = reference.find(':');
        const std::string name = reference.substr(0, colon);
        if (name.find('/') != std::string::npos)
            return "refers to a file elsewhere, " + name;
        if (!files.contains(name)) {
            if (!directory.has(name))
                return "refers to " + name + ", which is not there";
            try {
                files[name] = hdf5::File::open(directory, name, storage::Access::read_only);
            } catch (const FileError&) {
                files[name] = std::nullopt;  // told of that file
            }
        }
        if (!files[name])
            continue;
        try {
            static_cast<void>(hdf5::shape_of(*files[name], reference.substr(colon + 1)));
        } catch (const FileError&) {
            return "refers to " + reference + ", which is not there";
        }
    }
    return "";
}

}  // namespace

FileFinding check_xdmf_file(const storage::Directory& directory, const std::string& name) {
    const std::string path = directory.file(name);
    FileFinding finding;
    finding.name = name;
    finding.kind = FileKind::xdmf;
    try {
        const storage::Descriptor file = directory.open(name, storage::Access::read_only);
        References references;
        std::string part(part_bytes, '\0');
        std::string end;
        for (std::uint64_t at = 0;;) {
            const storage::ReadResult result = storage::read_at(file.get(), at, part.data(), part.size());
            if (result.error_number != 0)
                fail_file(path, "read it", result.error_number);
            references.add(std::string_view(part).substr(0, result.count));
            end = (end + part.substr(0, result.count));
            end.erase(0, end.size() - std::min<std::size_t>(end.size(), 16));
            at += result.count;
            if (result.count < part.size())
                break;
        }
        if (end.find("</Xdmf>") == std::string::npos)
            throw FileError(path + ": cut short: its end is not there", 0);
        if (const std::string missing = find_missing(directory, references.found()); !missing.empty())
            throw FileError(path + ": " + missing, 0);
    } catch (const FileError& error) {
        finding.condition = error.error_number == 0 ? Condition::damaged : Condition::unreadable;
        finding.why = without_path(error.what(), path);
    }
    return finding;
}

}  // namespace mpcflow::verify
