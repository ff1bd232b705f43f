#pragma once
/// Vectors and symmetric tensors in three dimensions.

#include "physics/host_device.hpp"

namespace mpcflow {

template <class T>
struct Vec3 {
    T x{}, y{}, z{};

    /// Component 0, 1 or 2. To read it by a run-time index is a chain of selects; to write it so sends the
    /// vector to memory, for which with() is there.
    MPCFLOW_HD constexpr T operator[](int axis) const { return axis == 0 ? x : (axis == 1 ? y : z); }
    MPCFLOW_HD constexpr T& operator[](int axis) { return axis == 0 ? x : (axis == 1 ? y : z); }
    /// The same with another component along `axis`.
    [[nodiscard]] MPCFLOW_HD constexpr Vec3 with(int axis, T value) const {
        return {axis == 0 ? value : x, axis == 1 ? value : y, axis == 2 ? value : z};
    }

    MPCFLOW_HD constexpr Vec3& operator+=(Vec3 b) {
        x += b.x;
        y += b.y;
        z += b.z;
        return *this;
    }
};

template <class T>
MPCFLOW_HD constexpr Vec3<T> operator+(Vec3<T> a, Vec3<T> b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
MPCFLOW_HD constexpr Vec3<T> operator-(Vec3<T> a, Vec3<T> b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
MPCFLOW_HD constexpr Vec3<T> operator-(Vec3<T> a) {
    return {-a.x, -a.y, -a.z};
}
template <class T>
MPCFLOW_HD constexpr Vec3<T> operator*(T s, Vec3<T> a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class T>
MPCFLOW_HD constexpr T dot(Vec3<T> a, Vec3<T> b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
MPCFLOW_HD constexpr Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

namespace detail {

/// The components of a divided by b, correctly rounded as by three divisions, of which two are spared:
/// `reciprocal` is 1 / b, correctly rounded, and multiply_add(x, y, z) is x y + z, rounded once. The first
/// quotient is off by up to 1.5 units of the last place, and the second by less than one, as what is left of
/// a is known to 2^-53 of it. From such a one the third is the quotient, as what is left is exact then
/// (Markstein, IBM J. Res. Dev. 34 (1990) 111).
template <class MultiplyAdd>
MPCFLOW_HD Vec3<double> divided(Vec3<double> a, double b, double reciprocal,
                                const MultiplyAdd& multiply_add) {
    const auto quotient = [&](double dividend) {
        double q = dividend * reciprocal;
        for (int i = 0; i < 2; ++i) q = multiply_add(multiply_add(-b, q, dividend), reciprocal, q);
        return q;
    };
    return {quotient(a.x), quotient(a.y), quotient(a.z)};
}

}  // namespace detail

/// a / b, with the same bits on a host, which divides three times, and a device, which divides once. b > 0,
/// and it, components that are not 0 and quotients are between 1e-100 and 1e100 in size; no component is -0.
MPCFLOW_HD Vec3<double> divided_at_once(Vec3<double> a, double b) {
#ifdef __CUDA_ARCH__
    return detail::divided(a, b, 1.0 / b, [](double x, double y, double z) { return __fma_rn(x, y, z); });
#else
    return {a.x / b, a.y / b, a.z / b};
#endif
}

/// The same vector in another precision.
template <class To, class From>
MPCFLOW_HD constexpr Vec3<To> vector_cast(Vec3<From> a) {
    return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}

/// A symmetric tensor.
struct SymmetricTensor {
    double xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

    MPCFLOW_HD constexpr double trace() const { return xx + yy + zz; }
    MPCFLOW_HD constexpr Vec3<double> operator*(Vec3<double> v) const {
        return {xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z,
                xz * v.x + yz * v.y + zz * v.z};
    }
};

}  // namespace mpcflow
