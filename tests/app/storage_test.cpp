/// Files and directories beneath the HDF5 wrappers: checksums, seals, journals, and what is no file.

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/storage/checksum.hpp"
#include "app/storage/directory.hpp"
#include "app/storage/file_error.hpp"
#include "app/storage/journal.hpp"
#include "app/storage/seal.hpp"
#include "tests/app/temporary_directory.hpp"

namespace mpcflow::storage {
namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    Bytes bytes(count);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine());
    return bytes;
}

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const EnvironmentError& error) {
        return error.what();
    }
    return "no error";
}

/// As docs/output.md has it, word by word.
std::uint64_t slow_checksum(const Bytes& bytes) {
    const auto f = [](std::uint64_t h) {
        h ^= h >> 33U;
        h *= 0xff51afd7ed558ccdULL;
        h ^= h >> 33U;
        h *= 0xc4ceb9fe1a85ec53ULL;
        h ^= h >> 33U;
        return h;
    };
    std::uint64_t s1 = 0;
    std::uint64_t s2 = 0;
    for (std::size_t i = 0; 8 * i < bytes.size(); ++i) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + 8 * i, std::min<std::size_t>(8, bytes.size() - 8 * i));
        const std::uint64_t x = word + (i + 1) * 0x9e3779b97f4a7c15ULL;
        s1 += (x % (std::uint64_t{1} << 32U)) * (x >> 32U);
        s2 += word;
    }
    return f(s1 + f(s2 + f(bytes.size())));
}

TEST(Checksum, IsThatOfTheDocumentHoweverTheBytesCome) {
    for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 31U, 32U, 33U, 1000U, 100003U}) {
        const Bytes bytes = random_bytes(count, 3);
        EXPECT_EQ(checksum(bytes.data(), count), slow_checksum(bytes)) << count;
        std::mt19937 engine(5);
        for (int repeat = 0; repeat < 10; ++repeat) {
            Checksum parts;
            for (std::size_t at = 0; at < count;) {
                const std::size_t part = std::min<std::size_t>(count - at, engine() % 40);
                parts.add(bytes.data() + at, part);
                at += part;
            }
            ASSERT_EQ(parts.sum(), slow_checksum(bytes)) << count;
        }
    }
    EXPECT_EQ(checksum(nullptr, 0), 0x0ULL);
    EXPECT_EQ(checksum({1, 2, 3}), 0x9920f0f220d84842ULL) << "of files that are there";
}

TEST(Checksum, TellsEachFlippedBitAndWordsThatChangedPlaces) {
    Bytes bytes = random_bytes(333, 7);
    const std::uint64_t right = checksum(bytes.data(), bytes.size());
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        ASSERT_NE(checksum(bytes.data(), bytes.size()), right) << bit;
        bytes[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    }
    for (std::size_t i = 0; i + 16 <= bytes.size(); i += 8) {
        std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                         bytes.begin() + static_cast<std::ptrdiff_t>(i) + 8,
                         bytes.begin() + static_cast<std::ptrdiff_t>(i) + 8);
        ASSERT_NE(checksum(bytes.data(), bytes.size()), right) << i;
        std::swap_ranges(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                         bytes.begin() + static_cast<std::ptrdiff_t>(i) + 8,
                         bytes.begin() + static_cast<std::ptrdiff_t>(i) + 8);
    }
    EXPECT_NE(checksum(bytes.data(), bytes.size() - 1), right);
    const Bytes zeros(64);
    EXPECT_NE(checksum(zeros.data(), 63), checksum(zeros.data(), 64)) << "the length counts, too";
}

