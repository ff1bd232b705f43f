#include "app/command/particle_files.hpp"

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/output/checkpoint_file.hpp"
#include "app/output/checkpoint_parts.hpp"
#include "app/storage/descriptor.hpp"
#include "app/storage/directory.hpp"
#include "app/storage/file_error.hpp"
#include "input/error.hpp"

namespace mpcflow {

namespace {

/// What became of a rank's part.
enum class Outcome : std::int32_t { written, not_written, not_on_disk };

/// Numbers and a text, as a message.
template <class Numbers>
struct Letter {
    Numbers numbers{};
    std::string text;

    [[nodiscard]] Message message() const {
        Message message = message_of(std::span(&numbers, 1));
        const Message rest = message_of(std::span(text));
        message.insert(message.end(), rest.begin(), rest.end());
        return message;
    }
    [[nodiscard]] static Letter read(const Message& message) {
        Letter letter;
        const auto bytes = std::span(message);
        letter.numbers = values_of<Numbers>(message).at(0);
        for (const std::byte byte : bytes.subspan(sizeof(Numbers))) letter.text += static_cast<char>(byte);
        return letter;
    }
};

struct PartNumbers {
    Outcome outcome = Outcome::written;
    std::int32_t error_number = 0;
    CheckpointPart part;
};
using Answer = Letter<PartNumbers>;  ///< the text: what failed

/// Whose particles a rank is to bring.
enum class SharedFile : std::int32_t { checkpoint, start };

/// Which file; the text is the path of a checkpoint. That of a start the input says.
struct FileNumbers {
    SharedFile file = SharedFile::checkpoint;
    std::int64_t step = 0;
    std::uint64_t identity = 0;  ///< its state hash, or StartFile::identity
};
using ShareOrder = Letter<FileNumbers>;

[[noreturn]] void fail_for_another(const std::string& path) {
    throw EnvironmentError(path +
                           ": is another file here than on rank 0; the directory must be on a file system "
                           "that all machines see alike");
}

Message save_part(const Message& order, int number, const ParticleRecords& own) {
    // "TOKEN\nDIRECTORY"
    const std::vector<char> characters = values_of<char>(order);
    const std::string text(characters.begin(), characters.end());
    const std::size_t end = text.find('\n');
    const auto failed = [&](Outcome outcome, const FileError& error) {
        const std::string what = fmt::format("rank {}: {}", number, error.what());
        return Answer{{outcome, error.error_number, {}}, what}.message();
    };
    try {
        const storage::Directory directory(text.substr(end + 1));
        return Answer{{Outcome::written, 0, write_part(directory, text.substr(0, end), number, own)}, {}}
            .message();
    } catch (const SyncError& error) {
        return failed(Outcome::not_on_disk, error);
    } catch (const FileError& error) {
        return failed(Outcome::not_written, error);
    }
}

std::unique_ptr<ParticleSource> open_start_share(const Scenario& scenario, std::uint64_t identity, int number,
                                                 int count) {
    const std::string& path = scenario.start.file();
    try {
        const StartFile start = open_start(scenario);
        if (start.identity != identity) fail_for_another(path);
        return start.open_share(number, count);
    } catch (const InputError&) {
        // On rank 0 it fits.
        fail_for_another(path);
    }
}

std::unique_ptr<ParticleSource> open_share(const Scenario& scenario, const Message& message, int number,
                                           int count) {
    const ShareOrder order = ShareOrder::read(message);
    const FileNumbers& wanted = order.numbers;
    if (wanted.file == SharedFile::start) return open_start_share(scenario, wanted.identity, number, count);
    const Checkpoint checkpoint = read_checkpoint_contents(storage::open_to_read(order.text), order.text);
    if (checkpoint.step != wanted.step || checkpoint.state_hash != wanted.identity)
        fail_for_another(order.text);
    return checkpoint.open_share(number, count);
}

}  // namespace

RestoreParticles restoring_all(Solver& solver) {
    return [&solver](const Checkpoint& checkpoint) {
        solver.restore_from(*checkpoint.open_share(0, 1), checkpoint.step, checkpoint.fast_steps);
    };
}

RestoreParticles restoring_shares(LeadingSolver& solver) {
    return [&solver](const Checkpoint& checkpoint) {
        const ShareOrder order{{SharedFile::checkpoint, checkpoint.step, checkpoint.state_hash},
                               checkpoint.path};
        const auto own = checkpoint.open_share(0, solver.ranks());
        solver.restore_shares(order.message(), *own, checkpoint.step, checkpoint.fast_steps);
    };
}

void begin_all(Solver& solver, const StartFile& start) { solver.restore_from(*start.open_share(0, 1), 0, 0); }

void begin_shares(LeadingSolver& solver, const StartFile& start) {
    const ShareOrder order{{SharedFile::start, 0, start.identity}, {}};
    const auto own = start.open_share(0, solver.ranks());
    solver.restore_shares(order.message(), *own, 0, 0);
}

SaveOthers saving_parts(LeadingSolver& solver, const std::string& directory) {
    return [&solver, directory](ParticleRecords& own) {
        PartsOfOthers others;
        others.token = draw_part_token(solver.current_step());
        const std::string order = others.token + "\n" + directory;
        for (const Message& message : solver.save_own(message_of(std::span(order)), own)) {
            const Answer answer = Answer::read(message);
            const auto& [outcome, error_number, part] = answer.numbers;
            others.parts.push_back(part);
            // The first one tells; a disk that lies is worse than one that is full.
            if (outcome == Outcome::not_on_disk)
                others.failure = std::make_exception_ptr(SyncError(answer.text, error_number));
            else if (outcome == Outcome::not_written && !others.failure)
                others.failure = std::make_exception_ptr(FileError(answer.text, error_number));
        }
        return others;
    };
}

Errands errands_of_rank(const Scenario& scenario, int number, int count) {
    return {
        [number](const Message& order, const ParticleRecords& own) { return save_part(order, number, own); },
        [scenario, number, count](const Message& order) {
            return open_share(scenario, order, number, count);
        }};
}

}  // namespace mpcflow
