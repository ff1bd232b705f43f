#include "gpu/compressible_memory.cuh"

#include <cuda.h>

#include <cstddef>

namespace mpcflow {
namespace {

/// What the driver has for memory that is mapped. It is asked for as the program runs, which is not linked
/// with the driver.
class Driver {
    bool has_all_ = true;

    template <class Function>
    Function find(const char* name) {
        void* found = nullptr;
#if CUDART_VERSION >= 12050
        constexpr unsigned version = 12000;  // of CUDA, whose functions these are
        const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault);
#else
        const cudaError_t error = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault);
#endif
        if (error != cudaSuccess) cudaGetLastError();
        has_all_ &= error == cudaSuccess && found != nullptr;
        return reinterpret_cast<Function>(found);
    }

public:
#define MPCFLOW_DRIVER_FUNCTION(name) const decltype(&::name) name = find<decltype(&::name)>(#name)
    MPCFLOW_DRIVER_FUNCTION(cuDeviceGetAttribute);
    MPCFLOW_DRIVER_FUNCTION(cuMemGetAllocationGranularity);
    MPCFLOW_DRIVER_FUNCTION(cuMemCreate);
    MPCFLOW_DRIVER_FUNCTION(cuMemRelease);
    MPCFLOW_DRIVER_FUNCTION(cuMemAddressReserve);
    MPCFLOW_DRIVER_FUNCTION(cuMemAddressFree);
    MPCFLOW_DRIVER_FUNCTION(cuMemMap);
    MPCFLOW_DRIVER_FUNCTION(cuMemUnmap);
    MPCFLOW_DRIVER_FUNCTION(cuMemSetAccess);
#undef MPCFLOW_DRIVER_FUNCTION

    [[nodiscard]] bool can_compress(int device) const {
        const auto has = [&](CUdevice_attribute attribute) {
            int value = 0;
            return cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS && value != 0;
        };
        return has_all_ && has(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) &&
               has(CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED);
    }
};

const Driver& driver() {
    static const Driver functions;
    return functions;
}

int current_device() {
    int device = 0;
    MPCFLOW_CUDA(cudaGetDevice(&device));
    return device;
}

}  // namespace

bool CompressibleMemory::exists() { return driver().can_compress(current_device()); }

CompressibleMemory::CompressibleMemory(std::int64_t bytes) {
    // Whatever the reason, plain memory does as well, or says what is wrong.
    if (!try_to_map(bytes)) plain_ = DeviceArray<char>(bytes);
}

bool CompressibleMemory::try_to_map(std::int64_t bytes) {
    int cached = 0;
    device_ = current_device();
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
    driver().cuMemRelease(memory);  // it stays as long as it is mapped
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
    // Unmapping does not wait, as cudaFree does, for kernels that still use it.
    int current = device_;
    cudaGetDevice(&current);
    if (current != device_) cudaSetDevice(device_);
    cudaDeviceSynchronize();
    if (current != device_) cudaSetDevice(current);
    driver().cuMemUnmap(address_, mapped_);
    driver().cuMemAddressFree(address_, mapped_);
}

}  // namespace mpcflow
