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

/// The mass of each of a block's particles, where these differ.
template <Masses masses, int count>
struct SharedMasses {
    __device__ __forceinline__ void put(int /*particle*/, double /*mass*/) {}
    [[nodiscard]] __device__ __forceinline__ double get(unsigned /*particle*/) const { return 1.0; }
};
template <int count>
struct SharedMasses<Masses::by_species, count> {
    double mass[count];

    __device__ __forceinline__ void put(int particle, double value) { mass[particle] = value; }
    [[nodiscard]] __device__ __forceinline__ double get(unsigned particle) const { return mass[particle]; }
};

/// A BinMemory where the flux of momentum is added up, too. It leaves room for few blocks on a
/// multiprocessor, but with fewer, and nothing spilled, sums take longer.
template <class Real, Masses masses>
struct PressureBinMemory : BinMemory<Real> {
    SharedMasses<masses, BinMemory<Real>::particles> mass;
    SharedVectors<Real, BinMemory<Real>::particles> mid_flight_velocity;
    SharedVectors<double, BinMemory<Real>::particles> change;
    SharedVectors<double, BinMemory<Real>::particles> arm;
};

/// As sum_bins, and adds the flux of momentum of every particle to bins: the kinetic part where it is in
/// mid-flight, the collisional part where its cell is. Shared memory: a PressureBinMemory.
template <Setting setting, class Plan>
__global__ void __launch_bounds__(
    block_size, resident_by_memory(sizeof(PressureBinMemory<typename Plan::Real, Plan::masses>)))
    sum_pressure_bins(const __grid_constant__ Plan plan,
                      const __grid_constant__ MomentumFluxRule<typename Plan::Real> rule,
                      const __grid_constant__ BinRule bin_rule, std::int64_t count,
                      const __grid_constant__ ParticleColumns<typename Plan::Particle> particles,
                      BinSums* __restrict__ bins, PressureBinSums* __restrict__ pressure_bins) {
    using Memory = PressureBinMemory<typename Plan::Real, Plan::masses>;
    extern __shared__ uint4 shared_memory[];
    auto& memory = *reinterpret_cast<Memory*>(shared_memory);
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * Memory::particles;
    for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * Memory::particles; first < count;
         first += stride) {
        std::int32_t keys[Memory::per_thread];
        std::int32_t flight_keys[Memory::per_thread];
        std::int32_t cell_keys[Memory::per_thread];
#pragma unroll
        for (int j = 0; j < Memory::per_thread; ++j) {
            const int mine = j * block_size + static_cast<int>(threadIdx.x);
            keys[j] = flight_keys[j] = cell_keys[j] = block::no_group;
            if (first + mine >= count) continue;
            const typename Plan::Particle particle = particles[first + mine];
            const auto place = plan.grid.template locate<setting>(particle.position);
            const auto flux = rule.template measure<setting>(plan, particle, place, LoadConstant{});
            keys[j] = static_cast<std::int32_t>(bin_rule.row(particle.position, particle.species()));
            flight_keys[j] = bin_rule.bin(flux.mid_flight_place);
            cell_keys[j] = bin_rule.bin(flux.cell_centre);
            memory.velocity.put(mine, bin_rule.velocity(particle.position, particle.velocity));
            memory.mass.put(mine, flux.mass());
            memory.mid_flight_velocity.put(mine, flux.mid_flight_velocity);
            memory.change.put(mine, flux.change);
            memory.arm.put(mine, flux.arm);
        }
        detail::add_velocities(bin_rule, keys, memory, bins);
        constexpr int in_flight = PressureBinSums::in_flight;
        detail::add_to_bins<in_flight>(
            flight_keys, memory, pressure_bins, 0, [&](unsigned particle, double(&values)[in_flight]) {
                rule.put_in_bin_of_flight(memory.mass.get(particle), memory.mid_flight_velocity.get(particle),
                                          values);
            });
        constexpr int collisional = MomentumFluxSums::collisional;
        detail::add_to_bins<collisional>(cell_keys, memory, pressure_bins, in_flight,
                                         [&](unsigned particle, double(&values)[collisional]) {
                                             rule.put_collisional(memory.mass.get(particle),
                                                                  memory.change.get(particle),
                                                                  memory.arm.get(particle), values);
                                         });
    }
}

}  // namespace mpcflow
