#pragma once
/// Domains that are threads of one process, whose messages are plain copies.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "physics/domain/exchange.hpp"

namespace mpcflow {

class InProcess {
public:
    explicit InProcess(int domains)
        : domains_(domains), on_the_way_(static_cast<std::size_t>(domains) * domains), ended_(domains, 0) {}

    /// Calls function(number, exchange) for every domain, each on a thread of its own. Throws the first thing
    /// that one of them throws; the others then end, too, where they wait for its messages.
    template <class Function>
    void run(const Function& function) {
        std::vector<std::jthread> threads;
        for (int number = 0; number < domains_; ++number) {
            threads.emplace_back([this, number, &function] {
                std::exception_ptr failure;
                try {
                    End end(*this, number);
                    function(number, end);
                } catch (...) {
                    failure = std::current_exception();
                }
                const std::lock_guard lock(mutex_);
                if (failure_ == nullptr) failure_ = failure;
                ended_[number] = 1;
                arrival_.notify_all();
            });
        }
        threads.clear();
        if (failure_ != nullptr) std::rethrow_exception(failure_);
    }

private:
    class End final : public Exchange {
    public:
        End(InProcess& all, int number) : all_(all), number_(number) {}
        [[nodiscard]] int number() const override { return number_; }
        [[nodiscard]] int count() const override { return all_.domains_; }
        void begin_trade(std::span<const int> others, std::vector<Message> messages) override {
            const std::lock_guard lock(all_.mutex_);
            others_.assign(others.begin(), others.end());
            for (std::size_t i = 0; i < others.size(); ++i)
                all_.way(number_, others[i]).push_back(std::move(messages[i]));
            all_.arrival_.notify_all();
        }
        [[nodiscard]] std::vector<Message> end_trade() override {
            std::unique_lock lock(all_.mutex_);
            std::vector<Message> theirs;
            for (const int other : others_) {
                std::deque<Message>& way = all_.way(other, number_);
                all_.arrival_.wait(lock, [&] { return !way.empty() || all_.ended_[other] != 0; });
                if (way.empty()) throw std::runtime_error("domain " + std::to_string(other) + " has ended");
                theirs.push_back(std::move(way.front()));
                way.pop_front();
            }
            return theirs;
        }

    private:
        InProcess& all_;
        int number_;
        std::vector<int> others_;  ///< of the trade that has begun
    };

    [[nodiscard]] std::deque<Message>& way(int from, int to) {
        return on_the_way_[static_cast<std::size_t>(from) * domains_ + to];
    }

    int domains_;
    std::mutex mutex_;
    std::condition_variable arrival_;
    std::vector<std::deque<Message>> on_the_way_;
    std::vector<char> ended_;
    std::exception_ptr failure_;
};

}  // namespace mpcflow
