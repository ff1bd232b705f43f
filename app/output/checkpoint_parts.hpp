#pragma once
/// A checkpoint in parts: where several processes have the particles each writes its own into a file, all at
/// the same time, and checkpoint.h5 names these files with their checksums instead of holding particles.
///
/// No two checkpoints have files of one name, so that nothing that is written touches a checkpoint that is
/// there. All parts are on the disk before the file that names them takes its place; what no checkpoint names
/// is of no use and removed. docs/restarts.md says what follows from that.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/hdf5/group.hpp"
#include "app/run/checkpoint.hpp"
#include "app/storage/directory.hpp"
#include "physics/particle_records.hpp"
#include "physics/particle_source.hpp"

namespace mpcflow {

inline constexpr const char* part_format = "mpcflow checkpoint part";
inline constexpr std::int64_t part_format_version = 1;

/// A token that the parts of no other checkpoint have in their names: the step, for people, and chance.
[[nodiscard]] std::string draw_part_token(std::int64_t step);
/// checkpoint.TOKEN.partN.h5.
[[nodiscard]] std::string part_name(const std::string& token, int number);
[[nodiscard]] bool is_part_name(const std::string& name);

/// Writes part `number` of the checkpoint with this token. Throws FileError, and leaves none.
[[nodiscard]] CheckpointPart write_part(const storage::Directory& directory, const std::string& token,
                                        int number, const ParticleRecords& particles);

/// What checkpoint.h5 says of the parts. Throws FileError.
void write_part_list(const hdf5::Group& root, const PartList& list);
[[nodiscard]] PartList read_part_list(const hdf5::Group& root);

/// What is wrong with the first part that is missing, damaged or of another checkpoint; empty where all are
/// whole. Throws FileError where one cannot be read, which says nothing of what is in it.
[[nodiscard]] std::string find_damaged_part(const storage::Directory& directory, const PartList& list);

/// The particles of every `count`-th part from part `number` on.
[[nodiscard]] std::unique_ptr<ParticleSource> open_parts(std::shared_ptr<const storage::Directory> directory,
                                                         PartList list, int number, int count);

/// Removes the parts of a checkpoint that did not come about, as far as that can be done.
void discard_parts(const storage::Directory& directory, const std::string& token) noexcept;
/// Whether there are parts of checkpoints in a directory. Throws FileError.
[[nodiscard]] bool has_parts(const storage::Directory& directory);
/// The token of the parts of a checkpoint; empty where it has none, or where that cannot be told.
[[nodiscard]] std::string find_part_token(const storage::Directory& directory, const std::string& name);
/// The parts in a directory that no checkpoint there names, be it one that was moved aside; those that a run
/// is just writing are such, too. None where the names in one of these cannot be read. Throws FileError.
[[nodiscard]] std::vector<std::string> find_unnamed_parts(const storage::Directory& directory);
/// Removes these, as far as that can be done: what stays is only room that is lost.
void discard_unnamed_parts(const storage::Directory& directory) noexcept;

}  // namespace mpcflow
