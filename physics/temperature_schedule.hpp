#pragma once
/// The temperature of a fluid in the course of a run, where it is not always the same.

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

namespace mpcflow {

/// From here to the next point the temperature goes in a straight line.
struct TemperaturePoint {
    std::int64_t step = 0;
    double temperature = 1.0;  ///< kT

    [[nodiscard]] friend constexpr bool operator==(const TemperaturePoint&,
                                                   const TemperaturePoint&) = default;
};

/// Piecewise linear in the step between its points, and constant before the first and after the last of them.
/// What it says of a step hangs on nothing else, so it is the same after a restart and in all domains.
class TemperatureSchedule {
public:
    static constexpr int most = 16;

    [[nodiscard]] constexpr int size() const { return size_; }
    [[nodiscard]] constexpr bool is_empty() const { return size_ == 0; }
    [[nodiscard]] constexpr const TemperaturePoint& operator[](int number) const { return points_[number]; }
    [[nodiscard]] constexpr const TemperaturePoint& first() const { return points_[0]; }
    [[nodiscard]] constexpr const TemperaturePoint& last() const { return points_[size_ - 1]; }

    /// Steps ascend, and temperatures are above 0: else std::invalid_argument. Throws std::length_error
    /// beyond the most.
    constexpr void add(const TemperaturePoint& point) {
        if (size_ == most) throw std::length_error("a schedule of the temperature has at most 16 points");
        if (size_ > 0 && point.step <= last().step)
            throw std::invalid_argument("the steps of a schedule of the temperature ascend");
        if (!(point.temperature > 0.0))
            throw std::invalid_argument("the temperatures of a schedule are above 0");
        points_[size_++] = point;
    }

    /// kT in the collision and the flight of step `step`, which is from `step` steps done to one more. Of a
    /// schedule with a point.
    [[nodiscard]] constexpr double at(std::uint64_t step) const {
        const auto now = static_cast<std::int64_t>(step);
        int next = 0;
        while (next < size_ && points_[next].step <= now) ++next;
        if (next == 0) return first().temperature;
        const TemperaturePoint& before = points_[next - 1];
        if (next == size_) return before.temperature;
        const TemperaturePoint& after = points_[next];
        const double part =
            static_cast<double>(now - before.step) / static_cast<double>(after.step - before.step);
        return before.temperature + part * (after.temperature - before.temperature);
    }
    [[nodiscard]] constexpr double highest() const {
        double highest = 0.0;
        for (int i = 0; i < size_; ++i) highest = std::max(highest, points_[i].temperature);
        return highest;
    }
    [[nodiscard]] constexpr double lowest() const {
        double lowest = size_ > 0 ? points_[0].temperature : 0.0;
        for (int i = 0; i < size_; ++i) lowest = std::min(lowest, points_[i].temperature);
        return lowest;
    }

    [[nodiscard]] friend constexpr bool operator==(const TemperatureSchedule&,
                                                   const TemperatureSchedule&) = default;

private:
    std::array<TemperaturePoint, most> points_{};
    int size_ = 0;
};

}  // namespace mpcflow
