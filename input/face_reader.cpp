/// The faces of the box, which are written in several ways, as TreeReader reads them.

#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "input/names.hpp"
#include "input/tree_reader.hpp"

namespace mpcflow::input {

void TreeReader::faces(const Key& key, AxisFaces& value) {
    const Node* node = levels_.back().node != nullptr ? levels_.back().node->find(key.name) : nullptr;
    if (node != nullptr && node->kind == NodeKind::map) {
        const auto has = [&](const char* name) { return node->find(name) != nullptr; };
        if (has("kind") || has("shear_rate") || has("along")) return sheared_faces(key, value);
        section(key, [&] {
            face({"lower", ""}, value.lower);
            face({"upper", ""}, value.upper);
        });
        return;
    }
    node = find_scalar(key, allowed_faces());
    if (node == nullptr) return;
    if (node->text == sheared_kind) {
        diagnostics_.error(node->place, path_of(key),
                           fmt::format("{0} needs a rate and the axis of the flow: {{kind: {0}, shear_rate: "
                                       "a number, along: x, y or z}}",
                                       sheared_kind));
        return;
    }
    for (const auto& named : names_of(FaceKind{})) {
        if (named.name == node->text) {
            value.lower = named.value;
            value.upper = named.value;
            return;
        }
    }
    wrong(*node, path_of(key), "is not known", allowed_faces());
}

void TreeReader::sheared_faces(const Key& key, AxisFaces& value) {
    section(
        key,
        [&] {
            std::size_t kind = 0;
            one_of({"kind", "", Presence::required}, kind, std::array{sheared_kind});
            real({"shear_rate", "", Presence::required}, value.shear.rate, shear_rate_range);
            std::size_t along = 0;
            one_of({"along", "", Presence::required}, along, axis_words);
            value.shear.along = static_cast<int>(along);
        });
}

void TreeReader::face(const Key& key, Face& value) {
    const Node* node = levels_.back().node->find(key.name);
    if (node == nullptr || node->kind != NodeKind::map) {
        choice(key, value.kind);
        return;
    }
    section(key, [&] {
        choice({"kind", "", Presence::required}, value.kind);
        reals({"velocity", ""}, value.velocity, face_velocity_range);
        real({"temperature", ""}, value.temperature, face_temperature_range);
        // Told here, where a zero that was given is not what nobody gave.
        for (const char* const name : {"velocity", "temperature"}) {
            const Node* given = node->find(name);
            if (given != nullptr && value.kind != FaceKind::no_slip && value.kind != FaceKind::thermal &&
                diagnostics_.is_sound(path_of({"kind", ""})))
                diagnostics_.error(given->name_place, path_of({name, ""}),
                                   fmt::format("a {} face has no {}: no fluid sticks to it; leave it out, or "
                                               "make the face no_slip or "
                                               "thermal",
                                               name_of(value.kind), name));
        }
    });
}

}  // namespace mpcflow::input
