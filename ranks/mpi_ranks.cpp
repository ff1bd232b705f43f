#include "ranks/mpi_ranks.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <sys/prctl.h>
#include <unistd.h>

#include "physics/errors.hpp"

namespace mpcflow {

namespace {

constexpr int message_tag = 1;
/// Numbers that are added up in one go.
constexpr std::size_t most_added = std::size_t{1} << 24;
/// What a rank may be at before it answers: writing a file, at the longest.
constexpr double patience_seconds = 10.0;
/// How far a rank may be behind rank 0 in what all do together.
constexpr double seconds_behind = 2.0;
/// Whether ranks of this machine are alive; launchers that end the others take less.
constexpr double seconds_between_checks = 4.0;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

void require(int code, const char* call) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw EnvironmentError(std::string("MPI fails in ") + call + ": " + std::string(text, length));
}

/// Between two askings of who has waited so many seconds. Messages mostly come within microseconds, so that
/// at first it does not rest; then it sleeps, ever longer, as who waits for rank 0 to write may wait for
/// seconds. It never yields: on a machine with more to do than processors that takes milliseconds, while a
/// sleeper is woken at once.
void rest(double waited, std::chrono::microseconds short_rest, std::chrono::microseconds long_rest) {
    constexpr double quick = 50e-6;
    constexpr double slow = 5e-3;
    if (waited > quick) std::this_thread::sleep_for(waited < slow ? short_rest : long_rest);
}

std::string text_of(const Message& message) {
    return {reinterpret_cast<const char*>(message.data()), message.size()};
}

}  // namespace

MpiRanks::MpiRanks(std::size_t piece) : piece_(piece) {
    require(MPI_Comm_dup(MPI_COMM_WORLD, &domains_), "MPI_Comm_dup");
    require(MPI_Comm_dup(MPI_COMM_WORLD, &notices_), "MPI_Comm_dup");
    for (MPI_Comm comm : {domains_, notices_}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(domains_, &number_);
    MPI_Comm_size(domains_, &count_);
    find_processes();
    // Of this thread: sleeps of microseconds are not made longer for the sake of the battery.
    prctl(PR_SET_TIMERSLACK, 1000UL);
}

void MpiRanks::find_processes() {
    // A number means the same process only in one name space of one machine.
    struct Process {
        char machine[256] = "";
        char names[64] = "";
        int number = 0;
    };
    Process own;
    gethostname(own.machine, sizeof own.machine - 1);
    static_cast<void>(readlink("/proc/self/ns/pid", own.names, sizeof own.names - 1));
    own.number = getpid();
    std::vector<Process> all(static_cast<std::size_t>(count_));
    require(MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, domains_),
            "MPI_Allgather");
    for (const Process& other : all) {
        const bool is_here = std::string_view(other.machine) == own.machine &&
                             std::string_view(other.names) == own.names && own.names[0] != '\0';
        processes_.push_back(is_here ? other.number : 0);
    }
}

bool MpiRanks::is_dead(int rank) const {
    const int process = processes_[static_cast<std::size_t>(rank)];
    return process != 0 && kill(process, 0) != 0 && errno == ESRCH;
}

void MpiRanks::check_processes() const {
    for (int rank = 0; rank < count_; ++rank) {
        if (!is_dead(rank)) continue;
        throw EnvironmentError(
            "rank " + std::to_string(rank) + " (process " +
            std::to_string(processes_[static_cast<std::size_t>(rank)]) +
            ") has ended without a word: it was killed, or crashed; see to that, then run the "
            "same command again");
    }
}

