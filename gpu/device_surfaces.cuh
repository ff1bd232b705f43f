#pragma once
/// The map of the surfaces in the box, in the memory of a device.

#include <cstdint>
#include <span>

#include "gpu/cuda_support.cuh"
#include "physics/boundary/surface_map.hpp"
#include "physics/system.hpp"

namespace mpcflow {

/// Of a system without surfaces it holds nothing, and none exist() in its view.
class DeviceSurfaces {
public:
    explicit DeviceSurfaces(const System& system) : view_(view_of_surfaces(system)) {
        if (!view_.exist()) return;
        const SurfaceMap& map = *system.surfaces.map;
        upload(map.surfaces(), surfaces_);
        upload(map.first(), first_);
        upload(map.near(), near_);
        upload(map.free_squared(), free_squared_);
        upload(std::span(&map.faces(), 1), faces_);
        view_ =
            map.view_of({surfaces_.data(), first_.data(), near_.data(), free_squared_.data(), faces_.data()});
    }

    /// For kernels.
    [[nodiscard]] const SurfaceView& view() const { return view_; }
    [[nodiscard]] std::int64_t bytes() const {
        return surfaces_.bytes() + first_.bytes() + near_.bytes() + free_squared_.bytes() + faces_.bytes();
    }

private:
    template <class T>
    static void upload(std::span<const T> values, DeviceArray<T>& array) {
        array = DeviceArray<T>(static_cast<std::int64_t>(values.size()));
        array.upload(values.data(), array.size());
    }

    SurfaceView view_;
    DeviceArray<CurvedSurface> surfaces_;
    DeviceArray<std::uint32_t> first_;
    DeviceArray<std::uint32_t> near_;
    DeviceArray<float> free_squared_;
    DeviceArray<Faces<double>> faces_;
};

}  // namespace mpcflow
