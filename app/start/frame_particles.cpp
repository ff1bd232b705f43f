#include "app/start/frame_particles.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/hdf5/error.hpp"
#include "app/output/particle_group.hpp"
#include "app/output/trajectory_check.hpp"

namespace mpcflow {

Frame find_frame(const hdf5::File& trajectory, std::int64_t number) {
    const std::string& path = trajectory.path();
    const auto fail = [&](const std::string& what) { throw FileError(path + ": " + what, 0); };
    const hdf5::Group root = trajectory.root();
    if (!root.has("particles") || !root.has("parameters"))
        fail("is neither a checkpoint nor a trajectory of mpcflow; your own particles go to start.arrays");
    const RowReader rows = read_frames(trajectory);
    const auto frames = std::min(std::ssize(rows.steps), std::ssize(rows.checksums));
    if (!rows.has_checksums || !rows.header_is_right)
        fail("is damaged, or not as mpcflow writes trajectories: its header has another checksum");
    if (!root.open_group("particles").has("all"))
        fail("its frames hold some of the particles only; a run begins with all");
    const hdf5::Group all = root.open_group("particles").open_group("all");
    for (const char* const quantity : {"position", "velocity"})
        if (!all.has(quantity))
            fail(fmt::format("its frames have no {}; they need quantities: [position, velocity]", quantity));
    const std::int64_t index = number < 0 ? frames + number : number;
    if (index < 0 || index >= frames)
        fail(fmt::format("has no frame {}: it has {}, of steps {} to {}", number, frames,
                         frames > 0 ? rows.steps.front() : 0, frames > 0 ? rows.steps.back() : 0));
    const auto row = static_cast<std::size_t>(index);
    if (rows.checksum_of(row) != rows.checksums[row])
        fail(fmt::format("its frame {} is damaged: it has another checksum", index));
    const std::vector<hsize_t> ids = all.open_group("id").open_dataset("value").shape();
    return {index, rows.steps[row], static_cast<std::int64_t>(ids.at(1)), rows.checksums[row],
            root.open_group("parameters").open_group("mpcflow").read_text("input")};
}

FrameParticles::FrameParticles(hdf5::File trajectory, std::int64_t frame, Share share)
    : file_(std::move(trajectory)), frame_(static_cast<hsize_t>(frame)), share_(share), next_(share.first) {
    const hdf5::Group all = file_.root().open_group("particles").open_group("all");
    const auto values = [&](const char* name) { return all.open_group(name).open_dataset("value"); };
    id_ = values("id");
    position_ = values("position");
    velocity_ = values("velocity");
    if (all.has_attribute("species_names")) species_ = all.open_dataset("species");
}

ParticleSnapshot FrameParticles::next(std::int64_t most) {
    const std::int64_t end = std::min(share_.end, next_ + most);
    const auto first = static_cast<hsize_t>(next_);
    const auto count = static_cast<hsize_t>(end - next_);
    ParticleSnapshot piece;
    if (count == 0) return piece;
    id_.read_items(frame_, first, count, piece.id);
    position_.read_items(frame_, first, count, piece.position);
    velocity_.read_items(frame_, first, count, piece.velocity);
    piece.image.resize(3 * piece.id.size());
    if (species_) piece.species = read_species(*species_, first, count);
    next_ = end;
    return piece;
}

}  // namespace mpcflow
