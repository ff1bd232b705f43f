#include "gpu/bench/kernel_bench.hpp"
#include "gpu/copy_rate.hpp"
#include "gpu/device_solver.hpp"
#include "gpu/nccl.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

namespace {
constexpr const char* no_cuda =
    "this mpcflow was built without CUDA; install the CUDA toolkit (nvcc) and build again";
}

DeviceList list_devices() { return {{}, no_cuda}; }

std::unique_ptr<Solver> make_device_solver(const System&, const SolverOptions&, int) {
    throw EnvironmentError(no_cuda);
}

std::unique_ptr<Solver> make_device_domain_solver(const System&, const SolverOptions&, const Cut&, Exchange&,
                                                  int) {
    throw EnvironmentError(no_cuda);
}

std::vector<BenchTable> measure_bench_part(char, const KernelBenchOptions&) {
    throw EnvironmentError(no_cuda);
}

std::string cuda_versions() { throw EnvironmentError(no_cuda); }

std::string nccl_version() { return {}; }

double measure_copy_rate(int) { throw EnvironmentError(no_cuda); }

}  // namespace mpcflow
