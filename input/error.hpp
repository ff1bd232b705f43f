#pragma once
/// What is wrong with an input: every error of it at once.

#include <stdexcept>
#include <string>
#include <vector>

namespace mpcflow {

/// The input cannot be used. Each message reads `FILE:LINE:COL: path: what is wrong`, or
/// `--set path=value: path: what is wrong`; lines and columns count from 1, columns in characters.
/// Exit status 2.
class InputError : public std::runtime_error {
public:
    /// `messages`: at least one, in the order in which they are shown.
    explicit InputError(std::vector<std::string> messages);

    [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }

private:
    std::vector<std::string> messages_;
};

}  // namespace mpcflow
