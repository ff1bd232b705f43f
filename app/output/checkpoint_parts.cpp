#include "app/output/checkpoint_parts.hpp"

#include <algorithm>
#include <exception>
#include <random>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/hdf5/file.hpp"
#include "app/output/particle_group.hpp"
#include "app/output/sealed_file.hpp"
#include "app/storage/file_error.hpp"
#include "app/storage/seal.hpp"
#include "physics/domain/share.hpp"

namespace mpcflow {

namespace {

constexpr std::string_view checkpoint_stem = "checkpoint.";
constexpr std::string_view part_mark = ".part";
constexpr std::string_view ending = ".h5";

/// Those of a directory that begin as checkpoints do.
std::vector<std::string> names_of_checkpoints(const storage::Directory& directory) {
    std::vector<std::string> names = directory.names();
    std::erase_if(names, [](const std::string& name) {
        return !name.starts_with(checkpoint_stem) || !name.ends_with(ending);
    });
    return names;
}

/// One part after the other, of which one is open at a time.
class PartsParticles final : public ParticleSource {
public:
    PartsParticles(std::shared_ptr<const storage::Directory> directory, PartList list, int number, int count)
        : directory_(std::move(directory)), list_(std::move(list)), next_(number), every_(count) {
        for (int part = next_; part < std::ssize(list_.parts); part += every_) count_ += of(part).particles;
    }

    [[nodiscard]] std::int64_t count() const override { return count_; }
    [[nodiscard]] ParticleSnapshot next(std::int64_t most) override {
        for (; next_ < std::ssize(list_.parts); next_ += every_) {
            if (!open_) {
                const std::int64_t particles = of(next_).particles;
                open_ = std::make_unique<GroupParticles>(
                    hdf5::File::open(*directory_, part_name(list_.token, next_), storage::Access::read_only),
                    particles, Share{0, particles}, Ids::written);
            }
            if (ParticleSnapshot piece = open_->next(most); !piece.id.empty()) return piece;
            open_.reset();
        }
        return {};
    }

private:
    [[nodiscard]] const CheckpointPart& of(int part) const {
        return list_.parts[static_cast<std::size_t>(part)];
    }

