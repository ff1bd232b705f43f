/// From GPU to GPU by NCCL. Its library is opened when it is wanted: a program that was built with it runs
/// where there is none.

#include <dlfcn.h>
#include <nccl.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/cuda_support.cuh"
#include "gpu/device_link.cuh"
#include "gpu/nccl.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

namespace {

/// The functions that are called of it; null pointers where there is no library.
struct Nccl {
    decltype(&ncclGetVersion) get_version = nullptr;
    decltype(&ncclGetErrorString) get_error_string = nullptr;
    decltype(&ncclGetUniqueId) get_unique_id = nullptr;
    decltype(&ncclCommInitRank) init_rank = nullptr;
    decltype(&ncclCommDestroy) destroy = nullptr;
    decltype(&ncclCommAbort) abort = nullptr;
    decltype(&ncclGroupStart) group_start = nullptr;
    decltype(&ncclGroupEnd) group_end = nullptr;
    decltype(&ncclSend) send = nullptr;
    decltype(&ncclRecv) receive = nullptr;
    bool is_found = false;

    Nccl() {
        void* const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return;
        is_found = find(library, get_version, "ncclGetVersion") &&
                   find(library, get_error_string, "ncclGetErrorString") &&
                   find(library, get_unique_id, "ncclGetUniqueId") &&
                   find(library, init_rank, "ncclCommInitRank") &&
                   find(library, destroy, "ncclCommDestroy") && find(library, abort, "ncclCommAbort") &&
                   find(library, group_start, "ncclGroupStart") && find(library, group_end, "ncclGroupEnd") &&
                   find(library, send, "ncclSend") && find(library, receive, "ncclRecv");
    }

    template <class Function>
    [[nodiscard]] static bool find(void* library, Function*& function, const char* name) {
        function = reinterpret_cast<Function*>(dlsym(library, name));
        return function != nullptr;
    }

    void require(ncclResult_t result, const char* what) const {
        if (result != ncclSuccess)
            throw EnvironmentError(std::string("NCCL: ") + get_error_string(result) + " (" + what + ")");
    }
};

const Nccl& nccl() {
    static const Nccl library;
    return library;
}

class NcclLink final : public DeviceLink {
public:
    NcclLink(Exchange& exchange, std::vector<int> neighbours, std::vector<std::int64_t> lengths)
        : neighbours_(std::move(neighbours)),
          lengths_(std::move(lengths)),
          outbox_(std::accumulate(lengths_.begin(), lengths_.end(), std::int64_t{0})),
          inbox_(outbox_.size()) {
        // What it would gain is nothing here, and not all machines that offer it have it in order.
        setenv("NCCL_NVLS_ENABLE", "0", 0);
        ncclUniqueId id{};
        if (exchange.number() == 0) nccl().require(nccl().get_unique_id(&id), "ncclGetUniqueId");
        const Message said = exchange.share(message_of(std::span<const char>(id.internal))).front();
        std::memcpy(id.internal, said.data(), sizeof id.internal);
        nccl().require(nccl().init_rank(&communicator_, exchange.count(), id, exchange.number()),
                       "ncclCommInitRank");
    }

    ~NcclLink() override {
        // Where something has failed, what is on the way may never come.
        if (std::uncaught_exceptions() > 0) nccl().abort(communicator_);
        else nccl().destroy(communicator_);
    }

    [[nodiscard]] double* outbox() const override { return outbox_.data(); }
    [[nodiscard]] const double* inbox() const override { return inbox_.data(); }

    void begin(cudaStream_t stream) override {
        is_packed_.record(stream);
        is_packed_.hold(stream_.get());
        nccl().require(nccl().group_start(), "ncclGroupStart");
        std::int64_t at = 0;
        for (std::size_t i = 0; i < neighbours_.size(); ++i) {
            const auto length = static_cast<std::size_t>(lengths_[i]);
            nccl().require(nccl().send(outbox_.data() + at, length, ncclDouble, neighbours_[i], communicator_,
                                       stream_.get()),
                           "ncclSend");
            nccl().require(nccl().receive(inbox_.data() + at, length, ncclDouble, neighbours_[i],
                                          communicator_, stream_.get()),
                           "ncclRecv");
            at += lengths_[i];
        }
        nccl().require(nccl().group_end(), "ncclGroupEnd");
        has_come_.record(stream_.get());
    }

    void end(cudaStream_t stream) override { has_come_.hold(stream); }

    [[nodiscard]] bool can_trade() const override { return true; }
    void trade(std::span<const Piece> given, std::span<const Piece> taken, cudaStream_t stream) override {
        is_given_.record(stream);
        is_given_.hold(stream_.get());
        nccl().require(nccl().group_start(), "ncclGroupStart");
        for (const Piece& piece : given)
            nccl().require(nccl().send(piece.data, static_cast<std::size_t>(piece.bytes), ncclChar,
                                       neighbours_[piece.neighbour], communicator_, stream_.get()),
                           "ncclSend");
        for (const Piece& piece : taken)
            nccl().require(nccl().receive(piece.data, static_cast<std::size_t>(piece.bytes), ncclChar,
                                          neighbours_[piece.neighbour], communicator_, stream_.get()),
                           "ncclRecv");
        nccl().require(nccl().group_end(), "ncclGroupEnd");
        is_taken_.record(stream_.get());
        is_taken_.hold(stream);
    }

private:
    std::vector<int> neighbours_;
    std::vector<std::int64_t> lengths_;
    DeviceArray<double> outbox_;
    DeviceArray<double> inbox_;
    ncclComm_t communicator_ = nullptr;
    UrgentStream stream_;
    DeviceEvent is_packed_;
    DeviceEvent has_come_;
    DeviceEvent is_given_;
    DeviceEvent is_taken_;
};

}  // namespace

std::string nccl_version() {
    int version = 0;
    if (!nccl().is_found || nccl().get_version(&version) != ncclSuccess) return {};
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
}

std::unique_ptr<DeviceLink> make_nccl_link(Exchange& exchange, std::vector<int> neighbours,
                                           std::vector<std::int64_t> lengths) {
    return std::make_unique<NcclLink>(exchange, std::move(neighbours), std::move(lengths));
}

}  // namespace mpcflow
