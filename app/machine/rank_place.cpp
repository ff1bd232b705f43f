#include "app/machine/rank_place.hpp"

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/machine/machine_info.hpp"

namespace mpcflow {

RankPlace find_rank_place(Exchange& ranks) {
    const std::string machine = describe_machine().hostname;
    const std::string place = machine + "\n" + processor_set();
    RankPlace found{0, 0, 0, 0};
    int number = 0;
    std::set<std::string> machines;
    for (const Message& message : ranks.share(message_of(std::span<const char>(place)))) {
        const std::vector<char> text = values_of<char>(message);
        const std::string other(text.begin(), text.end());
        const std::string of_other = other.substr(0, other.find('\n'));
        machines.insert(of_other);
        found.ranks_here += of_other == machine ? 1 : 0;
        found.sharers += other == place ? 1 : 0;
        found.before += of_other == machine && number < ranks.number() ? 1 : 0;
        ++number;
    }
    found.machines = static_cast<int>(machines.size());
    return found;
}

}  // namespace mpcflow
