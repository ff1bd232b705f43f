#pragma once
/// Which calls of a preloaded library fail, and how; fail_call.cpp says what tells it so.

#include <cstddef>
#include <cstdint>

#include "tests/faults/preload.hpp"

namespace fault {

enum Kind {
    opening,
    reading,
    writing,
    syncing,
    truncating,
    allocating,
    renaming,
    unlinking,
    closing,
    making,
    mapping,
    memory,
    library_memory,
    thread
};
enum class Fate { spared, fails, does_half, killed };

/// Nothing fails where there is no text; calls without a file count from the first one on that reaches a file
/// of it.
[[nodiscard]] bool is_counting();
/// The number that failing calls set.
[[nodiscard]] int error_number();
/// The fewest bytes of memory that are counted.
[[nodiscard]] std::size_t fewest_bytes();
/// What kind of memory a caller of malloc asks for.
[[nodiscard]] Kind memory_of(const void* caller);

[[nodiscard]] bool is_meant(const preload::Path& path);
/// Counts a call and says what becomes of it.
[[nodiscard]] Fate count_call(Kind kind, const char* path, bool can_do_half = false);
/// Of a call on a file; a kill happens here.
[[nodiscard]] bool fails(Kind kind, const preload::Path& path);
/// Of a call without a file.
[[nodiscard]] bool fails(Kind kind);

}  // namespace fault
