#include <charconv>
#include <cstdlib>
#include <string_view>

#include "ranks/ranks.hpp"

namespace mpcflow {

int launched_ranks() {
    // Of Open MPI's mpirun; of MPICH's and Intel's, and srun with its PMI-2; of MVAPICH's; of srun whatever
    // it speaks. A batch script has none of them, though its job may have many tasks.
    for (const char* const name :
         {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}) {
        const char* const value = std::getenv(name);
        if (value == nullptr) continue;
        const std::string_view text(value);
        int count = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
        if (error == std::errc{} && end == text.data() + text.size() && count > 1) return count;
    }
    return 1;
}

}  // namespace mpcflow
