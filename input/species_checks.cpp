#include "input/species_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "input/check_base.hpp"
#include "input/numbers.hpp"

namespace mpcflow::input {
namespace {

/// Sums of cells are rounded to a grid for the heaviest, of which the lightest still need their digits.
constexpr double most_mass_ratio = 1e4;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Names are those of groups and of particles in files of other programs.
bool is_name(const std::string& name) {
    return is_letter(name.front()) &&
           std::ranges::all_of(
               name, [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

std::size_t count_given(const Node& root) {
    const Node* fluid = root.find("fluid");
    const Node* species = fluid != nullptr ? fluid->find("species") : nullptr;
    return species != nullptr ? species->children.size() : 0;
}

class SpeciesChecker : private CheckBase {
public:
    SpeciesChecker(const System& system, const Node& root, Diagnostics& diagnostics)
        : CheckBase(system, root, diagnostics) {}

    void check_name(int number) {
        const std::string path = path_of(number, "name");
        const std::string& name = system_.species[number].name;
        if (!diagnostics_.is_sound(path) || name.empty()) return;
        if (!is_name(name)) {
            error(path,
                  fmt::format("\"{}\" is not a name of letters, digits, _ and - that begins with a letter",
                              name));
        }
        for (int before = 0; before < number; ++before) {
            if (system_.species[before].name != name) continue;
            error(path,
                  fmt::format("\"{}\" is the name of species {}, too; names must differ", name, before));
            return;
        }
    }

    void check_particles(int number) {
        if (system_.count_of(number) > 0) return;
        error(path_of(number, "density"),
              fmt::format("the {} of {:g} cells would hold no particle of this species",
                          has_surfaces() ? "fluid" : "box", system_.fluid_volume()));
    }

    void check_mass(int number) {
        const double ratio = system_.relative_mass(number);
        if (ratio <= most_mass_ratio) return;
        error(path_of(number, "mass"),
              fmt::format(
                  "{} is {:.3g} times the mass of the lightest species; at most {:g} times are possible, so "
                  "that sums keep the digits of both",
                  shortest(system_.species[number].mass), ratio, most_mass_ratio));
    }

private:
    static std::string path_of(int number, const char* key) {
        return fmt::format("fluid.species.{}.{}", number, key);
    }
};

}  // namespace

void check_species(const System& system, const Node& root, Diagnostics& diagnostics) {
    const std::size_t given = count_given(root);
    if (given > static_cast<std::size_t>(SpeciesList::most)) {
        const std::string path = fmt::format("fluid.species.{}", SpeciesList::most);
        diagnostics.error(
            locate(root, path), "fluid.species",
            fmt::format("{} species are given; at most {} are possible", given, SpeciesList::most));
    }
    SpeciesChecker checker(system, root, diagnostics);
    const bool are_sound = diagnostics.is_sound("fluid.species");
    // Where surfaces are wrong nobody knows how much fluid there is.
    const bool is_volume_known =
        diagnostics.is_sound("box") && (system.surfaces.list.empty() || system.surfaces.map != nullptr);
    for (int s = 0; s < system.species.size(); ++s) checker.check_name(s);
    for (int s = 0; are_sound && s < system.species.size(); ++s) {
        checker.check_mass(s);
        if (is_volume_known) checker.check_particles(s);
    }
}

}  // namespace mpcflow::input
