#pragma once
/// What the flux of momentum (momentum_flux.hpp) needs of the step to come, of whatever law.

#include "physics/collision/laws.hpp"
#include "physics/particle.hpp"
#include "physics/step.hpp"
#include "physics/vector.hpp"

namespace mpcflow {

/// A StepPlan and the actions of its cells that MomentumFluxRule measures by, of a law that the program knows
/// when it runs. So what it is measured with is compiled once for all laws, where speed allows to ask for the
/// law of each particle. In the place of an action MomentumFluxRule is given a function: load(address) reads
/// the CellAction of any law.
template <class RealType, Masses masses_of, class GridType>
class FluxPlan : public StepMotion<RealType, masses_of, GridType> {
public:
    using Motion = StepMotion<RealType, masses_of, GridType>;
    using Real = RealType;
    using Particle = ParticleOf<Real, masses_of>;

    /// `actions` are one a cell, in memory of whoever measures; those of cells without particles are not
    /// read.
    template <class Law>
    FluxPlan(const StepPlan<Law, GridType>& plan, const CellAction<Law>* actions)
        : Motion(plan), law_(plan.law), actions_(actions) {}

    /// As StepPlan::collide().
    template <Setting setting = Setting::any, class Load>
    MPCFLOW_HD Vec3<Real> collide(const Particle& particle, const CellPlace<Real>& place,
                                  const Load& load) const {
        return visit_any_law(
            law_,
            [&]<class Law>(const Law& law) {
                const CellAction<Law>* actions = static_cast<const CellAction<Law>*>(actions_);
                return Motion::template collide<setting>(law, particle, place, load(actions + place.cell));
            });
    }

    /// Calls visitor(law, actions of its cells): for those who ask for the law of many particles at once.
    template <class Visitor>
    void visit_law(const Visitor& visitor) const {
        // `this` is not captured, over which GCC 12 fails.
        visit_any_law(law_, [&visitor, actions = actions_]<class Law>(const Law& law) {
            visitor(law, static_cast<const CellAction<Law>*>(actions));
        });
    }

private:
    AnyLaw<Real, masses_of> law_;
    const void* actions_;
};

}  // namespace mpcflow
