#pragma once
/// Rigid bodies of point particles of unit mass in long double, by eigenvalues: an implementation of its
/// own, to compare with.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "physics/vector.hpp"

namespace mpcflow::test {

using Point = Vec3<long double>;

inline Point centre_of(const std::vector<Point>& places) {
    Point sum;
    for (const Point& p : places) sum += p;
    return (1.0L / static_cast<long double>(places.size())) * sum;
}

/// About the centre of mass.
inline Point angular_momentum(const std::vector<Point>& places, const std::vector<Point>& velocities) {
    const Point c = centre_of(places);
    Point sum;
    for (std::size_t i = 0; i < places.size(); ++i) sum += cross(places[i] - c, velocities[i]);
    return sum;
}

class RigidBody {
public:
    explicit RigidBody(const std::vector<Point>& places) {
        const Point c = centre_of(places);
        for (const Point& p : places) {
            const Point r = p - c;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) tensor_[i][j] += (i == j ? dot(r, r) : 0.0L) - r[i] * r[j];
        }
        diagonalise();
    }

    /// I^+ L; eigenvalues under 1e-9 of the trace count as zero.
    [[nodiscard]] Point angular_velocity(Point momentum) const {
        Point omega;
        for (int k = 0; k < 3; ++k) {
            if (!counts(k)) continue;
            const Point axis{axes_[0][k], axes_[1][k], axes_[2][k]};
            omega += (dot(axis, momentum) / tensor_[k][k]) * axis;
        }
        return omega;
    }

    [[nodiscard]] int rotational_freedoms() const { return int{counts(0)} + int{counts(1)} + int{counts(2)}; }

    /// The least eigenvalue that counts; 0 for coincident particles.
    [[nodiscard]] double least_eigenvalue() const {
        long double least = 0.0L;
        for (int k = 0; k < 3; ++k)
            if (counts(k) && (least == 0.0L || tensor_[k][k] < least)) least = tensor_[k][k];
        return static_cast<double>(least);
    }

    /// Largest over least eigenvalue that counts; 1 for coincident particles.
    [[nodiscard]] double condition() const {
        const long double most = std::max({tensor_[0][0], tensor_[1][1], tensor_[2][2]});
        return least_eigenvalue() > 0.0 ? static_cast<double>(most) / least_eigenvalue() : 1.0;
    }

private:
    [[nodiscard]] long double trace() const { return tensor_[0][0] + tensor_[1][1] + tensor_[2][2]; }
    [[nodiscard]] bool counts(int k) const { return tensor_[k][k] > 1e-9L * trace(); }

    /// Jacobi's rotations: afterwards the tensor is diagonal, the columns of `axes_` are its eigenvectors.
    void diagonalise() {
        for (int sweep = 0; sweep < 30; ++sweep) {
            const long double off =
                std::abs(tensor_[0][1]) + std::abs(tensor_[0][2]) + std::abs(tensor_[1][2]);
            if (off <= 1e-22L * trace()) return;
            for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
                if (tensor_[p][q] == 0.0L) continue;
                const long double theta = 0.5L * (tensor_[q][q] - tensor_[p][p]) / tensor_[p][q];
                const long double t =
                    (theta >= 0 ? 1.0L : -1.0L) / (std::abs(theta) + std::sqrt(theta * theta + 1.0L));
                const long double c = 1.0L / std::sqrt(t * t + 1.0L);
                const long double s = t * c;
                for (int k = 0; k < 3; ++k) rotate(tensor_[k][p], tensor_[k][q], c, s);
                for (int k = 0; k < 3; ++k) rotate(tensor_[p][k], tensor_[q][k], c, s);
                for (int k = 0; k < 3; ++k) rotate(axes_[k][p], axes_[k][q], c, s);
            }
        }
    }
    static void rotate(long double& a, long double& b, long double c, long double s) {
        const long double a_before = a;
        a = c * a_before - s * b;
        b = s * a_before + c * b;
    }

    long double tensor_[3][3]{};
    long double axes_[3][3]{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
};

}  // namespace mpcflow::test
