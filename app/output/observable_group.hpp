#pragma once
/// An observable's group in run.h5, and in checkpoints. docs/output.md has the formats.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/hdf5/group.hpp"
#include "physics/observables/observable.hpp"

namespace mpcflow {

/// Writes a dataset. Throws FileError, as all of these.
void write_array(const hdf5::Group& group, const NamedArray& array);

/// Writes a group of the observable's name into `root`, with names of its axes.
void write_results(const hdf5::Group& root, const ObservableResults& results);

using ObservableStates = std::vector<std::shared_ptr<const ObservableState>>;

/// Writes the group `observables`, with a group for each state.
void write_states(const hdf5::Group& root, const ObservableStates& states);
/// What write_states() wrote.
[[nodiscard]] std::vector<ObservableState> read_states(const hdf5::Group& root);

/// Bytes that a file takes for arrays, a little more than exact.
[[nodiscard]] std::int64_t file_bytes(const std::vector<NamedArray>& arrays);
/// The same of an observable's group in run.h5 after step `last_step`, estimated.
[[nodiscard]] std::int64_t result_file_bytes(const Observable& observable, std::int64_t last_step);
/// And of that in checkpoints.
[[nodiscard]] std::int64_t state_file_bytes(const Observable& observable, std::int64_t last_step);

}  // namespace mpcflow
