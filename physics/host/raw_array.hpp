#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include <sys/mman.h>

namespace mpcflow {

/// An array on whole cache lines that is not initialised, so that the threads which use its parts also
/// first touch them. A large one is on huge pages where the system has them: of pages of 4 KiB, processors do
/// not know as many by heart as particles and cells are on.
template <class T>
class RawArray {
    static_assert(std::is_trivially_destructible_v<T>);

public:
    RawArray() = default;
    explicit RawArray(std::int64_t size)
        : data_(static_cast<T*>(::operator new(static_cast<std::size_t>(size) * sizeof(T), line))),
          size_(size) {
        ask_for_huge_pages();
    }
    T& operator[](std::int64_t i) { return data_[i]; }
    const T& operator[](std::int64_t i) const { return data_[i]; }
    [[nodiscard]] T* data() { return data_.get(); }
    [[nodiscard]] const T* data() const { return data_.get(); }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }

private:
    static constexpr std::align_val_t line{128};

    struct Free {
        void operator()(T* data) const { ::operator delete(data, line); }
    };

    /// For the whole ones in the array. A wish: where it is not granted, nothing is wrong.
    void ask_for_huge_pages() {
        constexpr std::uintptr_t page = std::uintptr_t{1} << 21;
        const auto begin = reinterpret_cast<std::uintptr_t>(data());
        const std::uintptr_t first = (begin + page - 1) / page * page;
        const std::uintptr_t last = (begin + static_cast<std::uintptr_t>(bytes())) / page * page;
        if (first < last)
            static_cast<void>(madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE));
    }

    std::unique_ptr<T[], Free> data_;
    std::int64_t size_ = 0;
};

}  // namespace mpcflow
