#include "app/trajectory_check.hpp"

#include <bit>
#include <memory>
#include <optional>

#include "app/hdf5/contents.hpp"
#include "app/hdf5/error.hpp"
#include "app/storage/checksum.hpp"

namespace mpcflow {

namespace {

using hdf5::Dataset;
using hdf5::Group;

/// What is read of frames, one after the other.
struct Frames {
    std::vector<std::int64_t> steps;
    std::vector<double> times;
    std::vector<std::uint64_t> state_hashes;
    std::optional<std::vector<std::int64_t>> counts;  ///< of a region
    Dataset edges;
    std::vector<Dataset> values;

    [[nodiscard]] std::uint64_t checksum_of(std::size_t row) const {
        if (row >= times.size() || row >= state_hashes.size() || (counts && row >= counts->size()))
            throw FileError("frames have no time, state hash or number of particles", 0);
        const std::vector<hsize_t> shape = values.back().shape();
        if (shape.size() != 2)
            throw FileError("ids are not of the shape [frames][particles]", 0);
        FrameParts parts{steps[row], times[row], state_hashes[row], counts ? (*counts)[row] : static_cast<std::int64_t>(shape[1]),
                         edges.row_checksum(row), {}};
        for (const Dataset& dataset : values)
            parts.values.push_back(dataset.row_checksum(row, static_cast<hsize_t>(parts.particles)));
        return frame_checksum(static_cast<std::int64_t>(row), parts);
    }
};

}  // namespace

std::uint64_t frame_checksum(std::int64_t index, const FrameParts& parts) {
    std::vector<std::uint64_t> words{static_cast<std::uint64_t>(index),
                                     static_cast<std::uint64_t>(parts.step),
                                     std::bit_cast<std::uint64_t>(parts.time),
                                     parts.state_hash,
                                     static_cast<std::uint64_t>(parts.particles),
                                     parts.edges};
    words.insert(words.end(), parts.values.begin(), parts.values.end());
    return storage::checksum(words.data(), words.size() * sizeof(std::uint64_t));
}

std::uint64_t trajectory_header_checksum(const hdf5::File& file) {
    return hdf5::header_checksum(file, "/parameters/mpcflow", "header_checksum");
}

RowReader read_frames(const hdf5::File& file) {
    const Group root = file.root();
    const Group parameters = root.open_group("parameters").open_group("mpcflow");
    const Group particles = root.open_group("particles");
    const bool is_of_region = particles.has("region");
    const Group all = particles.open_group(is_of_region ? "region" : particles.has("all") ? "all" : "selection");
    const Group edges = all.open_group("box").open_group("edges");

    const auto frames = std::make_shared<Frames>();
    RowReader reader;
    reader.run_id = parameters.read_text_attribute("run_id");
    reader.header_checksum = parameters.read_unsigned_attribute("header_checksum");
    reader.actual_header = trajectory_header_checksum(file);
    reader.steps = frames->steps = edges.open_dataset("step").read<std::int64_t>();
    reader.checksums = parameters.open_dataset("checksum").read<std::uint64_t>();
    frames->times = edges.open_dataset("time").read<double>();
    frames->state_hashes = parameters.open_dataset("state_hash").read<std::uint64_t>();
    frames->edges = edges.open_dataset("value");
    if (is_of_region)
        frames->counts = parameters.open_dataset("particles").read<std::int64_t>();
    for (const char* name : {"position", "velocity", "image", "id"}) {
        if (all.has(name))
            frames->values.push_back(all.open_group(name).open_dataset("value"));
    }
    if (frames->values.empty())
        throw FileError(file.path() + ": has no values of particles", 0);
    reader.checksum_of = [frames](std::size_t row) { return frames->checksum_of(row); };
    return reader;
}

}  // namespace mpcflow
