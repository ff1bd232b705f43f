#pragma once
/// A validated input: plain structs, named as the sections and keys of the input file.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "physics/observables/diffusion.hpp"
#include "physics/observables/fields_observable.hpp"
#include "physics/observables/histograms.hpp"
#include "physics/observables/modes.hpp"
#include "physics/observables/radial_distribution.hpp"
#include "physics/observables/series.hpp"
#include "physics/observables/stress.hpp"
#include "physics/observables/structure_factor.hpp"
#include "physics/observables/walls.hpp"
#include "physics/selection.hpp"
#include "physics/solver_options.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// run: how long. Equilibration steps come first and are not sampled into fields.
struct RunLength {
    std::int64_t equilibration = 0;
    std::int64_t steps = 0;
};

/// start: how particles begin, where they are neither drawn nor on a lattice (System::first_places): as a
/// file says, of ours or of the user's. One of the two names is given, or neither.
struct Start {
    std::string from;         ///< a checkpoint or a trajectory
    std::int64_t frame = -1;  ///< of a trajectory, from 0; a negative one from the end
    std::string arrays;       ///< a file with the arrays of the particles
    std::string place{};      ///< where the input names the file: "FILE:LINE:COL: start.from"

    [[nodiscard]] bool has_file() const { return !from.empty() || !arrays.empty(); }
    [[nodiscard]] const std::string& file() const { return from.empty() ? arrays : from; }
};

/// In which precision positions and velocities are stored in a file.
enum class FilePrecision {
    automatic,  ///< as the run has them: single with precision mixed
    single_precision,
    double_precision
};

/// output.trajectory: a frame every `every` steps (counted from step 0, which is written too).
struct TrajectoryOutput {
    std::int64_t every = 0;
    bool position = true;
    bool velocity = false;
    std::optional<Region> region{};  ///< a frame holds the particles that are in it; none: all
    std::int64_t every_nth_id = 1;   ///< and of these, those whose id is a multiple of it
    FilePrecision precision = FilePrecision::automatic;

    [[nodiscard]] Selection selection() const { return {region, every_nth_id}; }
};

/// The sections of observables are declared beside these (physics/observables/).
struct Output {
    std::string directory;
    std::optional<TrajectoryOutput> trajectory;
    std::optional<FieldsOutput> fields;
    std::optional<HistogramsOutput> histograms;
    std::optional<ModesOutput> modes;
    std::optional<StructureFactorOutput> structure_factor;
    std::optional<StressOutput> stress;
    std::optional<WallsOutput> walls;
    std::optional<SeriesOutput> series;
    std::optional<DiffusionOutput> diffusion;
    std::optional<RadialDistributionOutput> radial_distribution;
};

/// checkpoint: when the state of the run is saved; 0: not by steps, not by time.
struct CheckpointTimes {
    std::int64_t every = 0;  ///< steps
    double minutes = 0.0;
};

enum class DeviceKind { automatic, cpu, cuda };

/// execution.device: auto | cpu | cuda | cuda:N.
struct DeviceChoice {
    DeviceKind kind = DeviceKind::automatic;
    int index = 0;
};

struct Execution {
    DeviceChoice device;
    Precision precision = Precision::double_precision;
    Summation summation = Summation::automatic;
    int reorder = 0;               ///< 0: auto
    int threads = 0;               ///< 0: all
    std::array<int, 3> domains{};  ///< along x, y, z, one a rank; all 0: auto

    [[nodiscard]] bool has_domains() const { return domains[0] > 0; }
};

/// Everything an input file says, defaults filled in.
struct Scenario {
    std::string title;
    System system;
    Start start;
    RunLength run;
    Output output;
    std::optional<CheckpointTimes> checkpoint;
    Execution execution;
    std::string source_name;             ///< the file it was read from
    std::string source_text;             ///< that file's text as given
    std::vector<std::string> overrides;  ///< the `path=value` of each --set, as given
    std::vector<std::string> warnings;   ///< what is allowed but likely a slip, placed as errors are
};

}  // namespace mpcflow
