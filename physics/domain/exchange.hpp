#pragma once
/// What domains need of each other: messages. Nothing else connects them.

#include <cstddef>
#include <span>
#include <vector>

namespace mpcflow {

using Message = std::vector<std::byte>;

/// One domain's end of it.
class Exchange {
public:
    Exchange() = default;
    virtual ~Exchange() = default;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// Gives messages[i] to domain others[i] and returns, in the same order, what each of these gave to this
    /// one. They must all call it with this domain among their others; lengths need not be known. Throws
    /// where another domain has ended.
    [[nodiscard]] virtual std::vector<Message> trade(std::span<const int> others,
                                                     std::vector<Message> messages) = 0;
};

}  // namespace mpcflow