class StorageTest : public testing::Test {
protected:
    void put(const std::string& name, const Bytes& bytes) const {
        std::ofstream(temporary_.file(name), std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    [[nodiscard]] Bytes get(const std::string& name) const {
        std::ifstream stream(temporary_.file(name), std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(stream)), {});
        Bytes bytes(text.size());
        std::transform(text.begin(), text.end(), bytes.begin(),
                       [](char c) { return static_cast<std::byte>(c); });
        return bytes;
    }
    [[nodiscard]] std::string damage(const std::string& name) const {
        const Descriptor file = directory_.open(name, Access::read_only);
        return find_damage(file.get(), name);
    }

    TemporaryDirectory temporary_;
    Directory directory_{temporary_.path()};
};

TEST_F(StorageTest, ASealTellsEveryChange) {
    for (const std::size_t count : {0U, 1U, 24U, 5000U, 3000000U}) {
        put("a", random_bytes(count, 1));
        seal_file(directory_.open("a", Access::read_write).get(), "a");
        EXPECT_EQ(damage("a"), "") << count;
        const Bytes sealed = get("a");
        ASSERT_EQ(sealed.size(), count + 24);
        for (const std::size_t place : {std::size_t{0}, count / 2, count, count + 9, count + 23}) {
            Bytes damaged = sealed;
            damaged[place] ^= std::byte{16};
            put("a", damaged);
            EXPECT_NE(damage("a"), "") << count << " " << place;
        }
        put("a", Bytes(sealed.begin(), sealed.end() - 1));
        EXPECT_NE(damage("a").find("cut short"), std::string::npos);
    }
}

TEST_F(StorageTest, OnlyRegularFilesAreOpenedAndNoLinkIsFollowed) {
    put("target", random_bytes(10, 1));
    std::filesystem::create_symlink("target", temporary_.file("link"));
    std::filesystem::create_symlink("nowhere", temporary_.file("dangling"));
    std::filesystem::create_directory(temporary_.file("folder"));
    ASSERT_EQ(mkfifo(temporary_.file("fifo").c_str(), 0666), 0);
    const auto opening = [&](const std::string& name, Access access) {
        return message_of([&] { static_cast<void>(directory_.open(name, access)); });
    };
    for (const Access access : {Access::read_only, Access::read_write}) {
        EXPECT_NE(opening("link", access).find("link"), std::string::npos);
        EXPECT_NE(opening("dangling", access).find("link"), std::string::npos);
        EXPECT_NE(opening("folder", access).find("directory"), std::string::npos);
        EXPECT_NE(opening("fifo", access).find("FIFO"), std::string::npos);
        EXPECT_NE(opening("missing", access).find("no such file"), std::string::npos);
    }
    EXPECT_NE(message_of([] { static_cast<void>(open_to_read("/dev/null")); }).find("device"),
              std::string::npos);
    EXPECT_NE(message_of([&] { static_cast<void>(open_to_read(temporary_.file("fifo"))); }).find("FIFO"),
              std::string::npos);
    EXPECT_NO_THROW(static_cast<void>(open_to_read(temporary_.file("link")))) << "a user may name a link";
    // What is made anew takes the place of what had the name; a link's target is left alone.
    for (const char* name : {"link", "dangling", "fifo"}) {
        ASSERT_EQ(write_at(directory_.create(name).get(), 0, "new", 3), 0);
        EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(temporary_.file(name))))
            << name;
    }
    EXPECT_EQ(get("target"), random_bytes(10, 1));
    EXPECT_FALSE(std::filesystem::exists(temporary_.file("nowhere")));
    EXPECT_NE(message_of([&] { static_cast<void>(directory_.create("folder")); }).find("folder"),
              std::string::npos);
}

TEST_F(StorageTest, ADirectoryThatIsMovedStaysTheSame) {
    std::filesystem::create_directory(temporary_.file("d"));
    const Directory moved(temporary_.file("d"));
    std::filesystem::rename(temporary_.file("d"), temporary_.file("elsewhere"));
    std::filesystem::create_directory(temporary_.file("d"));
    static_cast<void>(moved.create("a"));
    moved.rename("a", "b");
    EXPECT_TRUE(moved.has("b"));
    EXPECT_TRUE(std::filesystem::exists(temporary_.file("elsewhere/b")));
    EXPECT_TRUE(std::filesystem::is_empty(temporary_.file("d")));
    moved.remove("b");
    EXPECT_FALSE(moved.has("b"));
}

