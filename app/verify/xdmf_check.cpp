#include "app/verify/xdmf_check.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/hdf5/error.hpp"
#include "app/hdf5/file.hpp"
#include "app/hdf5/reading.hpp"

namespace mpcflow::verify {

namespace {

constexpr std::size_t part_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_reference = 4096;
constexpr std::string_view separator = ".h5:/";

/// Datasets that a text refers to, "FILE.h5:/PATH", and the last row that it takes of each; -1: all of it.
using Referred = std::map<std::string, std::int64_t>;

/// Takes "FILE.h5:/PATH" out of a text that comes in parts, and the row of "FILE.h5:/PATH|ROW ...".
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
            note(text_.substr(first, std::min(end, text_.size()) - first));
            begin = std::min(end, text_.size());
        }
        const std::size_t keep = std::min(text_.size() - begin, 2 * longest_reference);
        text_.erase(0, text_.size() - keep);
    }
    [[nodiscard]] const Referred& found() const { return found_; }

private:
    void note(const std::string& reference) {
        const std::size_t bar = reference.find('|');
        std::int64_t row = -1;
        if (bar != std::string::npos)
            static_cast<void>(std::from_chars(reference.data() + bar + 1, reference.data() + reference.size(), row));
        std::int64_t& last = found_.try_emplace(reference.substr(0, bar), -1).first->second;
        last = std::max(last, row);
    }

    std::string text_;
    Referred found_;
};

/// The first that is not there; empty if all are. Rows that are not there go to the remarks.
std::string find_missing(const storage::Directory& directory, const Referred& references, std::vector<std::string>& remarks) {
    std::map<std::string, std::optional<hdf5::File>> files;
    for (const auto& [reference, row] : references) {
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
            const std::vector<hsize_t> shape = hdf5::shape_of(*files[name], reference.substr(colon + 1));
            const auto rows = static_cast<std::int64_t>(shape.empty() ? 0 : shape[0]);
            if (row >= rows && remarks.empty())
                remarks.push_back(fmt::format("lists {} windows, but {} has {}: the next run that goes on here writes it anew", row + 1, name, rows));
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
        if (const std::string missing = find_missing(directory, references.found(), finding.remarks); !missing.empty())
            throw FileError(path + ": " + missing, 0);
    } catch (const FileError& error) {
        finding.condition = error.error_number == 0 ? Condition::damaged : Condition::unreadable;
        finding.why = without_path(error.what(), path);
    }
    return finding;
}

}  // namespace mpcflow::verify
