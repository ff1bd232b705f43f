// Every kind of error of single keys: the exact message, with its line and column.

#include <string>

#include "tests/input/error_cases.hpp"
#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

class ErrorMessages : public testing::TestWithParam<ErrorCase> {};

TEST_P(ErrorMessages, AreExact) { EXPECT_EQ(errors_of(GetParam().text), GetParam().messages); }

const std::string whole_edge = "a whole number in [1, 65536] is needed";
const std::string three_edges = "a list of 3 whole numbers in [1, 65536] is needed";
const std::string some_steps = "a whole number in [0, 1000000000000000] is needed";
const std::string one_line = "one line of text of at most 200 characters is needed";
const std::string root_keys =
    "title, seed, box, fluid, collision, thermostat, boundaries, surfaces, forces, stream, start, run, "
    "output, "
    "checkpoint, execution";

INSTANTIATE_TEST_SUITE_P(
    Keys, ErrorMessages,
    testing::Values(
        ErrorCase{"out of range",
                  least + "collision: {angle: 200}",
                  {"f.yaml:3:20: collision.angle: 200 is out of range (0, 180]"}},
        ErrorCase{"an open bound",
                  least + "collision:\n  angle: 0",
                  {"f.yaml:4:10: collision.angle: 0 is out of range (0, 180]"}},
        ErrorCase{"columns count characters",
                  least + "fluid: {\"d\\u00e9\": 1, 'é': 2, mass: 0}",
                  {"f.yaml:3:9: fluid.dé: is not a key; allowed in fluid are species, density, "
                   "temperature_schedule, temperature, mass",
                   "f.yaml:3:23: fluid.é: is not a key; allowed in fluid are species, density, "
                   "temperature_schedule, temperature, mass",
                   "f.yaml:3:37: fluid.mass: 0 is out of range [1e-6, 1e6]"}},
        ErrorCase{
            "a whole number out of range",
            least + "execution: {threads: 1025, reorder: 0}",
            {"f.yaml:3:22: execution.threads: 1025 is not allowed; auto or a whole number in [1, 1024] is "
             "needed",
             "f.yaml:3:37: execution.reorder: 0 is not allowed; auto or a whole number in [1, 1000000] is "
             "needed"}},
        ErrorCase{"a whole number past 64 bits",
                  least + "seed: 9223372036854775808",
                  {"f.yaml:3:7: seed: 9223372036854775808 is out of range [0, 9223372036854775807]"}},
        ErrorCase{"a negative whole number",
                  least + "seed: -1",
                  {"f.yaml:3:7: seed: -1 is out of range [0, 9223372036854775807]"}},
        ErrorCase{"no number",
                  least + "collision: {angle: steep}",
                  {"f.yaml:3:20: collision.angle: steep is not a number; a number in (0, 180] is needed"}},
        ErrorCase{
            "not finite",
            least + "collision: {angle: .inf, time_step: .NaN}",
            {"f.yaml:3:20: collision.angle: .inf is not finite; a number in (0, 180] is needed",
             "f.yaml:3:37: collision.time_step: .NaN is not finite; a number in [1e-6, 1000] is needed"}},
        ErrorCase{
            "octal or not",
            least + "collision: {angle: 010}\nseed: 010",
            {"f.yaml:3:20: collision.angle: 010 begins with a zero, which some read as octal: leave the zero "
             "out; a number in (0, 180] is needed",
             "f.yaml:4:7: seed: 010 begins with a zero, which some read as octal: leave the zero out; a "
             "whole "
             "number in [0, 9223372036854775807] is needed"}},
        ErrorCase{"hexadecimal",
                  least + "collision: {angle: 0x10}",
                  {"f.yaml:3:20: collision.angle: 0x10 is not a number; a number in (0, 180] is needed"}},
        ErrorCase{
            "a number in quotes",
            least + "collision: {angle: \"90\"}\nseed: '1'",
            {"f.yaml:3:20: collision.angle: \"90\" is text, being in quotes; a number in (0, 180] is needed",
             "f.yaml:4:7: seed: \"1\" is text, being in quotes; a whole number in [0, 9223372036854775807] "
             "is "
             "needed"}},
        ErrorCase{"a list for a number",
                  least + "collision: {angle: [90], time_step: {a: 1}}",
                  {"f.yaml:3:20: collision.angle: a list is given; a number in (0, 180] is needed",
                   "f.yaml:3:37: collision.time_step: a map is given; a number in [1e-6, 1000] is needed"}},
        ErrorCase{
            "no value",
            least + "collision:\n  angle:\nseed:\n",
            {"f.yaml:4:3: collision.angle: nothing is given; a number in (0, 180] is needed",
             "f.yaml:5:1: seed: nothing is given; a whole number in [0, 9223372036854775807] is needed"}},
        ErrorCase{"neither true nor false",
                  least + "collision: {random_shift: yes, conserve_angular_momentum: True}",
                  {"f.yaml:3:27: collision.random_shift: yes is not allowed; true or false is needed",
                   "f.yaml:3:59: collision.conserve_angular_momentum: True is not allowed; true or false is "
                   "needed"}},
        ErrorCase{"no such choice",
                  least + "collision: {rule: dpd}\nthermostat: {kind: mb}",
                  {"f.yaml:3:19: collision.rule: dpd is not known; srd or at is needed",
                   "f.yaml:4:20: thermostat.kind: mb is not known; none, maxwell_boltzmann, monte_carlo or "
                   "simple is needed"}},
        ErrorCase{"a strength of a thermostat that has none",
                  least + "thermostat: {kind: simple, strength: 0.3}",
                  {"f.yaml:3:28: thermostat.strength: simple tries no factors; leave it out, or set "
                   "thermostat.kind to monte_carlo"}},
        ErrorCase{"a strength that is too large",
                  least + "thermostat: {kind: monte_carlo, strength: 1.5}",
                  {"f.yaml:3:43: thermostat.strength: 1.5 is out of range [0.001, 1]"}},
        ErrorCase{"what at takes no notice of",
                  least + "collision: {rule: at, angle: 130}\nthermostat: {kind: maxwell_boltzmann}",
                  {"f.yaml:3:23: collision.angle: at turns nothing by an angle; leave it out",
                   "f.yaml:4:20: thermostat.kind: at holds the temperature itself and takes no thermostat; "
                   "leave it out"}},
        ErrorCase{
            "no such device",
            least + "execution: {device: 'cuda:64', precision: float, summation: sort}",
            {"f.yaml:3:21: execution.device: \"cuda:64\" is not known; auto, cpu, cuda or cuda:N with "
             "N in [0, "
             "63] is needed",
             "f.yaml:3:43: execution.precision: float is not known; double or mixed is needed",
             "f.yaml:3:61: execution.summation: sort is not known; auto, tile, match, peers, direct or cas "
             "is needed"}},
        ErrorCase{"a way of summing that no run uses",
                  least + "execution: {summation: hash}",
                  {"f.yaml:3:24: execution.summation: hash is a way that only `mpcflow bench kernels` "
                   "measures; auto, "
                   "tile, match, peers, direct or cas is needed"}},
        ErrorCase{
            "text of two lines",
            least + "title: |\n  one\n  two\n",
            {"f.yaml:3:8: title: \"one\\\\x0Atwo\\\\x0A\" has more than one line, or control characters; " +
             one_line}},
        ErrorCase{
            "text that is empty", least + "title: ''\n", {"f.yaml:3:8: title: \"\" is empty; " + one_line}},
        ErrorCase{"text that is long",
                  least + "title: " + std::string(201, 'x'),
                  {"f.yaml:3:8: title: " + std::string(60, 'x') + "... has 201 characters; " + one_line}},
        ErrorCase{"an escape in text",
                  least + "title: \"a\\x1b[31m\"",
                  {"f.yaml:3:8: title: \"a\\\\x1B[31m\" has more than one line, or control characters; " +
                   one_line}},
        ErrorCase{"a section that is none",
                  least + "fluid: water\nthermostat: [none]\n",
                  {"f.yaml:3:8: fluid: water is given; a map of keys is needed",
                   "f.yaml:4:13: thermostat: a list is given; a map of keys is needed"}},
        ErrorCase{"a broken section asks for nothing",
                  "box: 8\nrun:\n",
                  {"f.yaml:1:6: box: 8 is given; a map of keys is needed",
                   "f.yaml:2:1: run: nothing is given; a map of keys is needed"}}));

