#pragma once
/// Pairs of some particles, the centres, with all others, by their distance: the rule that host and device
/// share.

#include <cmath>
#include <cstdint>
#include <vector>

#include "physics/host_device.hpp"
#include "physics/lees_edwards.hpp"
#include "physics/particle_records.hpp"
#include "physics/system.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// Bins of equal width from 0 to `range`, in cells.
struct PairBins {
    double range = 0.0;
    int bins = 1;
};

/// A particle whose neighbours are counted.
struct PairCentre {
    Vec3<double> position;
    std::uint64_t id;
};

/// The centres in the order of the cells of a list: those of cell c are first[c] ... first[c + 1] - 1.
struct PairCentreCells {
    const PairCentre* centres;
    const std::int32_t* first;
};

/// Distances are to the nearest periodic image, so the range is at most half of each periodic edge. The cells
/// of the list are at least as wide as the range: neighbours are in the same cell or in one that touches it.
/// Beyond sheared faces images slide; there the list goes on for the range, and has the images themselves.
class PairRule {
public:
    PairRule(const System& system, const PairBins& bins);

    [[nodiscard]] int bins() const { return bins_; }
    [[nodiscard]] std::int64_t cell_count() const { return std::int64_t{cells_.x} * cells_.y * cells_.z; }
    [[nodiscard]] int cell(Vec3<double> x) const {
        const Vec3<int> c = coordinates(x);
        return c.x + cells_.x * (c.y + cells_.y * c.z);
    }
    [[nodiscard]] double range() const { return range_; }
    /// Whether no wall is nearer than the range, so that the whole sphere around is fluid.
    [[nodiscard]] bool can_be_centre(Vec3<double> x) const;

    /// Calls add(image) for the image of a place beyond the sheared faces that is no farther from them than
    /// the range, or for both where the range is half of the box.
    template <class Add>
    void for_images_near(const ShearedFaces<double>& faces, Vec3<double> x, const Add& add) const {
        if (!faces.is_on()) return;
        const int normal = faces.normal();
        for (const int boxes : {-1, 1}) {
            Vec3<double> image = faces.from_above(-boxes, x);
            image[normal] += boxes * size_[normal];
            if (image[normal] >= -range_ && image[normal] <= size_[normal] + range_) add(image);
        }
    }

    /// Calls count(bin) for each centre that is within the range of the particle, but is not itself.
    template <class Particle, class Count>
    MPCFLOW_HD void for_centres_near(const Particle& particle, const PairCentreCells& list,
                                     const Count& count) const {
        const Vec3<double> x = vector_cast<double>(particle.position);
        const Vec3<int> at = coordinates(x);
        const Vec3<int> begin{first_near(at.x, 0), first_near(at.y, 1), first_near(at.z, 2)};
        const Vec3<int> end{end_near(at.x, 0), end_near(at.y, 1), end_near(at.z, 2)};
        for (int z = begin.z; z < end.z; ++z) {
            for (int y = begin.y; y < end.y; ++y) {
                const int row = cells_.x * (wrap(y, cells_.y) + cells_.y * wrap(z, cells_.z));
                for (int i = begin.x; i < end.x; ++i) {
                    const int cell = row + wrap(i, cells_.x);
                    for (std::int32_t k = list.first[cell]; k < list.first[cell + 1]; ++k) {
                        const PairCentre& centre = list.centres[k];
                        const double distance_squared = squared_distance(centre.position, x);
                        if (distance_squared < range_squared_ && centre.id != particle.id())
                            count(bin(distance_squared));
                    }
                }
            }
        }
    }

private:
    MPCFLOW_HD Vec3<int> coordinates(Vec3<double> x) const {
        return {coordinate(x.x, 0), coordinate(x.y, 1), coordinate(x.z, 2)};
    }
    MPCFLOW_HD int coordinate(double x, int axis) const {
        const int c = static_cast<int>((x + margin_[axis]) * cells_per_length_[axis]);
        return c < cells_[axis] ? c : cells_[axis] - 1;  // rounded up, or on an upper wall
    }
    /// Cells near cell c along an axis, each once: beyond a periodic face they go on by -1 and by L, all of
    /// them where there are only one or two.
    MPCFLOW_HD int first_near(int c, int axis) const {
        if (is_wrapped_[axis] != 0) return cells_[axis] > 2 ? c - 1 : 0;
        return c > 0 ? c - 1 : 0;
    }
    MPCFLOW_HD int end_near(int c, int axis) const {
        if (is_wrapped_[axis] != 0) return cells_[axis] > 2 ? c + 2 : cells_[axis];
        return c + 2 < cells_[axis] ? c + 2 : cells_[axis];
    }
    MPCFLOW_HD static int wrap(int c, int cells) { return c < 0 ? c + cells : (c >= cells ? c - cells : c); }

    MPCFLOW_HD double squared_distance(Vec3<double> a, Vec3<double> b) const {
        const Vec3<double> d{nearest(a.x - b.x, 0), nearest(a.y - b.y, 1), nearest(a.z - b.z, 2)};
        return dot(d, d);
    }
    MPCFLOW_HD double nearest(double d, int axis) const {
        if (is_wrapped_[axis] == 0) return d;
        const double half = 0.5 * size_[axis];
        return d > half ? d - size_[axis] : (d < -half ? d + size_[axis] : d);
    }
    /// One root, one product: the same bin on every machine.
    MPCFLOW_HD int bin(double distance_squared) const {
        const int b = static_cast<int>(std::sqrt(distance_squared) * bins_per_length_);
        return b < bins_ ? b : bins_ - 1;
    }

    double range_;
    double range_squared_;
    double bins_per_length_;
    int bins_;
    Vec3<int> cells_;
    Vec3<int> is_wrapped_;  ///< periodic, and not sheared
    Vec3<int> has_wall_;
    Vec3<double> size_;
    Vec3<double> margin_;  ///< beyond both faces, in the list
    Vec3<double> cells_per_length_;
};

/// More would overflow the counters of a GPU (gpu/pair_kernels.cuh).
inline constexpr std::int64_t most_pair_centres = 1'000'000;

struct ChosenCentres {
    std::size_t particle_count = 0;   ///< of those that can be centres
    std::vector<PairCentre> centres;  ///< they, and behind them their images beyond sheared faces
};

/// Of some particles those that can be centres; `faces` where they are sheared, as they are now. Those nearer
/// to a surface of the map than the range are left out, too. Throws std::invalid_argument where there are
/// more than most_pair_centres particles.
[[nodiscard]] ChosenCentres choose_centres(const PairRule& rule, const ParticleRecords& particles,
                                           const ShearedFaces<double>& faces = {},
                                           const SurfaceMap* surfaces = nullptr);

/// Centres in a list of cells. As a rule, it counts their pairs with all particles by distance; they must be
/// of the present state.
class PairCentres {
public:
    using Result = std::vector<std::uint64_t>;

    PairCentres(const PairRule& rule, const std::vector<PairCentre>& centres);

    [[nodiscard]] const PairRule& rule() const { return rule_; }
    [[nodiscard]] const std::vector<PairCentre>& centres() const { return centres_; }
    [[nodiscard]] const std::vector<std::int32_t>& first() const { return first_; }
    [[nodiscard]] PairCentreCells cells() const { return {centres_.data(), first_.data()}; }

private:
    PairRule rule_;
    std::vector<PairCentre> centres_;
    std::vector<std::int32_t> first_;  ///< one more than cells
};

}  // namespace mpcflow
