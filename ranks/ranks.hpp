#pragma once
/// The processes that a launcher (mpirun, srun) has started together, seen from one of them: plain C++, also
/// in a build without MPI.
///
/// Rank 0 leads: it reads and writes files, prints, and ends all. The others follow (ranks/following.hpp). A
/// rank that fails tells rank 0, which ends all with one message; a rank that waits for others hears of it
/// wherever it waits.

#include <functional>
#include <memory>
#include <string>

#include "physics/domain/exchange.hpp"

namespace mpcflow {

/// Where a failure comes from: which exit status it has is not for this folder to say.
enum class FailureKind { fault, environment };

struct RankFailure {
    FailureKind kind = FailureKind::fault;
    std::string text;
};

/// Thrown on a rank that is not 0, wherever it waits, when rank 0 has ended the run. No std::exception:
/// nobody but who serves rank 0 is to catch it.
struct RunHasEnded {};

/// At most one lives in a process.
class Ranks : public Exchange {
public:
    /// Of rank 0: tells all others what comes next, which await() returns there. A few hundred bytes; what is
    /// longer they trade then.
    virtual void lead(const Message& command) = 0;
    /// Of the others: what rank 0 says comes next. Throws RunHasEnded.
    [[nodiscard]] virtual Message await() = 0;

    /// Of the others: a function that returns the number of a signal that this process has got, or 0. Rank 0
    /// hears of the first one wherever this one waits.
    virtual void set_signal_source(std::function<int()> source) = 0;
    /// Of rank 0: the first signal that another rank has told of, or 0. Throws what another rank has failed
    /// of: EnvironmentError for the environment, std::runtime_error else.
    [[nodiscard]] virtual int signal_of_others() = 0;

    /// Of rank 0, once, last of all: ends all ranks. Where all are in order it returns; where one does not
    /// answer, or waits for what never comes, it ends all processes with this exit status.
    virtual void end_all(int status) = 0;
    /// Of the others, once, last of all, after RunHasEnded.
    virtual void leave() = 0;
    /// Of the others, instead: tells rank 0 why this one cannot go on, and leaves. Where rank 0 does not end
    /// the run within seconds, prints the failure and ends all processes with this exit status.
    virtual void fail(const RankFailure& failure, int status) = 0;
};

/// "Open MPI 4.1.4"; empty in a build without MPI.
[[nodiscard]] std::string mpi_library();

/// What a launcher says of how many processes it has started, this one among them; 1 where there is none.
[[nodiscard]] int launched_ranks();

/// The ranks that this process was started with; a null pointer where it was started alone. Throws
/// EnvironmentError where a launcher has started several that do not know of each other.
[[nodiscard]] std::unique_ptr<Ranks> join_ranks();

}  // namespace mpcflow
