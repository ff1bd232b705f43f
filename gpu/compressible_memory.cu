#include "gpu/compressible_memory.cuh"

#include <cuda.h>

#include <cstddef>

namespace mpcflow {
namespace {

/// A function of the driver, or none. It is asked for as the program runs, which is not linked with the
/// driver.
template <class Function>
Function driver_function(const char* name) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    constexpr unsigned version = 12000;  // of CUDA, whose function this is
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
#else
    const cudaError_t error = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
    if (error != cudaSuccess) cudaGetLastError();
    return reinterpret_cast<Function>(found);
}

#define MPCFLOW_DRIVER_FUNCTION(name) decltype(&::name) name = driver_function<decltype(&::name)>(#name)

/// What the driver has for memory that is mapped.
struct Driver {
    MPCFLOW_DRIVER_FUNCTION(cuDeviceGetAttribute);
    MPCFLOW_DRIVER_FUNCTION(cuMemGetAllocationGranularity);
    MPCFLOW_DRIVER_FUNCTION(cuMemCreate);
    MPCFLOW_DRIVER_FUNCTION(cuMemRelease);
    MPCFLOW_DRIVER_FUNCTION(cuMemAddressReserve);
    MPCFLOW_DRIVER_FUNCTION(cuMemAddressFree);
    MPCFLOW_DRIVER_FUNCTION(cuMemMap);
    MPCFLOW_DRIVER_FUNCTION(cuMemUnmap);
    MPCFLOW_DRIVER_FUNCTION(cuMemSetAccess);

    [[nodiscard]] bool has_all() const {
        return cuDeviceGetAttribute != nullptr && cuMemGetAllocationGranularity != nullptr &&
               cuMemCreate != nullptr && cuMemRelease != nullptr && cuMemAddressReserve != nullptr &&
               cuMemAddressFree != nullptr && cuMemMap != nullptr && cuMemUnmap != nullptr &&
               cuMemSetAccess != nullptr;
    }
    [[nodiscard]] bool can_compress(int device) const {
        const auto has = [&](CUdevice_attribute attribute) {
            int value = 0;
            return cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS && value != 0;
        };
        return has_all() && has(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) &&
               has(CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED);
    }
};

const Driver& driver() {
    static const Driver functions;
    return functions;
}

}  // namespace

CompressibleMemory::CompressibleMemory(std::int64_t bytes) {
    if (!try_to_map(bytes)) plain_ = DeviceArray<char>(bytes);
}

bool CompressibleMemory::try_to_map(std::int64_t bytes) {
    int cached = 0;
    MPCFLOW_CUDA(cudaGetDevice(&device_));
    MPCFLOW_CUDA(cudaDeviceGetAttribute(&cached, cudaDevAttrL2CacheSize, device_));
    if (bytes <= cached || !driver().can_compress(device_)) return false;

    CUmemAllocationProp wanted{};
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    wanted.location.id = device_;
    wanted.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    std::size_t piece = 0;
    if (driver().cuMemGetAllocationGranularity(&piece, &wanted, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) !=
        CUDA_SUCCESS)
        return false;
    const std::size_t size = (static_cast<std::size_t>(bytes) + piece - 1) / piece * piece;

    CUmemGenericAllocationHandle memory{};
    if (driver().cuMemCreate(&memory, size, &wanted, 0) != CUDA_SUCCESS) return false;
    CUdeviceptr address = 0;
    const bool has_address = driver().cuMemAddressReserve(&address, size, 0, 0, 0) == CUDA_SUCCESS;
    const bool is_mapped = has_address && driver().cuMemMap(address, size, 0, memory, 0) == CUDA_SUCCESS;
    driver().cuMemRelease(memory);  // once it is unmapped, or now
    CUmemAccessDesc access{};
    access.location = wanted.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (is_mapped && driver().cuMemSetAccess(address, size, &access, 1) == CUDA_SUCCESS) {
        address_ = address;
        mapped_ = size;
        return true;
    }
    if (is_mapped) driver().cuMemUnmap(address, size);
    if (has_address) driver().cuMemAddressFree(address, size);
    return false;
}

CompressibleMemory::~CompressibleMemory() {
    if (mapped_ == 0) return;
    // cudaFree would wait for kernels that may still use it.
    int current = 0;
    cudaGetDevice(&current);
    cudaSetDevice(device_);
    cudaDeviceSynchronize();
    cudaSetDevice(current);
    driver().cuMemUnmap(address_, mapped_);
    driver().cuMemAddressFree(address_, mapped_);
}

}  // namespace mpcflow
