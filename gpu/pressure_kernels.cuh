#pragma once
/// Sums of the flux of momentum over the bins of fields, as field_kernels.cuh makes those of velocities.

#include <cstdint>

#include "gpu/block/grouped_sums.hpp"
#include "gpu/cuda_support.cuh"
#include "gpu/field_kernels.cuh"
#include "gpu/particle_columns.cuh"
#include "gpu/record_access.cuh"
#include "physics/observables/fields.hpp"
#include "physics/observables/flux_plan.hpp"
#include "physics/observables/momentum_flux.hpp"

namespace mpcflow {

/// Where a particle is added to, as far as its position tells: the row (bin and species) of its place, and
/// the bin of its cell's centre.
struct PlaceAndCell {
    using Key = unsigned long long;

    std::int32_t row;
    std::int32_t cell_bin;

    explicit __device__ PlaceAndCell(Key key)
        : row(static_cast<std::int32_t>(key >> 32)), cell_bin(static_cast<std::int32_t>(key)) {}
    static __device__ Key key(std::int64_t row, int cell_bin) {
        return static_cast<Key>(row) << 32 | static_cast<std::uint32_t>(cell_bin);
    }
};

/// What a particle's sums are made of.
template <class Real, Masses masses>
struct BinFlux : FluxMass<masses> {
    Vec3<Real> velocity;  ///< now
    Vec3<Real> mid_flight_velocity;
    Vec3<double> change;
    Vec3<double> arm;
    bool stays;  ///< in its bin until it is in mid-flight
};

/// As sum_bins, and adds the flux of momentum of every particle to bins: the kinetic part where it is in
/// mid-flight, the collisional part where its cell is. A group is of one pair of bins, and has all sums; the
/// particles that are in another bin by mid-flight, in bins of many cells few, add the kinetic part there by
/// themselves. With more blocks on a multiprocessor a thread's registers would not hold its 24 sums: with
/// three it took more than twice as long.
template <Setting setting, class Plan>
__global__ void __launch_bounds__(block_size, 2)
    sum_pressure_bins(const __grid_constant__ Plan plan,
                      const __grid_constant__ MomentumFluxRule<typename Plan::Real> rule,
                      const __grid_constant__ BinRule bin_rule, std::int64_t count,
                      const __grid_constant__ ParticleColumns<typename Plan::Particle> particles,
                      BinSums* __restrict__ bins, PressureBinSums* __restrict__ pressure_bins) {
    using Key = PlaceAndCell::Key;
    constexpr int plain = BinSums::count;
    constexpr int in_flight = PressureBinSums::in_flight;
    constexpr int all = plain + PressureBinSums::count;
    __shared__ BinGroups<Key> groups;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * groups.items;
    for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * groups.items; first < count;
         first += stride) {
        block::add_grouped<all>(
            block::CudaBlock{}, warp::CudaAtomics{}, groups,
            [&](unsigned item) {
                if (first + item >= count) return block::no_key<Key>;
                const auto motion = particles.motion(first + item);
                const auto place = plan.grid.template locate<setting>(motion.position);
                const auto centre =
                    rule.template cell_centre<setting>(plan.grid, motion.position, place.offset);
                return PlaceAndCell::key(bin_rule.row(motion.position, motion.species()),
                                         bin_rule.bin(centre));
            },
            [&](Key key, unsigned item) {
                const typename Plan::Particle particle = particles[first + item];
                const auto place = plan.grid.template locate<setting>(particle.position);
                const auto flux = rule.template measure<setting>(plan, particle, place, LoadConstant{});
                const int flight_bin = bin_rule.bin(flux.mid_flight_place);
                const bool stays = flight_bin == bin_rule.bin_of(PlaceAndCell(key).row);
                if (!stays) {
                    double kinetic[in_flight];
                    rule.put_in_bin_of_flight(flux.mass(), flux.mid_flight_velocity, kinetic);
#pragma unroll
                    for (int k = 0; k < in_flight; ++k)
                        atomicAdd(pressure_bins[flight_bin].value + k, kinetic[k]);
                }
                const FluxMass<Plan::masses>& mass = flux;
                return BinFlux<typename Plan::Real, Plan::masses>{
                    mass,
                    bin_rule.velocity(particle.position, particle.velocity),
                    flux.mid_flight_velocity,
                    flux.change,
                    flux.arm,
                    stays};
            },
            [&](const auto& flux, double(&values)[all]) {
                const BinSums sums = bin_rule.contribute(flux.velocity);
#pragma unroll
                for (int k = 0; k < plain; ++k) values[k] = sums.value[k];
                rule.put_in_bin_of_flight(flux.mass(), flux.mid_flight_velocity, values + plain);
#pragma unroll
                for (int k = 0; k < in_flight; ++k)
                    if (!flux.stays) values[plain + k] = 0.0;
                rule.put_collisional(flux.mass(), flux.change, flux.arm, values + plain + in_flight);
            },
            [&](Key key, int component, double sum) {
                const PlaceAndCell at(key);
                if (component < plain) {
                    atomicAdd(bins[at.row].value + component, sum);
                } else {
                    component -= plain;
                    const int bin = component < in_flight ? bin_rule.bin_of(at.row) : at.cell_bin;
                    atomicAdd(pressure_bins[bin].value + component, sum);
                }
            });
    }
}

}  // namespace mpcflow
