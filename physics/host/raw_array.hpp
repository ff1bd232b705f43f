#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

namespace mpcflow {

/// An array on whole cache lines that is not initialised, so that the threads which use its parts also
/// first touch them.
template <class T>
class RawArray {
    static_assert(std::is_trivially_destructible_v<T>);

public:
    RawArray() = default;
    explicit RawArray(std::int64_t size)
        : data_(static_cast<T*>(::operator new(static_cast<std::size_t>(size) * sizeof(T), line))),
          size_(size) {}
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
    std::unique_ptr<T[], Free> data_;
    std::int64_t size_ = 0;
};

}  // namespace mpcflow
