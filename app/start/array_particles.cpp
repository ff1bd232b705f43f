#include "app/start/array_particles.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/hdf5/error.hpp"
#include "app/output/particle_group.hpp"
#include "input/text.hpp"

namespace mpcflow {

ParticleArrays::ParticleArrays(hdf5::File file) : file_(std::move(file)) {
    constexpr std::array<std::string_view, 4> names{"position", "velocity", "id", "species"};
    const hdf5::Group root = file_.root();
    for (const std::string& name : root.link_names()) {
        if (std::ranges::find(names, name) == names.end())
            throw FileError(
                fmt::format("{}: has \"{}\", which is none of position, velocity, id and "
                            "species{}",
                            file_.path(), input::printable(name, 100),
                            root.has_attribute("format") ? "; files of mpcflow go to start.from" : ""),
                0);
    }
    for (const char* const name : {"position", "velocity"})
        if (!root.has(name)) throw FileError(fmt::format("{}: has no {}", file_.path(), name), 0);
    position_ = root.open_dataset("position");
    velocity_ = root.open_dataset("velocity");
    const hsize_t rows = position_.row_count();
    position_.require_shape({rows, 3});
    velocity_.require_shape({rows, 3});
    count_ = static_cast<std::int64_t>(rows);
    for (const auto& [name, dataset] : {std::pair{"id", &id_}, std::pair{"species", &species_}}) {
        if (!root.has(name)) continue;
        *dataset = root.open_dataset(name);
        (*dataset)->require_shape({rows});
    }
}

std::vector<std::int64_t> ParticleArrays::count_species(const System& system, std::int64_t end) const {
    constexpr std::int64_t most = 1 << 20;
    std::vector<std::int64_t> counts(static_cast<std::size_t>(system.species_count()));
    std::vector<std::int64_t> numbers;
    for (std::int64_t row = 0; row < end; row += most) {
        const std::int64_t some = std::min(most, end - row);
        species_->read_part(static_cast<hsize_t>(row), static_cast<hsize_t>(some), numbers);
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i] < 0 || numbers[i] >= system.species_count())
                throw FileError(
                    fmt::format("{}: its row {} is of species {}, and there {}", file_.path(),
                                row + static_cast<std::int64_t>(i), numbers[i],
                                system.species_count() == 1
                                    ? "is one species, 0"
                                    : fmt::format("are species 0 to {}", system.species_count() - 1)),
                    0);
            ++counts[static_cast<std::size_t>(numbers[i])];
        }
    }
    return counts;
}

ArrayParticles::ArrayParticles(ParticleArrays arrays, const System& system, Share share)
    : arrays_(std::move(arrays)), system_(system), share_(share), next_(share.first) {
    for (int s = 0; s < system_.species_count(); ++s) next_ids_.push_back(system_.first_id(s));
    if (!arrays_.have_species()) {
        next_ids_[0] += share.first;
        return;
    }
    const std::vector<std::int64_t> before = arrays_.count_species(system_, share.first);
    for (std::size_t s = 0; s < next_ids_.size(); ++s) next_ids_[s] += before[s];
}

ParticleSnapshot ArrayParticles::next(std::int64_t most) {
    const std::int64_t end = std::min(share_.end, next_ + most);
    const auto first = static_cast<hsize_t>(next_);
    const auto count = static_cast<hsize_t>(end - next_);
    ParticleSnapshot piece;
    if (count == 0) return piece;
    arrays_.position_.read_part(first, count, piece.position);
    arrays_.velocity_.read_part(first, count, piece.velocity);
    piece.image.resize(3 * count);
    std::vector<std::uint8_t> species(count);
    if (arrays_.have_species()) species = read_species(*arrays_.species_, first, count);
    if (arrays_.have_ids()) {
        arrays_.id_->read_part(first, count, piece.id);
        if (!arrays_.have_species())
            for (std::size_t i = 0; i < count; ++i)
                species[i] = static_cast<std::uint8_t>(system_.species_of(piece.id[i]));
    } else {
        for (const std::uint8_t s : species) piece.id.push_back(next_ids_.at(s)++);
    }
    if (system_.masses() == Masses::by_species) piece.species = std::move(species);
    next_ = end;
    return piece;
}

}  // namespace mpcflow
