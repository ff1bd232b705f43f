#pragma once
/// Fields of a sheared box: velocities are sampled relative to the flow that its faces impose.

#include <array>
#include <vector>

#include "physics/lees_edwards.hpp"
#include "physics/observables/field_statistics.hpp"
#include "physics/observables/observable.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// The flow at the centres of the bins of a field. Without shear its functions do nothing.
class FlowOfBins {
public:
    FlowOfBins(const System& system, const std::array<int, 3>& bins);

    /// Adds it to the velocities, of all and of each species, which were sampled relative to it.
    void add_to(FieldAverages& averages) const;

    /// Adds `measured_shear_rate`, the slope of the velocities by least squares, and its error, that of bins
    /// that are independent. With one bin along the gradient there is none.
    void add_shear_rate(const FieldAverages& averages, std::vector<NamedAttribute>& attributes) const;

private:
    /// Of a bin's centre, from the middle of the box along the gradient.
    [[nodiscard]] double height(std::size_t bin) const;

    ShearFlow flow_;
    std::array<int, 3> size_;
    std::array<int, 3> bins_;
};

}  // namespace mpcflow