/// A file of so many bytes, and a journal that guards it.
class JournalTest : public StorageTest {
protected:
    void begin(std::size_t count) {
        before_ = random_bytes(count, 11);
        put("f", before_);
        file_ = directory_.open("f", Access::read_write);
        journal_ = std::make_unique<Journal>(directory_, "f");
        journal_->begin(count);
    }
    /// Overwrites part of the file, as DiskFile does.
    void change(std::uint64_t offset, std::size_t count) {
        journal_->save(file_.get(), offset, count);
        journal_->sync();
        const Bytes bytes = random_bytes(count, static_cast<unsigned>(offset + 1));
        ASSERT_EQ(write_at(file_.get(), offset, bytes.data(), count), 0);
    }
    void expect_rolled_back() {
        const auto contents = read_journal(directory_, "f");
        ASSERT_TRUE(contents.has_value());
        roll_back(*contents, file_.get(), "f");
        EXPECT_EQ(get("f"), before_);
    }

    Bytes before_;
    Descriptor file_;
    std::unique_ptr<Journal> journal_;
};

TEST_F(JournalTest, PutsBackWhatWasThere) {
    for (const std::size_t count : {0U, 1U, 4095U, 4096U, 4097U, 100000U}) {
        begin(count);
        expect_rolled_back();
        if (count > 0) change(count / 2, count - count / 2);
        change(count, 10000);
        change(count > 100 ? 50 : 0, 5);
        change(count > 100 ? 52 : 0, 5);
        expect_rolled_back();
        expect_rolled_back();
    }
}

TEST_F(JournalTest, BeginningAnewForgetsWhatWasBefore) {
    begin(20000);
    change(0, 15000);
    before_ = get("f");
    journal_->begin(20000);
    change(4096, 10);
    expect_rolled_back();
    // Pages of before are no longer than those of now, and lie behind them: their salt tells them apart.
    EXPECT_EQ(read_journal(directory_, "f")->pages.size(), 1U);
}

TEST_F(JournalTest, PagesThatAreNotWholeAreLeftOut) {
    begin(50000);
    const Bytes begun = get("f.journal");
    change(0, 30000);
    const Bytes whole = get("f.journal");
    const std::size_t head = 64;
    const std::size_t page = 32 + 4096;
    const auto with_head_of = [&](const Bytes& other, std::size_t length) {
        Bytes bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
        std::copy_n(other.begin(), std::min(head, length), bytes.begin());
        return bytes;
    };
    // Cut off by a power failure before they were forced to the disk, so that nothing was overwritten; and
    // after.
    for (std::size_t length = whole.size(); length >= head; length -= 500) {
        put("f.journal", with_head_of(begun, length));
        EXPECT_EQ(read_journal(directory_, "f")->pages.size(), (length - head) / page);
        EXPECT_FALSE(read_journal(directory_, "f")->is_damaged);
        put("f.journal", with_head_of(whole, length));
        EXPECT_EQ(read_journal(directory_, "f")->is_damaged, length < whole.size()) << length;
        if (length < head + 500) break;
    }
    for (const std::size_t place : {std::size_t{0}, std::size_t{17}, std::size_t{31}}) {
        Bytes damaged = whole;
        damaged[place] ^= std::byte{1};
        put("f.journal", damaged);
        EXPECT_FALSE(read_journal(directory_, "f").has_value()) << "a header that is not whole began nothing";
    }
    std::mt19937 engine(2);
    for (int repeat = 0; repeat < 200; ++repeat) {
        Bytes damaged = whole;
        const std::size_t place = head + engine() % (whole.size() - head);
        damaged[place] ^= static_cast<std::byte>(1U << engine() % 8);
        put("f.journal", damaged);
        ASSERT_EQ(read_journal(directory_, "f")->pages.size(), (place - head) / page) << place;
        ASSERT_TRUE(read_journal(directory_, "f")->is_damaged) << place;
    }
    std::filesystem::remove(temporary_.file("f.journal"));
    EXPECT_FALSE(read_journal(directory_, "f").has_value());
}

TEST_F(StorageTest, ErrorsNameTheFileAndTheReason) {
    EXPECT_EQ(message_of([] { fail_file("a/b", "write it", ENOSPC); }), "a/b: cannot write it: disk full");
    EXPECT_TRUE(means_no_room(EDQUOT));
    EXPECT_FALSE(means_no_room(EIO));
    EXPECT_EQ(write_at(-1, 0, "x", 1), EBADF);
    EXPECT_EQ(read_at(-1, 0, nullptr, 1).error_number, EBADF);
    EXPECT_THROW(sync_file(-1, "f"), SyncError);
}

}  // namespace
}  // namespace mpcflow::storage
