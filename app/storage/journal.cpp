#include "app/storage/journal.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "app/storage/checksum.hpp"
#include "app/storage/file_error.hpp"

namespace mpcflow::storage {

namespace {

constexpr std::uint64_t journal_mark = 0x4c4e524a46435031ULL;
constexpr std::uint64_t page_bytes = 4096;

struct Header {
    std::uint64_t mark = journal_mark;
    std::uint64_t salt = 0;
    std::uint64_t guarded_bytes = 0;
    std::uint64_t sum = 0;

    [[nodiscard]] std::uint64_t right_sum() const { return checksum({mark, salt, guarded_bytes}); }
};

/// How far the journal was forced to the disk; written after that, and forced with what comes next. Where a
/// power failure takes it away an earlier one stands, which is true as well.
struct Progress {
    std::uint64_t salt = 0;
    std::uint64_t end = 0;
    std::uint64_t sum = 0;
    std::uint64_t zero = 0;

    [[nodiscard]] std::uint64_t right_sum() const { return checksum({salt, end}); }
};

constexpr std::uint64_t first_page = sizeof(Header) + sizeof(Progress);

struct PageHeader {
    std::uint64_t salt = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t sum = 0;

    [[nodiscard]] std::uint64_t right_sum(const std::byte* page) const {
        return checksum({salt, offset, bytes, checksum(page, static_cast<std::size_t>(bytes))});
    }
};

/// Bytes of the page at this offset that are guarded.
std::size_t guarded_part(std::uint64_t offset, std::uint64_t guarded_bytes) {
    return static_cast<std::size_t>(std::min(page_bytes, guarded_bytes - offset));
}

bool read_whole(int descriptor, const std::string& path, std::uint64_t offset, void* bytes,
                std::size_t count) {
    const ReadResult result = read_at(descriptor, offset, bytes, count);
    if (result.error_number != 0) fail_file(path, "read it", result.error_number);
    return result.count == count;
}

std::uint64_t draw_salt() {
    std::random_device device;
    return std::uint64_t{device()} << 32U | device();
}

}  // namespace

std::string journal_name(const std::string& file_name) { return file_name + ".journal"; }

std::optional<JournalContents> read_journal(const Directory& directory, const std::string& file_name) {
    const std::string name = journal_name(file_name);
    if (!directory.has(name)) return std::nullopt;
    const std::string path = directory.file(name);
    const Descriptor file = directory.open(name, Access::read_only);
    Header header;
    if (!read_whole(file.get(), path, 0, &header, sizeof header) || header.mark != journal_mark ||
        header.sum != header.right_sum())
        return std::nullopt;
    JournalContents contents{header.guarded_bytes, false, {}};
    Progress progress;
    const bool knows_progress = read_whole(file.get(), path, sizeof header, &progress, sizeof progress) &&
                                progress.salt == header.salt && progress.sum == progress.right_sum();
    std::uint64_t at = first_page;
    PageHeader page;
    while (read_whole(file.get(), path, at, &page, sizeof page) && page.salt == header.salt &&
           page.offset % page_bytes == 0 && page.offset < header.guarded_bytes &&
           page.bytes == guarded_part(page.offset, header.guarded_bytes)) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(page.bytes));
        if (!read_whole(file.get(), path, at + sizeof page, bytes.data(), bytes.size()) ||
            page.sum != page.right_sum(bytes.data()))
            break;
        contents.pages.emplace(page.offset, std::move(bytes));
        at += sizeof page + page.bytes;
    }
    contents.is_damaged = !knows_progress || at < progress.end;
    return contents;
}

Journal::Journal(const Directory& directory, const std::string& file_name)
    : directory_(directory),
      name_(journal_name(file_name)),
      path_(directory.file(name_)),
      salt_(draw_salt()) {
    file_ = directory.has(name_) ? directory.open(name_, Access::read_write) : directory.create(name_);
}

void Journal::begin(std::uint64_t guarded_bytes) {
    struct {
        Header header;
        Progress progress;
    } head;
    static_assert(sizeof head == first_page);
    head.header = {journal_mark, ++salt_, guarded_bytes, 0};
    head.header.sum = head.header.right_sum();
    head.progress = {salt_, first_page, 0, 0};
    head.progress.sum = head.progress.right_sum();
    // The header, which makes the pages of before worthless, is on the disk before they are cut off.
    if (const int error_number = write_at(file_.get(), 0, &head, sizeof head); error_number != 0)
        fail_file(path_, "write it", error_number);
    sync_file(file_.get(), path_);
    if (!is_named_) {
        directory_.sync();
        is_named_ = true;
    }
    if (const int error_number = resize_file(file_.get(), first_page); error_number != 0)
        fail_file(path_, "shorten it", error_number);
    guarded_bytes_ = guarded_bytes;
    end_ = first_page;
    saved_.clear();
    is_synced_ = true;
}

void Journal::write(const void* bytes, std::size_t count) {
    if (const int error_number = write_at(file_.get(), end_, bytes, count); error_number != 0)
        fail_file(path_, "write it", error_number);
    end_ += count;
    is_synced_ = false;
}

void Journal::save(int file, std::uint64_t offset, std::size_t count) {
    std::array<std::byte, page_bytes> bytes;
    const std::uint64_t end = std::min(guarded_bytes_, offset + count);
    for (std::uint64_t page = offset / page_bytes * page_bytes; page < end; page += page_bytes) {
        if (saved_.contains(page)) continue;
        PageHeader header{salt_, page, guarded_part(page, guarded_bytes_), 0};
        const auto length = static_cast<std::size_t>(header.bytes);
        if (!read_whole(file, path_, page, bytes.data(), length))
            throw FileError(path_ + ": cannot save what it guards: the file is shorter than it was", 0);
        header.sum = header.right_sum(bytes.data());
        write(&header, sizeof header);
        write(bytes.data(), length);
        saved_.insert(page);
    }
}

void Journal::sync() {
    if (is_synced_) return;
    sync_file(file_.get(), path_);
    is_synced_ = true;
    Progress progress{salt_, end_, 0, 0};
    progress.sum = progress.right_sum();
    if (const int error_number = write_at(file_.get(), sizeof(Header), &progress, sizeof progress);
        error_number != 0)
        fail_file(path_, "write it", error_number);
}

void roll_back(const JournalContents& contents, int file, const std::string& path) {
    for (const auto& [offset, bytes] : contents.pages)
        if (const int error_number = write_at(file, offset, bytes.data(), bytes.size()); error_number != 0)
            fail_file(path, "put back what it held", error_number);
    if (file_size(file, path) > contents.guarded_bytes) {
        if (const int error_number = resize_file(file, contents.guarded_bytes); error_number != 0)
            fail_file(path, "shorten it", error_number);
    }
    sync_file(file, path);
}

}  // namespace mpcflow::storage
