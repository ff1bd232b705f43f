#include "app/output/checkpoint_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "physics/errors.hpp"

namespace mpcflow {

namespace {

class CountCheck {
public:
    explicit CountCheck(const Checkpoint& checkpoint) : checkpoint_(checkpoint), step_(checkpoint.step) {}

    void check() const {
        constexpr std::int64_t most_restarts = std::int64_t{1} << 31;
        require(step_ >= 0 && step_ < std::int64_t{1} << 62, "its step");
        require(checkpoint_.fast_steps >= 0 && checkpoint_.fast_steps <= step_, "its fast steps");
        require(std::isfinite(checkpoint_.wall_time) && checkpoint_.wall_time >= 0.0, "its wall time");
        require(checkpoint_.restarts >= 0 && checkpoint_.restarts < most_restarts, "its number of restarts");
        // There is at most one of each at a step, and what is due at this one is still to be written.
        require(checkpoint_.frames >= 0 && checkpoint_.frames <= step_ + 1, "its number of frames");
        require(checkpoint_.windows >= 0 && checkpoint_.windows <= step_ + 1, "its number of windows");
        require(is_word(checkpoint_.program_version), "the version of its program");
        require(is_word(checkpoint_.start_time), "its start");
        require(is_word(checkpoint_.run_id), "its id");
        for (const ObservableState& state : checkpoint_.observables) {
            // It is told, where it is not asked for any more.
            require(!state.name.empty() &&
                        state.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string::npos,
                    "the name of an observable");
            require(state.last_step <= step_, "a step of its observables");
        }
    }

private:
    /// A text that is shown.
    [[nodiscard]] static bool is_word(const std::string& text) {
        constexpr std::size_t longest = 100;
        return text.size() <= longest &&
               std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
    }

    void require(bool is_possible, const std::string& what) const {
        if (!is_possible)
            throw EnvironmentError(checkpoint_.path + ": " + what +
                                   " cannot be: this is not what mpcflow wrote");
    }

    const Checkpoint& checkpoint_;
    std::int64_t step_;
};

}  // namespace

void check_counts(const Checkpoint& checkpoint) { CountCheck(checkpoint).check(); }

}  // namespace mpcflow