INSTANTIATE_TEST_SUITE_P(
    Names, ErrorMessages,
    testing::Values(
        ErrorCase{
            "a misspelt key",
            least + "collision: {angel: 90}",
            {"f.yaml:3:13: collision.angel: is not a key; did you mean collision.angle? Allowed in collision "
             "are rule, angle, time_step, conserve_angular_momentum, random_shift"}},
        ErrorCase{"a misspelt section",
                  least + "fluids: {mass: 1}",
                  {"f.yaml:3:1: fluids: is not a key; did you mean fluid? Allowed here are " + root_keys}},
        ErrorCase{
            "another spelling",
            least + "collision: {Time-Step: 1}",
            {"f.yaml:3:13: collision.Time-Step: is not a key; did you mean collision.time_step? Allowed in "
             "collision are rule, angle, time_step, conserve_angular_momentum, random_shift"}},
        ErrorCase{
            "the right key in the wrong place",
            least + "angle: 90",
            {"f.yaml:3:1: angle: is not a key; did you mean collision.angle? Allowed here are " + root_keys}},
        ErrorCase{"nothing like it",
                  least + "frequency: {every: 5}",
                  {"f.yaml:3:1: frequency: is not a key; allowed here are " + root_keys}},
        ErrorCase{"in an item of a list",
                  least + "forces: [{unifrom: [1, 2, 3]}]",
                  {"f.yaml:3:11: forces.0.unifrom: is not a key; did you mean forces.0.uniform? Allowed in "
                   "forces.0 are uniform, gravity, sine, opposed_blocks, from, until, period"}},
        ErrorCase{"given twice",
                  least + "fluid:\n  mass: 1\n  density: 2\n  mass: 1\nbox: {size: [4, 4, 4]}",
                  {"f.yaml:6:3: fluid.mass: given twice; the first is at line 4, column 3",
                   "f.yaml:7:1: box: given twice; the first is at line 1, column 1"}},
        ErrorCase{"what must be given",
                  "box:\n  {}\nrun: {equilibration: 5}",
                  {"f.yaml:1:1: box.size: is missing; " + three_edges,
                   "f.yaml:3:1: run.steps: is missing; " + some_steps}},
        ErrorCase{"sections that must be given",
                  "\n# nothing\ntitle: x",
                  {"f.yaml:3:1: box.size: is missing; " + three_edges,
                   "f.yaml:3:1: run.steps: is missing; " + some_steps}},
        ErrorCase{
            "what an output needs",
            least + "output:\n  fields: {}\n  series: {}\n  trajectory: {}\n",
            {"f.yaml:4:3: output.fields.every: is missing; a whole number in [1, 1000000000000000] is needed",
             "f.yaml:4:3: output.fields.bins: is missing; " + three_edges,
             "f.yaml:5:3: output.series.every: is missing; a whole number in [1, 1000000000000000] is needed",
             "f.yaml:6:3: output.trajectory.every: is missing; a whole number in [1, 1000000000000000] is "
             "needed"}}));

