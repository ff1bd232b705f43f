#include "physics/errors.hpp"
#include "ranks/mpi_ranks.hpp"

namespace mpcflow {

std::string mpi_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string all(text, static_cast<std::size_t>(length));
    // "Open MPI v4.1.4, package: ..."; "MPICH Version:\t4.0.2\n..."
    return all.substr(0, all.find_first_of(",\n"));
}

std::unique_ptr<Ranks> join_ranks() {
    const int launched = launched_ranks();
    if (launched == 1) return nullptr;
    int provided = 0;
    // All calls come from the thread that began.
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        throw EnvironmentError("MPI fails in MPI_Init_thread");
    int count = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    if (count == 1) {
        MPI_Finalize();
        throw EnvironmentError(
            "started as " + std::to_string(launched) +
            " processes that do not know of each other, each of which would do the whole run: "
            "start them by the mpirun of " +
            mpi_library() + ", or by srun with --mpi=pmix (srun --mpi=list)");
    }
    if (provided < MPI_THREAD_FUNNELED)
        throw EnvironmentError("this MPI does not work with threads: " + mpi_library());
    return std::make_unique<MpiRanks>();
}

}  // namespace mpcflow