    std::shared_ptr<const storage::Directory> directory_;
    PartList list_;
    int next_;
    int every_;
    std::int64_t count_ = 0;
    std::unique_ptr<GroupParticles> open_;
};

std::string damage_of(const storage::Directory& directory, const std::string& name,
                      const CheckpointPart& part) {
    const std::string path = directory.file(name);
    if (!directory.has(name)) return path + ": no such file";
    const storage::Descriptor file = directory.open(name, storage::Access::read_only);
    if (const std::string damage = storage::find_damage(file.get(), path); !damage.empty())
        return path + ": " + damage;
    const storage::Seal seal = storage::read_seal(file.get(), path);
    if (seal.sum != part.checksum || seal.bytes != static_cast<std::uint64_t>(part.bytes))
        return path + ": whole, but the part of another checkpoint";
    return {};
}

/// The parts that a checkpoint names. Throws FileError, also where it is damaged: what it named nobody can
/// say.
PartList read_parts_of(const storage::Directory& directory, const std::string& name) {
    const std::string path = directory.file(name);
    storage::Descriptor file = directory.open(name, storage::Access::read_only);
    // What is damaged is not given to HDF5.
    if (const std::string damage = storage::find_damage(file.get(), path); !damage.empty())
        throw FileError(path + ": " + damage, 0);
    const auto disk = std::make_shared<hdf5::DiskFile>(std::move(file), path, hdf5::WriteOrder::any);
    const hdf5::Group root = hdf5::File::open(disk, storage::Access::read_only).root();
    return root.has("parts") ? read_part_list(root) : PartList{};
}

}  // namespace

std::string draw_part_token(std::int64_t step) {
    std::random_device device;
    return fmt::format("{}-{:08x}", step, device());
}

std::string part_name(const std::string& token, int number) {
    return fmt::format("{}{}{}{}{}", checkpoint_stem, token, part_mark, number, ending);
}

bool is_part_name(const std::string& name) {
    if (!name.starts_with(checkpoint_stem) || !name.ends_with(ending)) return false;
    const std::size_t mark = name.rfind(part_mark);
    if (mark == std::string::npos || mark < checkpoint_stem.size()) return false;
    const std::size_t begin = mark + part_mark.size();
    const std::string number = name.substr(begin, name.size() - ending.size() - begin);
    return !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
}

CheckpointPart write_part(const storage::Directory& directory, const std::string& token, int number,
                          const ParticleRecords& particles) {
    constexpr std::int64_t metadata = 64 << 10;
    const Sealed sealed =
        write_sealed_file(directory, part_name(token, number),
                          metadata + particle_group_bytes(particles.count(), particles.precision(),
                                                          particles.masses(), Ids::written),
                          [&](const hdf5::Group& root) {
                              root.write_attribute("format", std::string_view(part_format));
                              root.write_attribute("format_version", part_format_version);
                              root.write_attribute("step", particles.step);
                              root.write_attribute("token", token);
                              root.write_attribute("part", std::int64_t{number});
                              write_particles(root, particles, Ids::written);
                          });
    return {particles.count(), sealed.bytes, sealed.checksum};
}

void write_part_list(const hdf5::Group& root, const PartList& list) {
    const hdf5::Group group = root.create_group("parts");
    group.write_attribute("token", list.token);
    const auto write = [&]<class Number>(const char* name, Number CheckpointPart::*member) {
        std::vector<Number> numbers;
        for (const CheckpointPart& part : list.parts) numbers.push_back(part.*member);
        group
            .create_dataset(name,
                            {hdf5::number_type<Number>(), {numbers.size()}, hdf5::Growth::fixed, {}, {}})
            .write(numbers);
    };
    write("particles", &CheckpointPart::particles);
    write("bytes", &CheckpointPart::bytes);
    write("checksum", &CheckpointPart::checksum);
}

PartList read_part_list(const hdf5::Group& root) {
    const hdf5::Group group = root.open_group("parts");
    PartList list{group.read_text_attribute("token"), {}};
    // It is a part of names of files.
    if (list.token.find_first_not_of("0123456789abcdef-") != std::string::npos)
        throw FileError("the token of its parts cannot be: this is not what mpcflow wrote", 0);
    const auto particles = group.open_dataset("particles").read<std::int64_t>();
    const auto bytes = group.open_dataset("bytes").read<std::int64_t>();
    const auto checksums = group.open_dataset("checksum").read<std::uint64_t>();
    for (std::size_t i = 0; i < std::min({particles.size(), bytes.size(), checksums.size()}); ++i)
        list.parts.push_back({particles[i], bytes[i], checksums[i]});
    return list;
}

std::string find_damaged_part(const storage::Directory& directory, const PartList& list) {
    for (int part = 0; part < std::ssize(list.parts); ++part)
        if (std::string damage =
                damage_of(directory, part_name(list.token, part), list.parts[static_cast<std::size_t>(part)]);
            !damage.empty())
            return damage;
    return {};
}

std::unique_ptr<ParticleSource> open_parts(std::shared_ptr<const storage::Directory> directory, PartList list,
                                           int number, int count) {
    return std::make_unique<PartsParticles>(std::move(directory), std::move(list), number, count);
}

void discard_parts(const storage::Directory& directory, const std::string& token) noexcept {
    try {
        const std::string beginning = std::string(checkpoint_stem) + token + std::string(part_mark);
        for (const std::string& name : names_of_checkpoints(directory))
            if (is_part_name(name) && name.starts_with(beginning)) directory.discard(name);
    } catch (const std::exception&) {
        // The next run removes what nobody names.
        return;
    }
}

bool has_parts(const storage::Directory& directory) {
    return std::ranges::any_of(directory.names(), is_part_name);
}

std::string find_part_token(const storage::Directory& directory, const std::string& name) {
    try {
        return read_parts_of(directory, name).token;
    } catch (const FileError&) {
        return {};
    }
}

std::vector<std::string> find_unnamed_parts(const storage::Directory& directory) {
    if (!has_parts(directory)) return {};
    std::vector<std::string> unnamed;
    std::set<std::string> named;
    for (const std::string& name : names_of_checkpoints(directory)) {
        if (is_part_name(name)) {
            unnamed.push_back(name);
            continue;
        }
        try {
            const PartList list = read_parts_of(directory, name);
            for (int part = 0; part < std::ssize(list.parts); ++part)
                named.insert(part_name(list.token, part));
        } catch (const FileError&) {
            return {};
        }
    }
    std::erase_if(unnamed, [&](const std::string& name) { return named.contains(name); });
    return unnamed;
}

void discard_unnamed_parts(const storage::Directory& directory) noexcept {
    try {
        for (const std::string& name : find_unnamed_parts(directory)) directory.discard(name);
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace mpcflow
