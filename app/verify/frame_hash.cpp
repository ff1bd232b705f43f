#include "app/verify/frame_hash.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "app/hdf5/error.hpp"
#include "app/hdf5/reading.hpp"
#include "physics/snapshot.hpp"

namespace mpcflow::verify {

namespace {

class HashOfAll : public FrameHash {
public:
    HashOfAll(const hdf5::File& file, Precision precision)
        : precision_(precision),
          position_(file, "/particles/all/position/value", 3),
          velocity_(file, "/particles/all/velocity/value", 3),
          image_(file, "/particles/all/image/value", 3),
          id_(file, "/particles/all/id/value", 1) {
        for (const hdf5::RowParts* values : {&velocity_, &image_, &id_}) {
            if (values->shape().at(1) != position_.shape().at(1))
                throw FileError(file.path() + ": frames with another number of velocities, images or ids than of positions", 0);
        }
    }

    std::uint64_t of(std::size_t frame) override {
        const hsize_t particles = position_.shape().at(1);
        std::uint64_t hash = 0;
        for (hsize_t first = 0; first < particles; first += position_.usual_count()) {
            const auto count = static_cast<std::size_t>(std::min<hsize_t>(position_.usual_count(), particles - first));
            position_.read(frame, first, count, part_.position);
            velocity_.read(frame, first, count, part_.velocity);
            image_.read(frame, first, count, part_.image);
            id_.read(frame, first, count, part_.id);
            hash += snapshot_hash(part_, precision_);  // a sum over particles
        }
        return hash;
    }

private:
    Precision precision_;
    hdf5::RowParts position_, velocity_, image_, id_;
    ParticleSnapshot part_;
};

}  // namespace

std::unique_ptr<FrameHash> make_frame_hash(const hdf5::File& trajectory) {
    const hdf5::Group root = trajectory.root();
    const hdf5::Group particles = root.open_group("particles");
    if (!particles.has("all"))
        return nullptr;
    const hdf5::Group all = particles.open_group("all");
    for (const char* name : {"position", "velocity", "image", "id"}) {
        if (!all.has(name))
            return nullptr;
    }
    const std::string precision = root.open_group("parameters").open_group("mpcflow").read_text_attribute("precision");
    const bool is_double = precision != "mixed";
    for (const char* name : {"/particles/all/position/value", "/particles/all/velocity/value"}) {
        if (is_double && hdf5::RowParts(trajectory, name, 3).type() != hdf5::NumberType::float64)
            return nullptr;
    }
    return std::make_unique<HashOfAll>(trajectory, is_double ? Precision::double_precision : Precision::mixed);
}

}  // namespace mpcflow::verify
