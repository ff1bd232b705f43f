/// The program mpcflow.

#include "app/command/command_line.hpp"

int main(int count, char** arguments) { return mpcflow::run_command_line(count, arguments); }
