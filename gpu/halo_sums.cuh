#pragma once
/// The sums of the cells that a domain on a device shares with others.

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/cuda_support.cuh"
#include "gpu/device_cells.cuh"
#include "gpu/device_link.cuh"
#include "gpu/domain_kernels.cuh"
#include "physics/domain/border.hpp"

namespace mpcflow {

/// Makes the sums of this domain's particles over its cells those of all particles.
template <class Law, class Grid>
class HaloSums {
public:
    using Real = typename Law::Real;

    explicit HaloSums(const Border<Real>& border, int cell_count) : own_numbers_(cell_count) {
        own_numbers_.clear();  // who comes to a cell that nobody shares is counted, too, and not asked for
        std::vector<int> cells;
        std::vector<std::int64_t> lengths;
        for (const std::vector<int>& some : border.shared()) {
            cells.insert(cells.end(), some.begin(), some.end());
            lengths.push_back(std::ssize(some) * Law::sum_count);
        }
        cells_ = DeviceArray<int>(std::ssize(cells));
        cells_.upload(cells.data(), cells_.size());
        link_ = make_device_link(border.exchange(), border.neighbours(), lengths);
    }

    /// In `stream`, between particles' contributions to shared cells and end(), but for those of particles
    /// that come from elsewhere.
    void begin(const DeviceCells<Law, Grid>& cells, cudaStream_t stream) const {
        pack_sums<Law>
            <<<block_count(number_count()), block_size, 0, stream>>>(shared(), cells.sums(), link_->outbox());
        MPCFLOW_CUDA(cudaGetLastError());
        link_->begin(stream);
    }
    /// The kernel of begin() is done.
    void end(const DeviceCells<Law, Grid>& cells, cudaStream_t stream) const {
        link_->end(stream);
        unpack_sums<Law>
            <<<block_count(number_count()), block_size, 0, stream>>>(shared(), link_->inbox(), cells.sums());
        MPCFLOW_CUDA(cudaGetLastError());
    }

    /// Where particles are to be re-ordered: slots has their numbers in cells, by rank, and gets those of
    /// this domain's own.
    void keep_own(const DeviceCells<Law, Grid>& cells) const {
        keep_own_numbers<<<block_count(cells_.size()), block_size>>>(shared(), cells.order(), cells.slots());
        MPCFLOW_CUDA(cudaGetLastError());
    }
    /// By cell; who adds a particle of the domain's own to a cell after begin() counts it here.
    [[nodiscard]] std::uint32_t* own_numbers() const { return own_numbers_.data(); }
    [[nodiscard]] DeviceLink& link() const { return *link_; }
    [[nodiscard]] std::int64_t memory_bytes() const { return own_numbers_.bytes() + cells_.bytes(); }

private:
    [[nodiscard]] SharedCells shared() const { return {cells_.data(), cells_.size(), own_numbers_.data()}; }
    [[nodiscard]] std::int64_t number_count() const { return cells_.size() * Law::sum_count; }

    DeviceArray<int> cells_;  ///< of each neighbour
    DeviceArray<std::uint32_t> own_numbers_;
    std::unique_ptr<DeviceLink> link_;
};

}  // namespace mpcflow
