#pragma once
/// Domains that are processes, over MPI. Known to this folder alone.
///
/// Nothing here blocks in MPI: who waits asks again and again, hears of what ends the run meanwhile, and lets
/// others have the processor. So no rank waits for ever for one that has failed, and ranks may share
/// processors.

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "ranks/ranks.hpp"

namespace mpcflow {

class MpiRanks final : public Ranks {
public:
    /// Longer messages go in pieces of so many bytes, as MPI counts in an int.
    static constexpr std::size_t most_bytes = std::size_t{1} << 30;

    /// Joins the ranks of MPI_COMM_WORLD; MPI is initialised. `piece`: see most_bytes.
    explicit MpiRanks(std::size_t piece = most_bytes);
    ~MpiRanks() override;

    [[nodiscard]] int number() const override { return number_; }
    [[nodiscard]] int count() const override { return count_; }
    void begin_trade(std::span<const int> others, std::vector<Message> messages) override;
    [[nodiscard]] std::vector<Message> end_trade() override;
    [[nodiscard]] std::vector<Message> share(Message own) override;
    void add_up(std::span<double> sums) override;
    void add_up(std::span<std::uint64_t> sums) override;
    void wait_for_own(const std::function<bool()>& done) override;
    [[nodiscard]] double waited_seconds() const override { return waited_seconds_; }

    void lead(const Message& command) override;
    [[nodiscard]] Message await() override;
    void set_signal_source(std::function<int()> source) override { signal_source_ = std::move(source); }
    [[nodiscard]] int signal_of_others() override;

    void end_all(int status) override;
    void leave() override;
    void fail(const RankFailure& failure, int status) override;

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::microseconds short_rest{10};
    static constexpr std::chrono::microseconds long_rest{500};

    /// What ranks tell each other apart from messages of domains, as tags: to rank 0 that one has failed (its
    /// kind as a digit, then why), has got a signal, or leaves; from rank 0 what comes next, or the end.
    enum class Word : int { failed = 1, signal, bye, command, end };

    /// Asks done() until it says so; how it rests in between, see rest().
    void wait_until(const std::function<bool()>& done, std::chrono::microseconds longest_rest = long_rest);
    void wait_for(MPI_Request& request);
    /// As wait_until(), but hears nothing; false where that takes longer than so many seconds.
    [[nodiscard]] static bool is_done_within(double seconds, const std::function<bool()>& done);
    template <class Number>
    void add_up_numbers(std::span<Number> sums, MPI_Datatype type);

    /// Notes which processes the ranks of this machine are.
    void find_processes();
    /// Whether a rank of this machine is no more.
    [[nodiscard]] bool is_dead(int rank) const;
    /// Throws EnvironmentError where one is. Launchers end all ranks when one dies, but not
    /// all of them and not always.
    void check_processes() const;

    /// Throws where the run has ended or another rank has failed, and passes signals on.
    void hear();
    /// Takes such a word, if one has come.
    [[nodiscard]] bool take(Word word, Message& message);
    void tell(int to, Word word, std::span<const std::byte> message = {}) const;
    void finish();

    /// A trade that has begun.
    struct Trade {
        std::vector<int> others;
        std::vector<Message> messages;
        std::vector<MPI_Request> requests;
        std::vector<Message> spare;  ///< of the trade before: memory for what comes
    };

    std::size_t piece_;
    Trade trade_;
    MPI_Comm domains_ = MPI_COMM_NULL;  ///< for messages of domains
    MPI_Comm notices_ = MPI_COMM_NULL;
    int number_ = 0;
    int count_ = 1;
    double waited_seconds_ = 0.0;
    bool is_waiting_ = false;  ///< for what may never come, if the run ends meanwhile
    bool is_finished_ = false;
    bool has_ended_ = false;      ///< rank 0 has said so, while this one was still at something
    std::vector<int> processes_;  ///< by rank; 0 on other machines
    std::function<int()> signal_source_;
    bool has_told_signal_ = false;
    int signal_of_others_ = 0;
};

}  // namespace mpcflow
