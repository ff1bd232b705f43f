#include "input/schedule_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "input/check_base.hpp"
#include "input/numbers.hpp"
#include "physics/collision/laws.hpp"

namespace mpcflow::input {
namespace {

constexpr const char* section = "fluid.temperature_schedule";

/// Sums of cells are rounded to a grid for the highest temperature. A cell's relative energy is known to some
/// 1e-10 of that, and thermostats scale what is 2e-9 of the present one: of a pair at a hundredth it is less
/// once in 1e12 collisions. With angular momentum in mixed precision it is known to some 1e-7 a particle, at
/// ten a cell, and at a hundredth one pair in a hundred is left as it is.
constexpr double most_temperature_ratio = 100.0;

class ScheduleChecker : private CheckBase {
public:
    ScheduleChecker(const Scenario& scenario, const Node& root, Diagnostics& diagnostics)
        : CheckBase(scenario.system, root, diagnostics), scenario_(scenario) {
        const Node* const fluid = root.find("fluid");
        const Node* const list = fluid != nullptr ? fluid->find("temperature_schedule") : nullptr;
        if (list != nullptr && list->kind == NodeKind::sequence) points_ = list;
    }

    void check_all() {
        if (points_ == nullptr || points_->children.empty()) return;
        const auto count = points_->children.size();
        constexpr auto most = static_cast<std::size_t>(TemperatureSchedule::most);
        if (count > most) {
            diagnostics_.error(locate(root_, fmt::format("{}.{}", section, most)), section,
                               fmt::format("{} points are given; at most {} are possible", count, most));
        }
        for (std::size_t number = 1; number < count; ++number) check_order(number);
        check_ratio();
        check_holder();
        warn_of_averages();
    }

private:
    static std::string path_of(std::size_t number, const char* key) {
        return fmt::format("{}.{}.{}", section, number, key);
    }
    [[nodiscard]] std::int64_t step_of(std::size_t number) const {
        return parse_integer(points_->children[number].find("step")->text).value;
    }

    void check_order(std::size_t number) {
        if (!are_sound({path_of(number - 1, "step"), path_of(number, "step")})) return;
        const std::int64_t before = step_of(number - 1);
        const std::int64_t step = step_of(number);
        if (step > before) return;
        error(path_of(number, "step"),
              fmt::format("step {} is not after step {} of the point before; steps ascend", step, before));
    }

    void check_ratio() {
        if (!are_sound({section})) return;
        const TemperatureSchedule& schedule = system_.fluid.schedule;
        const double ratio = schedule.highest() / schedule.lowest();
        if (ratio <= most_temperature_ratio) return;
        std::size_t warmest = 0;
        while (schedule[static_cast<int>(warmest)].temperature != schedule.highest()) ++warmest;
        error(path_of(warmest, "temperature"),
              fmt::format("{} is {:.3g} times the lowest temperature of the schedule, {}; at most {:g} times "
                          "are possible, so that sums keep the digits of both",
                          shortest(schedule.highest()), ratio, shortest(schedule.lowest()),
                          most_temperature_ratio));
    }

    void check_holder() {
        const LawInfo& law = law_of(system_.collision);
        if (!are_sound({"collision", "thermostat"}) || law.energy == Energy::thermal ||
            system_.thermostat.kind != ThermostatKind::none)
            return;
        error(section, fmt::format("{} holds no temperature by itself; set thermostat.kind to "
                                   "maxwell_boltzmann, or collision.rule to at",
                                   law.name));
    }

    [[nodiscard]] bool has_averages() const {
        const Output& output = scenario_.output;
        return output.fields || output.histograms || output.diffusion || output.modes || output.stress ||
               output.walls;
    }

    void warn_of_averages() {
        const TemperatureSchedule& schedule = system_.fluid.schedule;
        if (diagnostics_.has_errors() || schedule.highest() == schedule.lowest()) return;
        const std::int64_t begin = scenario_.run.equilibration;
        if (schedule.last().step <= begin || !has_averages()) return;
        warn(section,
             fmt::format("the temperature changes until step {}, and averages are taken from step {} "
                         "on: they are of all temperatures since, and theory is that of the last one, "
                         "{}; set run.equilibration to {} to measure at that alone",
                         schedule.last().step, begin, shortest(schedule.last().temperature),
                         schedule.last().step));
    }

    const Scenario& scenario_;
    const Node* points_ = nullptr;
};

}  // namespace

void check_schedule(const Scenario& scenario, const Node& root, Diagnostics& diagnostics) {
    ScheduleChecker(scenario, root, diagnostics).check_all();
}

}  // namespace mpcflow::input
