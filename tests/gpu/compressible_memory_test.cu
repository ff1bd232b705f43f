/// Memory that the card may compress, on the card.

#include "gpu/compressible_memory.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/gpu_required.hpp"

namespace mpcflow::test {
namespace {

class CompressibleMemoryTest : public GpuTest {
protected:
    /// Bytes of the L2 cache.
    static std::int64_t cached() {
        int bytes = 0;
        MPCFLOW_CUDA(cudaFree(nullptr));
        MPCFLOW_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
        return bytes;
    }
};

TEST_F(CompressibleMemoryTest, is_had_beyond_the_cache_where_there_is_any) {
    EXPECT_FALSE(CompressibleMemory(cached()).is_compressible());
    EXPECT_EQ(CompressibleMemory(cached() + 1).is_compressible(), CompressibleMemory::exists());
    EXPECT_EQ(CompressibleMemory(0).data(), nullptr);
}

TEST_F(CompressibleMemoryTest, holds_what_is_written_and_can_be_moved) {
    for (const std::int64_t bytes : {std::int64_t{1} << 16, cached() + (1 << 20)}) {
        const std::int64_t count = bytes / 8;
        CompressibleArray<std::uint64_t> first(count);
        EXPECT_GE(first.bytes(), bytes);
        first.clear();
        std::vector<std::uint64_t> numbers(count);
        for (std::int64_t i = 0; i < count / 2; ++i) numbers[i] = 0x9E3779B97F4A7C15U * (i + 1);
        MPCFLOW_CUDA(cudaMemcpy(first.data(), numbers.data(), count / 2 * 8, cudaMemcpyHostToDevice));
        CompressibleArray<std::uint64_t> second = std::move(first);
        CompressibleArray<std::uint64_t> third(1);
        third = std::move(second);
        std::vector<std::uint64_t> read(count, 1);
        MPCFLOW_CUDA(cudaMemcpy(read.data(), third.data(), count * 8, cudaMemcpyDeviceToHost));
        EXPECT_EQ(read, numbers);
    }
}

// More than the card has room for at a time; in few pieces, for each takes long where many use the card.
TEST_F(CompressibleMemoryTest, goes_back_when_it_is_done_with) {
    std::size_t free = 0;
    std::size_t total = 0;
    MPCFLOW_CUDA(cudaMemGetInfo(&free, &total));
    const std::int64_t bytes = std::max(2 * cached(), static_cast<std::int64_t>(total / 16));
    for (std::size_t taken = 0; taken <= total; taken += bytes)
        ASSERT_EQ(CompressibleMemory(bytes).is_compressible(), CompressibleMemory::exists());
}

TEST_F(CompressibleMemoryTest, says_where_there_is_not_enough) {
    try {
        const CompressibleMemory all(std::int64_t{1} << 50);
        FAIL() << "a pebibyte";
    } catch (const EnvironmentError& error) {
        EXPECT_NE(std::string(error.what()).find("not enough device memory"), std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace mpcflow::test
