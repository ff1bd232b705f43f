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

#include "app/hdf5/file.hpp"

namespace mpcflow::verify {

namespace {

constexpr std::size_t part_bytes = std::size_t{1} << 20;

/// Datasets that a text refers to, "FILE.h5:/PATH", and the last row that it takes of each; -1: all of it.
using References = std::map<std::string, std::int64_t>;

/// Takes "FILE.h5:/PATH" out of whole lines of text, and the row of "FILE.h5:/PATH|ROW ...".
void gather(std::string_view text, References& references) {
    for (std::size_t at = 0; (at = text.find(".h5:/", at)) != std::string_view::npos;) {
        const std::size_t begin = text.find_last_of(">\"' \n", at) + 1;  // 0 where there is none
        const std::size_t end = std::min(text.find_first_of("<\"' \n", at), text.size());
        const std::string_view reference = text.substr(begin, end - begin);
        const std::size_t bar = std::min(reference.find('|'), reference.size());
        std::int64_t row = -1;
        if (bar < reference.size())
            static_cast<void>(
                std::from_chars(reference.data() + bar + 1, reference.data() + reference.size(), row));
        std::int64_t& last = references.try_emplace(std::string(reference.substr(0, bar)), -1).first->second;
        last = std::max(last, row);
        at = end;
    }
}

/// Reads a file part by part. Throws FileError, also where it does not end as it should.
References read_references(const storage::Directory& directory, const std::string& name) {
    const std::string path = directory.file(name);
    const storage::Descriptor file = directory.open(name, storage::Access::read_only);
    References references;
    std::string text;  // from the beginning of a line on
    std::string part(part_bytes, '\0');
    std::uint64_t at = 0;
    for (std::size_t count = part_bytes; count == part_bytes; at += count) {
        const storage::ReadResult result = storage::read_at(file.get(), at, part.data(), part_bytes);
        if (result.error_number != 0) fail_file(path, "read it", result.error_number);
        count = result.count;
        text.append(part, 0, count);
        // The last line stays: it may go on in the next part.
        const std::size_t end =
            text.find_last_of('\n', text.size() - std::min<std::size_t>(text.size(), 16)) + 1;
        gather(std::string_view(text).substr(0, end), references);
        text.erase(0, end);
        if (text.size() > part_bytes) throw FileError(path + ": has lines far longer than mpcflow writes", 0);
    }
    gather(text, references);
    if (text.find("</Xdmf>") == std::string::npos)
        throw FileError(path + ": cut short: its end is not there", 0);
    return references;
}

/// Throws FileError where one is not there. Rows that are not there go to the remarks.
void look_up(const storage::Directory& directory, const References& references, FileFinding& finding) {
    std::map<std::string, std::optional<hdf5::File>> files;
    for (const auto& [reference, row] : references) {
        const std::size_t colon = reference.find(':');
        const std::string name = reference.substr(0, colon);
        if (name.find('/') != std::string::npos) throw FileError("refers to a file elsewhere, " + name, 0);
        if (!files.contains(name)) {
            if (!directory.has(name)) throw FileError("refers to " + name + ", which is not there", 0);
            try {
                files[name] = hdf5::File::open(directory, name, storage::Access::read_only);
            } catch (const FileError&) {
                files[name] = std::nullopt;  // told of that file
            }
        }
        if (!files[name]) continue;
        std::vector<hsize_t> shape;
        try {
            shape = files[name]->root().open_dataset(reference.substr(colon + 1)).shape();
        } catch (const FileError&) {
            throw FileError("refers to " + reference + ", which is not there", 0);
        }
        const auto rows = static_cast<std::int64_t>(shape.empty() ? 0 : shape[0]);
        if (row >= rows && finding.remarks.empty()) {
            finding.remarks.push_back(
                fmt::format("lists {} windows, but {} has {}: the next run that goes on here "
                            "writes it anew",
                            row + 1, name, rows));
        }
    }
}

}  // namespace

FileFinding check_xdmf_file(const storage::Directory& directory, const std::string& name) {
    FileFinding finding{.name = name, .kind = FileKind::xdmf};
    try {
        look_up(directory, read_references(directory, name), finding);
    } catch (const FileError& error) {
        finding.set_damage(error, directory.file(name));
    }
    return finding;
}

}  // namespace mpcflow::verify
