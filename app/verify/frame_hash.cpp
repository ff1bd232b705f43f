#include "app/verify/frame_hash.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "physics/snapshot.hpp"

namespace mpcflow::verify {

RowReader::OfRow make_frame_hash(const hdf5::File& trajectory) {
    const hdf5::Group root = trajectory.root();
    if (!root.open_group("particles").has("all")) return nullptr;
    const hdf5::Group parameters = root.open_group("parameters").open_group("mpcflow");
    const bool is_mixed = parameters.read_text_attribute("precision") == "mixed";
    const hdf5::Group all = root.open_group("particles").open_group("all");
    const auto values = std::make_shared<std::array<hdf5::Dataset, 4>>();
    auto* value = values->begin();
    for (const char* name : {"position", "velocity", "image", "id"}) {
        if (!all.has(name)) return nullptr;
        *value = all.open_group(name).open_dataset("value");
        if (!is_mixed && value->type() == hdf5::NumberType::float32) return nullptr;
        ++value;
    }
    const auto species = all.has_attribute("species_names")
                             ? std::make_shared<hdf5::Dataset>(all.open_dataset("species"))
                             : nullptr;
    const Precision precision = is_mixed ? Precision::mixed : Precision::double_precision;
    return [values, species, precision](std::size_t frame) {
        const auto& [position, velocity, image, id] = *values;
        const hsize_t particles = id.shape().at(1);
        ParticleSnapshot part;
        std::uint64_t hash = 0;
        for (hsize_t first = 0; first < particles; first += part.id.size()) {
            const hsize_t count = std::min(position.items_in_chunk(), particles - first);
            position.read_items(frame, first, count, part.position);
            velocity.read_items(frame, first, count, part.velocity);
            image.read_items(frame, first, count, part.image);
            id.read_items(frame, first, count, part.id);
            if (species) {
                std::vector<std::int32_t> numbers;
                species->read_part(first, count, numbers);
                part.species.assign(numbers.begin(), numbers.end());
            }
            hash += snapshot_hash(part, precision);  // a sum over particles
        }
        return hash;
    };
}

}  // namespace mpcflow::verify