INSTANTIATE_TEST_SUITE_P(
    Lists, ErrorMessages,
    testing::Values(
        ErrorCase{"no whole cells",
                  "box: {size: [12.5, 8, 0]}\nrun: {steps: 1}",
                  {"f.yaml:1:14: box.size.0: 12.5 is not a whole number; " + whole_edge,
                   "f.yaml:1:23: box.size.2: 0 is out of range [1, 65536]"}},
        ErrorCase{"two edges",
                  "box: {size: [8, 8]}\nrun: {steps: 1}",
                  {"f.yaml:1:13: box.size: a list of 2 is given; " + three_edges}},
        ErrorCase{"one edge",
                  "box: {size: 8}\nrun: {steps: 1}",
                  {"f.yaml:1:13: box.size: 8 is given; " + three_edges}},
        ErrorCase{"a list in a list",
                  "box: {size: [8, [8], 8]}\nrun: {steps: 1}",
                  {"f.yaml:1:17: box.size.1: a list is given; " + whole_edge}},
        ErrorCase{"forces that are no list",
                  least + "forces: {uniform: [1, 0, 0]}",
                  {"f.yaml:3:9: forces: a map is given; a list of maps is needed"}},
        ErrorCase{"a force that is none",
                  least + "boundaries: {z: no_slip}\nforces: [5, {uniform: [1e7, 0, x]}]",
                  {"f.yaml:4:10: forces.0: 5 is given; a map of keys is needed",
                   "f.yaml:4:24: forces.1.uniform.0: 1e7 is out of range [-1e6, 1e6]",
                   "f.yaml:4:32: forces.1.uniform.2: x is not a number; a number in [-1e6, 1e6] is needed"}},
        ErrorCase{"no quantities",
                  least + "output: {trajectory: {every: 1, quantities: []}}",
                  {"f.yaml:3:45: output.trajectory.quantities: a list of nothing is given; a list of one or "
                   "more of "
                   "position, velocity is needed"}},
        ErrorCase{"quantities that are no list",
                  least + "output: {trajectory: {every: 1, quantities: position}}",
                  {"f.yaml:3:45: output.trajectory.quantities: position is given; a list of one or more of "
                   "position, "
                   "velocity is needed"}},
        ErrorCase{
            "quantities that do not exist or repeat",
            least +
                "output:\n  fields: {every: 1, bins: [1, 1, 1], quantities: [density, pressure, density]}",
            {"f.yaml:4:61: output.fields.quantities.1: pressure is not known; a list of one or more of "
             "density, "
             "velocity, temperature, pressure_tensor is needed",
             "f.yaml:4:71: output.fields.quantities.2: density is given twice"}}));

}  // namespace
}  // namespace mpcflow::tests
