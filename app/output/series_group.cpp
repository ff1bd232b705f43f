#include "app/output/series_group.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "app/hdf5/error.hpp"

namespace mpcflow {

using hdf5::Group;

void write_series(const Group& root, const std::vector<SeriesRow>& rows) {
    const Group group = root.create_group("series");
    const hsize_t count = rows.size();
    const auto write = [&](const char* name, std::vector<hsize_t> shape, const hdf5::Meaning& meaning,
                           auto value, int components) {
        using Number = decltype(value(rows[0], std::size_t{0}));
        std::vector<Number> numbers;
        numbers.reserve(rows.size() * static_cast<std::size_t>(components));
        for (const SeriesRow& row : rows)
            for (int i = 0; i < components; ++i) numbers.push_back(value(row, static_cast<std::size_t>(i)));
        group
            .create_dataset(name,
                            {hdf5::number_type<Number>(), std::move(shape), hdf5::Growth::fixed, {}, meaning})
            .write(numbers);
    };
    write(
        "step", {count}, {"steps since the start", "1"},
        [](const SeriesRow& r, std::size_t) { return r.step; }, 1);
    write(
        "time", {count}, {"time since the start", "a (mass/energy)^(1/2)"},
        [](const SeriesRow& r, std::size_t) { return r.time; }, 1);
    write(
        "kinetic_energy", {count}, {"kinetic energy of all particles", "energy"},
        [](const SeriesRow& r, std::size_t) { return r.kinetic_energy; }, 1);
    write(
        "temperature", {count}, {"kT of the motion relative to the centre of mass", "energy"},
        [](const SeriesRow& r, std::size_t) { return r.temperature; }, 1);
    write(
        "momentum", {count, 3}, {"momentum of all particles, x y z", "(mass energy)^(1/2)"},
        [](const SeriesRow& r, std::size_t i) { return r.momentum[i]; }, 3);
    write(
        "maximum_speed", {count}, {"speed of the fastest particle", "(energy/mass)^(1/2)"},
        [](const SeriesRow& r, std::size_t) { return r.extremes.maximum_speed; }, 1);
    write(
        "minimum_occupancy", {count}, {"fewest particles in a whole collision cell", "1"},
        [](const SeriesRow& r, std::size_t) { return r.extremes.minimum_occupancy; }, 1);
    write(
        "maximum_occupancy", {count}, {"most particles in a whole collision cell", "1"},
        [](const SeriesRow& r, std::size_t) { return r.extremes.maximum_occupancy; }, 1);
}

std::vector<SeriesRow> read_series(const Group& root) {
    const Group group = root.open_group("series");
    std::vector<SeriesRow> rows(group.open_dataset("step").read<std::int64_t>().size());
    const auto read = [&]<class Number>(const char* name, int components, Number, auto place) {
        const hdf5::Dataset dataset = group.open_dataset(name);
        const auto each = static_cast<std::size_t>(components);
        dataset.require_shape(components == 1 ? std::vector<hsize_t>{rows.size()}
                                              : std::vector<hsize_t>{rows.size(), each});
        const std::vector<Number> numbers = dataset.read<Number>();
        for (std::size_t i = 0; i < numbers.size(); ++i) place(rows[i / each], i % each) = numbers[i];
    };
    constexpr std::int64_t whole = 0;
    constexpr double real = 0.0;
    read(
        "step", 1, whole, [](SeriesRow & r, std::size_t) -> auto& { return r.step; });
    read(
        "time", 1, real, [](SeriesRow & r, std::size_t) -> auto& { return r.time; });
    read(
        "kinetic_energy", 1, real, [](SeriesRow & r, std::size_t) -> auto& { return r.kinetic_energy; });
    read(
        "temperature", 1, real, [](SeriesRow & r, std::size_t) -> auto& { return r.temperature; });
    read(
        "momentum", 3, real, [](SeriesRow & r, std::size_t i) -> auto& { return r.momentum[i]; });
    read(
        "maximum_speed", 1, real,
        [](SeriesRow & r, std::size_t) -> auto& { return r.extremes.maximum_speed; });
    read(
        "minimum_occupancy", 1, whole,
        [](SeriesRow & r, std::size_t) -> auto& { return r.extremes.minimum_occupancy; });
    read(
        "maximum_occupancy", 1, whole,
        [](SeriesRow & r, std::size_t) -> auto& { return r.extremes.maximum_occupancy; });
    return rows;
}

}  // namespace mpcflow
