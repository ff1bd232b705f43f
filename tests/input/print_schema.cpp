// Prints the JSON Schema, or with `table` the keys as the Markdown table of docs/input.md.

#include <iostream>
#include <string_view>

#include "input/schema.hpp"

int main(int count, char** arguments) {
    const bool table = count == 2 && std::string_view(arguments[1]) == "table";
    std::cout << (table ? mpcflow::key_table() : mpcflow::json_schema());
    return 0;
}
