#pragma once
/// What instantiate_flux.cu.in compiles of device_flux.cuh: which kernel is for which system. One asks for no
/// more than there is, as far as it pays to compile it.

#include "gpu/cuda_support.cuh"
#include "gpu/device_flux.cuh"
#include "gpu/momentum_flux_kernels.cuh"
#include "gpu/pressure_kernels.cuh"
#include "physics/domain/domain_grid.hpp"

namespace mpcflow {
namespace detail {

template <class Plan>
[[nodiscard]] auto flux_kernel(Setting setting, bool has_walls) {
    if (setting == Setting::plain)
        return has_walls ? sum_momentum_flux<Setting::plain, true, Plan>
                         : sum_momentum_flux<Setting::plain, false, Plan>;
    if (setting == Setting::sheared && !has_walls) return sum_momentum_flux<Setting::sheared, false, Plan>;
    // Mixtures have none of their own, as in TileKernels.
    if constexpr (Plan::masses == Masses::equal) {
        if (setting == Setting::among_surfaces) return sum_momentum_flux<Setting::among_surfaces, true, Plan>;
    }
    return sum_momentum_flux<Setting::any, true, Plan>;
}

template <class Plan>
[[nodiscard]] auto pressure_kernel(Setting setting) {
    if (setting == Setting::plain) return sum_pressure_bins<Setting::plain, Plan>;
    if (setting == Setting::sheared) return sum_pressure_bins<Setting::sheared, Plan>;
    if constexpr (Plan::masses == Masses::equal) {
        if (setting == Setting::among_surfaces) return sum_pressure_bins<Setting::among_surfaces, Plan>;
    }
    return sum_pressure_bins<Setting::any, Plan>;
}

}  // namespace detail

template <class Plan>
void DeviceFlux<Plan>::sum(const State& state, const Plan& plan, Setting setting, const Rule& rule,
                           MomentumFluxResult* result, SurfaceSums* surfaces) {
    const auto kernel = detail::flux_kernel<Plan>(setting, rule.has_walls());
    kernel<<<state.particle_blocks(), block_size>>>(plan, rule, state.particle_count, state.particles, result,
                                                    surfaces);
    MPCFLOW_CUDA(cudaGetLastError());
}

template <class Plan>
void DeviceFlux<Plan>::sum_in_bins(const State& state, const Plan& plan, Setting setting, const Rule& rule,
                                   const BinRule& bin_rule, BinSums* bins, PressureBinSums* pressure_bins) {
    const auto kernel = detail::pressure_kernel<Plan>(setting);
    kernel<<<state.particle_blocks(), block_size>>>(plan, rule, bin_rule, state.particle_count,
                                                    state.particles, bins, pressure_bins);
    MPCFLOW_CUDA(cudaGetLastError());
}

}  // namespace mpcflow
