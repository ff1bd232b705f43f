/// The program mpcflow.

#include <string>
#include <vector>

#include "app/command_line.hpp"

int main(int count, char** arguments) {
    return mpcflow::run_command_line(std::vector<std::string>(arguments + 1, arguments + count));
}
