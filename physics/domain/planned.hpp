#pragma once
/// The exchange of a domain that is planned only: for what a domain will need and send, before there is one.

#include <span>
#include <stdexcept>
#include <vector>

#include "physics/domain/exchange.hpp"

namespace mpcflow {

/// Of domain `number` of `count`; to trade throws std::logic_error.
class Planned final : public Exchange {
public:
    Planned(int count, int number) : count_(count), number_(number) {}
    [[nodiscard]] int number() const override { return number_; }
    [[nodiscard]] int count() const override { return count_; }
    void begin_trade(std::span<const int>, std::vector<Message>) override { refuse(); }
    [[nodiscard]] std::vector<Message> end_trade() override { refuse(); }

private:
    [[noreturn]] static void refuse() {
        throw std::logic_error("a domain that is only planned has nobody to trade with");
    }

    int count_, number_;
};

}  // namespace mpcflow