MpiRanks::~MpiRanks() {
    // Whoever has not said how it ends went a way that nobody thought of: the others must not wait.
    if (!is_finished_) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

void MpiRanks::wait_until(const std::function<bool()>& done, std::chrono::microseconds longest_rest) {
    constexpr int turns_to_hear = 32;
    const Clock::time_point begin = Clock::now();
    Clock::time_point last_check = begin;
    is_waiting_ = true;
    for (int turns = 1; !done(); ++turns) {
        const Clock::time_point now = Clock::now();
        if (turns % turns_to_hear == 0) {
            try {
                hear();
            } catch (const RunHasEnded&) {
                // In order, if rank 0 was through with this first: then it is done here, too, in a moment.
                if (!is_done_within(seconds_behind, done)) throw;
                has_ended_ = true;
                break;
            }
        }
        if (seconds_between(last_check, now) > seconds_between_checks) {
            check_processes();
            last_check = now;
        }
        rest(seconds_between(begin, now), short_rest, longest_rest);
    }
    is_waiting_ = false;
    waited_seconds_ += seconds_between(begin, Clock::now());
}

void MpiRanks::wait_for_own(const std::function<bool()>& done) {
    // What a device is at takes milliseconds, of which none is to be lost; and it is no waiting for others.
    const double waited = waited_seconds_;
    wait_until(done, short_rest);
    waited_seconds_ = waited;
}

void MpiRanks::wait_for(MPI_Request& request) {
    wait_until([&] {
        int is_done = 0;
        require(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
        return is_done != 0;
    });
}

bool MpiRanks::is_done_within(double seconds, const std::function<bool()>& done) {
    const Clock::time_point begin = Clock::now();
    while (!done()) {
        const double waited = seconds_between(begin, Clock::now());
        if (waited > seconds) return false;
        rest(waited, short_rest, long_rest);
    }
    return true;
}

void MpiRanks::begin_trade(std::span<const int> others, std::vector<Message> messages) {
    trade_ = {{others.begin(), others.end()}, std::move(messages), {}, std::move(trade_.messages)};
    for (std::size_t i = 0; i < others.size(); ++i) {
        const Message& message = trade_.messages[i];
        // A whole piece is followed by another one, though it be empty: so the end is known.
        for (std::size_t from = 0; from <= message.size(); from += piece_) {
            const auto bytes = static_cast<int>(std::min(piece_, message.size() - from));
            require(MPI_Isend(message.data() + from, bytes, MPI_BYTE, others[i], message_tag, domains_,
                              &trade_.requests.emplace_back()),
                    "MPI_Isend");
        }
    }
}

std::vector<Message> MpiRanks::end_trade() {
    std::vector<MPI_Request>& requests = trade_.requests;
    // What was sent a trade ago is often about as long, and is memory that the system need not clear. MPI may
    // write there as long as this object lives.
    std::vector<Message>& theirs = trade_.spare;
    theirs.resize(trade_.others.size());
    for (Message& message : theirs) message.clear();
    std::vector<std::size_t> awaited(trade_.others.size());
    for (std::size_t i = 0; i < awaited.size(); ++i) awaited[i] = i;
    // Whether the message of trade_.others[i] is being received; of a long one, its last piece.
    const auto has_come = [&](std::size_t i) {
        int is_there = 0, bytes = 0;
        MPI_Message message{};
        MPI_Status status{};
        require(MPI_Improbe(trade_.others[i], message_tag, domains_, &is_there, &message, &status),
                "MPI_Improbe");
        if (is_there == 0) return false;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        const std::size_t before = theirs[i].size();
        if (before == 0 && theirs[i].capacity() / 2 > static_cast<std::size_t>(bytes)) theirs[i] = Message();
        theirs[i].resize(before + static_cast<std::size_t>(bytes));
        MPI_Request& request = requests.emplace_back();
        require(MPI_Imrecv(theirs[i].data() + before, bytes, MPI_BYTE, &message, &request), "MPI_Imrecv");
        if (static_cast<std::size_t>(bytes) < piece_) return true;
        // The next piece may move what is there.
        require(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
        return false;
    };
    wait_until([&] {
        std::erase_if(awaited, has_come);
        if (!awaited.empty()) return false;
        int are_done = 0;
        require(
            MPI_Testall(static_cast<int>(requests.size()), requests.data(), &are_done, MPI_STATUSES_IGNORE),
            "MPI_Testall");
        return are_done != 0;
    });
    return std::move(theirs);
}

std::vector<Message> MpiRanks::share(Message own) {
    MPI_Request request{};
    const auto own_length = static_cast<std::int64_t>(own.size());
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(count_));
    require(MPI_Iallgather(&own_length, 1, MPI_INT64_T, lengths.data(), 1, MPI_INT64_T, domains_, &request),
            "MPI_Iallgather");
    wait_for(request);
    std::vector<int> counts, starts;
    std::int64_t bytes = 0;
    for (const std::int64_t length : lengths) {
        counts.push_back(static_cast<int>(length));
        starts.push_back(static_cast<int>(bytes));
        bytes += length;
    }
    // Such are no few words that all must know; all see it, and throw.
    if (bytes > std::numeric_limits<int>::max()) throw EnvironmentError("ranks share more than 2 GiB");
    Message together(static_cast<std::size_t>(bytes));
    require(MPI_Iallgatherv(own.data(), static_cast<int>(own_length), MPI_BYTE, together.data(),
                            counts.data(), starts.data(), MPI_BYTE, domains_, &request),
            "MPI_Iallgatherv");
    wait_for(request);
    std::vector<Message> all;
    for (std::size_t i = 0; i < lengths.size(); ++i)
        all.emplace_back(together.begin() + starts[i], together.begin() + starts[i] + counts[i]);
    return all;
}

template <class Number>
void MpiRanks::add_up_numbers(std::span<Number> sums, MPI_Datatype type) {
    while (!sums.empty()) {
        const std::span<Number> some = sums.first(std::min(most_added, sums.size()));
        MPI_Request request{};
        require(MPI_Iallreduce(MPI_IN_PLACE, some.data(), static_cast<int>(some.size()), type, MPI_SUM,
                               domains_, &request),
                "MPI_Iallreduce");
        wait_for(request);
        sums = sums.subspan(some.size());
    }
}

void MpiRanks::add_up(std::span<double> sums) { add_up_numbers(sums, MPI_DOUBLE); }
void MpiRanks::add_up(std::span<std::uint64_t> sums) { add_up_numbers(sums, MPI_UINT64_T); }

bool MpiRanks::take(Word word, Message& message) {
    const auto tag = static_cast<int>(word);
    int is_there = 0;
    MPI_Status status{};
    require(MPI_Iprobe(MPI_ANY_SOURCE, tag, notices_, &is_there, &status), "MPI_Iprobe");
    if (is_there == 0) return false;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    message.resize(static_cast<std::size_t>(bytes));
    require(MPI_Recv(message.data(), bytes, MPI_BYTE, status.MPI_SOURCE, tag, notices_, MPI_STATUS_IGNORE),
            "MPI_Recv");
    return true;
}

void MpiRanks::tell(int to, Word word, std::span<const std::byte> message) const {
    // So short that MPI keeps it, whatever the other one is at.
    constexpr std::size_t longest = 2000;
    const auto bytes = static_cast<int>(std::min(longest, message.size()));
    require(MPI_Send(message.data(), bytes, MPI_BYTE, to, static_cast<int>(word), notices_), "MPI_Send");
}

void MpiRanks::hear() {
    Message message;
    if (number_ != 0) {
        if (has_ended_ || take(Word::end, message)) throw RunHasEnded{};
        const int signal = signal_source_ && !has_told_signal_ ? signal_source_() : 0;
        if (signal == 0) return;
        has_told_signal_ = true;
        tell(0, Word::signal, std::as_bytes(std::span(&signal, 1)));
        return;
    }
    if (take(Word::signal, message) && signal_of_others_ == 0)
        signal_of_others_ = values_of<int>(message).at(0);
    if (!take(Word::failed, message)) return;
    std::string text = text_of(message);
    const auto kind = static_cast<FailureKind>(text.at(0) - '0');
    text.erase(0, 1);
    if (kind == FailureKind::environment) throw EnvironmentError(text);
    throw std::runtime_error(text);
}

void MpiRanks::lead(const Message& command) {
    hear();
    for (int other = 1; other < count_; ++other) tell(other, Word::command, command);
}

Message MpiRanks::await() {
    Message command;
    const Clock::time_point begin = Clock::now();
    Clock::time_point last_check = begin;
    while (!take(Word::command, command)) {
        const Clock::time_point now = Clock::now();
        hear();
        if (seconds_between(last_check, now) > seconds_between_checks) {
            check_processes();
            last_check = now;
        }
        rest(seconds_between(begin, now), short_rest, long_rest);
    }
    return command;
}

int MpiRanks::signal_of_others() {
    hear();
    return signal_of_others_;
}

void MpiRanks::finish() {
    is_finished_ = true;
    MPI_Finalize();
}

void MpiRanks::end_all(int status) {
    bool are_in_order = !is_waiting_;
    for (int other = 1; other < count_; ++other) tell(other, Word::end);
    int gone = 1;
    const bool are_gone = is_done_within(patience_seconds, [&] {
        for (Message message; take(Word::bye, message); ++gone) are_in_order &= message.empty();
        int dead = 0;
        for (int other = 1; other < count_; ++other) dead += is_dead(other) ? 1 : 0;
        return gone + dead >= count_;
    });
    are_in_order &= gone == count_;
    if (!are_gone || !are_in_order) MPI_Abort(MPI_COMM_WORLD, status);
    finish();
}

void MpiRanks::leave() {
    const Message out_of_order(is_waiting_ ? 1 : 0, std::byte{});
    tell(0, Word::bye, out_of_order);
    if (is_waiting_) {
        // MPI might wait for what was begun; rank 0 ends all.
        static_cast<void>(is_done_within(patience_seconds, [] { return false; }));
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    finish();
}

void MpiRanks::fail(const RankFailure& failure, int status) {
    is_waiting_ = true;  // whatever it was at, others may wait for it
    const std::string text = "rank " + std::to_string(number_) + ": " + failure.text;
    const std::string told = std::to_string(static_cast<int>(failure.kind)) + text;
    tell(0, Word::failed, std::as_bytes(std::span(told)));
    Message message;
    if (!is_done_within(patience_seconds, [&] { return has_ended_ || take(Word::end, message); })) {
        std::fprintf(stderr, "mpcflow: %s\n", text.c_str());
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    leave();
}

}  // namespace mpcflow
