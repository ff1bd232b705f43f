#include "app/command/report.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include <fmt/format.h>

#include "app/command/exit_status.hpp"
#include "input/error.hpp"
#include "input/text.hpp"
#include "physics/errors.hpp"

namespace mpcflow {

namespace {

int report_input_error(const InputError& error) {
    for (const std::string& message : error.messages())
        fmt::print(stderr, "{}\n", input::printable_lines(message));
    return static_cast<int>(ExitStatus::bad_input);
}

}  // namespace

void print_error(const char* kind, const std::string& text) {
    fmt::print(stderr, "mpcflow: {}{}\n", kind, input::printable_lines(text));
}

int report_lack_of_memory() {
    std::fputs(
        "mpcflow: out of memory; take a smaller box or density, precision mixed or fewer outputs, or have "
        "more memory\n",
        stderr);
    return static_cast<int>(ExitStatus::environment);
}

int run_guarded(const std::function<int()>& command) {
    try {
        return command();
    } catch (const InputError& error) {
        return report_input_error(error);
    } catch (const EnvironmentError& error) {
        print_error("", error.what());
        return static_cast<int>(ExitStatus::environment);
    } catch (const SimulationFault& fault) {
        print_error("the simulation failed: ", fault.what());
        return static_cast<int>(ExitStatus::fault);
    } catch (const std::bad_alloc&) {
        return report_lack_of_memory();
    } catch (const std::system_error& error) {
        print_error("", error.what());
        return static_cast<int>(ExitStatus::environment);
    } catch (const std::exception& error) {
        print_error("a fault of the program, please report it: ", error.what());
        return static_cast<int>(ExitStatus::fault);
    }
}

}  // namespace mpcflow
