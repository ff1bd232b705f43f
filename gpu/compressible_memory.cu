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

CompressibleMemory::CompressibleMemory(std::int64_t bytes) : mapped_(map(bytes)) {
    // Whatever the reason, plain memory does as well, or says what is wrong.
    if (mapped_ == nullptr) plain_ = DeviceArray<char>(bytes);
}

CompressibleMemory::Mapped CompressibleMemory::map(std::int64_t bytes) {
    const int device = current_device();
    Mapped nothing(nullptr, Unmap{});
    int cached = 0;
    MPCFLOW_CUDA(cudaDeviceGetAttribute(&cached, cudaDevAttrL2CacheSize, device));
    if (bytes <= cached || !driver().can_compress(device)) return nothing;

    CUmemAllocationProp wanted{};
    wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    wanted.location.id = device;
    wanted.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    std::size_t piece = 0;
    if (driver().cuMemGetAllocationGranularity(&piece, &wanted, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) !=
        CUDA_SUCCESS)
        return nothing;
    const std::size_t size = (static_cast<std::size_t>(bytes) + piece - 1) / piece * piece;

    CUmemGenericAllocationHandle memory{};
    if (driver().cuMemCreate(&memory, size, &wanted, 0) != CUDA_SUCCESS) return nothing;
    CUdeviceptr address = 0;
    const bool has_address = driver().cuMemAddressReserve(&address, size, 0, 0, 0) == CUDA_SUCCESS;
    const bool is_mapped = has_address && driver().cuMemMap(address, size, 0, memory, 0) == CUDA_SUCCESS;
    driver().cuMemRelease(memory);  // it stays as long as it is mapped
    CUmemAccessDesc access{};
    access.location = wanted.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (is_mapped && driver().cuMemSetAccess(address, size, &access, 1) == CUDA_SUCCESS)
        return {reinterpret_cast<void*>(address), Unmap{device, static_cast<std::int64_t>(size)}};
    if (is_mapped) driver().cuMemUnmap(address, size);
    if (has_address) driver().cuMemAddressFree(address, size);
    return nothing;
}

void CompressibleMemory::Unmap::operator()(void* address) const {
    // To unmap does not wait for kernels, as cudaFree does.
    int current = device;
    cudaGetDevice(&current);
    if (current != device) cudaSetDevice(device);
    cudaDeviceSynchronize();
    if (current != device) cudaSetDevice(current);
    const auto at = reinterpret_cast<CUdeviceptr>(address);
    driver().cuMemUnmap(at, static_cast<std::size_t>(bytes));
    driver().cuMemAddressFree(at, static_cast<std::size_t>(bytes));
}

}  // namespace mpcflow
