#include "input/start_keys.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "input/keys.hpp"

namespace mpcflow::input {
namespace {

constexpr std::size_t longest_path = 1000;

/// Of a section without keys.
struct Nothing {};

}  // namespace

void visit_start(KeyVisitor& keys, Scenario& scenario) {
    // In the order of FirstPlaces.
    static constexpr std::array<std::string_view, 2> words{"random", "lattice"};
    FirstPlaces& places = scenario.system.first_places;
    Start& start = scenario.start;
    auto word = start.has_file() ? words.size() : static_cast<std::size_t>(places);
    const bool is_section = keys.enter_section_or_word(
        {"start",
         "How particles begin: at random, on a regular lattice, or as a file says; of lattice, from and "
         "arrays a map has one."},
        word, words);
    if (!is_section) {
        if (word < words.size()) places = static_cast<FirstPlaces>(word);
        return;
    }
    std::optional<Nothing> lattice;
    keys.optional_section({"lattice", "An empty map: the same as the word."}, lattice, [](Nothing&) {});
    if (lattice) places = FirstPlaces::lattice;
    keys.text({"from",
               "A checkpoint or a trajectory, relative to where the program runs, whose particles begin "
               "again; in a box that is a multiple of theirs, repeated."},
              start.from, longest_path);
    const Key frame{"frame", "The frame of a trajectory: from 0, or, of a negative number, from the end."};
    if (keys.is_given(frame, !start.from.empty()))
        keys.integer(frame, start.frame, {-most_steps, most_steps});
    keys.text({"arrays",
               "An HDF5 file of yours with the datasets position and velocity, and id and species where "
               "they matter."},
              start.arrays, longest_path);
    keys.leave_section();
}

}  // namespace mpcflow::input
