#include "input/nearest.hpp"

#include <algorithm>
#include <vector>

namespace mpcflow::input {
namespace {

/// Distance of Damerau and Levenshtein (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
        }
    }
    return table[a.size()][b.size()];
}

/// Case and the choice of separator are slips of another kind than letters.
std::string folded(std::string_view word) {
    std::string result(word);
    for (char& c : result) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        c = c == '-' || c == ' ' ? '_' : c;
    }
    return result;
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string> candidates) {
    constexpr std::size_t longest = 64;  // bounds the work; no key is that long
    if (word.empty() || word.size() > longest) return {};
    std::string_view best;
    std::size_t best_distance = std::clamp<std::size_t>(word.size() / 3, 1, 3) + 1;
    const std::string given = folded(word);
    for (const std::string& candidate : candidates) {
        const std::size_t d = distance(given, candidate);
        if (d < best_distance) {
            best = candidate;
            best_distance = d;
        }
    }
    return best;
}

}  // namespace mpcflow::input
