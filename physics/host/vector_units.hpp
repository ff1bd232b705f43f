#pragma once
/// Loops that profit from vector units are compiled for each kind of them (MPCFLOW_AVX2, MPCFLOW_AVX512), and
/// which is taken is decided at run time. All give the same bits: nothing is contracted or re-ordered.

#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

// Without inlining the calls in a loop are those of a plain processor, whatever the loop is compiled for.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(MPCFLOW_NO_FLATTEN)
#define MPCFLOW_HAS_VECTOR_UNITS 1
#define MPCFLOW_AVX2 [[gnu::target("avx2")]]
// clang does not know the last word, and then ignores the others.
#ifdef __clang__
#define MPCFLOW_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]]
#else
#define MPCFLOW_AVX512 [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]]
#endif
#else
#define MPCFLOW_HAS_VECTOR_UNITS 0
#endif

/// Whether loops are compiled for AVX-512. Where not, what calls code for it is discarded by `if constexpr`.
#ifdef MPCFLOW_NO_AVX512
inline constexpr bool is_avx512_compiled = false;
#else
inline constexpr bool is_avx512_compiled = true;
#endif

/// Adds four numbers to four others, in one instruction where `units` have it.
template <VectorUnits units>
struct AddFour {
    static void add(double* to, const double* from) {
        for (int i = 0; i < 4; ++i) to[i] += from[i];
    }
};
#if MPCFLOW_HAS_VECTOR_UNITS
template <VectorUnits units>
requires(units >= VectorUnits::avx2) struct AddFour<units> {
    using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
    MPCFLOW_AVX2 static void add(double* to, const double* from) {
        *reinterpret_cast<Four*>(to) += *reinterpret_cast<const Four*>(from);
    }
};
#endif

/// Makes numbers zero. Of more than sixteen GCC makes a call, or an instruction that takes as long.
template <int count>
void set_zero(double (&numbers)[count]) {
    int done = 0;
#if MPCFLOW_HAS_VECTOR_UNITS
    using Four [[gnu::vector_size(32), gnu::aligned(8), gnu::may_alias]] = double;
    for (; done + 4 <= count; done += 4) *reinterpret_cast<Four*>(numbers + done) = Four{};
#endif
    for (; done < count; ++done) numbers[done] = 0.0;
}

/// The widest that this processor has, `most` at most. Inlined always: where some files are compiled without
/// vector units, the linker would take one of two functions for all of them.
[[nodiscard, gnu::always_inline]] inline VectorUnits vector_units(VectorUnits most = VectorUnits::avx512) {
#if MPCFLOW_HAS_VECTOR_UNITS
    const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (is_avx512_compiled && most >= VectorUnits::avx512 && has_avx512) return VectorUnits::avx512;
    if (most >= VectorUnits::avx2 && __builtin_cpu_supports("avx2")) return VectorUnits::avx2;
#endif
    static_cast<void>(most);
    return VectorUnits::plain;
}

}  // namespace mpcflow
