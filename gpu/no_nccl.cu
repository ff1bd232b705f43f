#include <stdexcept>

#include "gpu/nccl.hpp"
#include "gpu/sums_link.cuh"

namespace mpcflow {

std::string nccl_version() { return {}; }

std::unique_ptr<SumsLink> make_nccl_link(Exchange&, std::vector<int>, std::vector<std::int64_t>) {
    throw std::logic_error("make_nccl_link: this mpcflow was built without NCCL");
}

}  // namespace mpcflow
