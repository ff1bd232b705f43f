// Errors of keys that do not fit together, and of the text: the exact message, with its line and column.

#include <string>

#include "tests/input/error_cases.hpp"
#include "tests/input/input_cases.hpp"

namespace mpcflow::tests {
namespace {

class WholeErrorMessages : public testing::TestWithParam<ErrorCase> {};

TEST_P(WholeErrorMessages, AreExact) { EXPECT_EQ(errors_of(GetParam().text), GetParam().messages); }

const std::string a_face =
    "periodic, no_slip, slip or thermal, or a map of lower and upper, each periodic, no_slip, slip or "
    "thermal, or a map of "
    "kind, velocity and "
    "temperature; or a map of kind lees_edwards, shear_rate and along is needed";
const std::string whole_edge = "a whole number in [1, 65536] is needed";
const std::string three_edges = "a list of 3 whole numbers in [1, 65536] is needed";
const std::string some_steps = "a whole number in [0, 1000000000000000] is needed";
const std::string root_keys =
    "title, seed, box, fluid, collision, thermostat, boundaries, surfaces, forces, stream, start, run, "
    "output, "
    "checkpoint, execution";

INSTANTIATE_TEST_SUITE_P(
    Together, WholeErrorMessages,
    testing::Values(
        ErrorCase{
            "one periodic face",
            least + "boundaries: {z: {lower: no_slip, upper: periodic}}",
            {"f.yaml:3:41: boundaries.z: lower is no_slip and upper is periodic; both faces of an axis are "
             "periodic, or neither"}},
        ErrorCase{
            "one face given",
            least + "boundaries:\n  y:\n    upper: no_slip",
            {"f.yaml:5:12: boundaries.y: lower is periodic and upper is no_slip; both faces of an axis are "
             "periodic, or neither"}},
        ErrorCase{"a face that does not exist",
                  least + "boundaries: {x: skip, y: {lower: skip, left: no_slip}, z: []}",
                  {"f.yaml:3:17: boundaries.x: skip is not known; " + a_face,
                   "f.yaml:3:34: boundaries.y.lower: skip is not known; periodic, no_slip, slip or thermal "
                   "is needed",
                   "f.yaml:3:40: boundaries.y.left: is not a key; allowed in boundaries.y are lower, upper",
                   "f.yaml:3:59: boundaries.z: a list is given; " + a_face}},
        ErrorCase{
            "bins that do not divide",
            least + "output: {fields: {every: 1, bins: [3, 16, 8]}}",
            {"f.yaml:3:36: output.fields.bins.0: 3 bins do not divide the 8 cells of the box along x; 2 and "
             "4 "
             "would",
             "f.yaml:3:39: output.fields.bins.1: 16 bins are more than the 8 cells of the box along y"}},
        ErrorCase{"bins are not judged by a wrong box",
                  "box: {size: [x, 8, 8]}\nrun: {steps: 9}\noutput: {fields: {every: 1, bins: [3, 16, 8]}}",
                  {"f.yaml:1:14: box.size.0: x is not a number; " + whole_edge}},
        ErrorCase{"nothing to run",
                  "box: {size: [8, 8, 8]}\nrun: {steps: 0}",
                  {"f.yaml:2:14: run.steps: equilibration and steps are both 0; there is nothing to run"}},
        ErrorCase{"checkpoints never",
                  least + "checkpoint: {every: 0}",
                  {"f.yaml:3:1: checkpoint: every and minutes are both 0; give one of them, or leave the "
                   "section out"}},
        ErrorCase{"checkpoints at no time",
                  least + "checkpoint: {minutes: -1, hours: 2}",
                  {"f.yaml:3:23: checkpoint.minutes: -1 is out of range [0, 1e6]",
                   "f.yaml:3:27: checkpoint.hours: is not a key; allowed in checkpoint are every, minutes"}},
        ErrorCase{"no sample",
                  least + "output: {fields: {every: 101, bins: [1, 1, 1]}}",
                  {"f.yaml:3:26: output.fields.every: 101 is more than the 100 steps of the run after "
                   "equilibration; "
                   "no sample would be taken"}},
        ErrorCase{"time window",
                  least + "output: {fields: {every: 10, bins: [1, 1, 1], time_window: 25}}",
                  {"f.yaml:3:60: output.fields.time_window: 25 steps are no whole multiple of the 10 steps "
                   "between samples; 20 "
                   "would be"}},
        ErrorCase{"short time window",
                  least + "output: {fields: {every: 10, bins: [1, 1, 1], time_window: 3}}",
                  {"f.yaml:3:60: output.fields.time_window: 3 steps are no whole multiple of the 10 steps "
                   "between samples; 10 "
                   "would be"}},
        ErrorCase{
            "no sample of histograms",
            least + "output: {histograms: {every: 101, occupancy_bins: 0, speed_bins: 0, largest_speed: 33}}",
            {"f.yaml:3:30: output.histograms.every: 101 is more than the 100 steps of the run after "
             "equilibration; "
             "no sample would be taken",
             "f.yaml:3:51: output.histograms.occupancy_bins: 0 is not allowed; auto or a whole number in [1, "
             "11000] "
             "is needed",
             "f.yaml:3:66: output.histograms.speed_bins: 0 is out of range [1, 11000]",
             "f.yaml:3:84: output.histograms.largest_speed: 33 is out of range (0, 32]"}},
        ErrorCase{"no sample of diffusion, and no tracers",
                  least + "output: {diffusion: {every: 101, tracers: 0}}",
                  {"f.yaml:3:29: output.diffusion.every: 101 is more than the 100 steps of the run after "
                   "equilibration; "
                   "no sample would be taken",
                   "f.yaml:3:43: output.diffusion.tracers: 0 is out of range [1, 1000000]"}},
        ErrorCase{"bursts that overlap",
                  least + "output: {stress: {every: 5, burst: 6, lags: 2001}}",
                  {"f.yaml:3:45: output.stress.lags: 2001 is not allowed; auto or a whole number in [1, "
                   "2000] is needed"}},
        ErrorCase{"a burst longer than the way to the next",
                  least + "output: {stress: {every: 5, burst: 6}}",
                  {"f.yaml:3:36: output.stress.burst: a burst of 6 steps is longer than the 5 steps to the "
                   "next; make it "
                   "shorter, or every at least as large"}},
        ErrorCase{"more lags than a burst has",
                  least + "output: {stress: {every: 50, lags: 21}}",
                  {"f.yaml:3:36: output.stress.lags: 21 lags are more than the 20 steps of a burst; make "
                   "burst longer, or "
                   "as long as every"}},
        ErrorCase{"no sample of the stress",
                  least + "output: {stress: {every: 101}}",
                  {"f.yaml:3:26: output.stress.every: 101 is more than the 100 steps of the run after "
                   "equilibration; no "
                   "sample would be taken"}},
        ErrorCase{
            "no wall whose stress could be measured",
            least + "output: {walls: {every: 101}}",
            {"f.yaml:3:10: output.walls: all boundaries are periodic, and there are no surfaces; give one of "
             "them walls, or leave this section out",
             "f.yaml:3:25: output.walls.every: 101 is more than the 100 steps of the run after "
             "equilibration; no "
             "sample would be taken"}},
        ErrorCase{"neighbours that are counted twice",
                  least + "output: {radial_distribution: {every: 10, range: 4.25, bins: 0, centres: 0}}",
                  {"f.yaml:3:50: output.radial_distribution.range: 4.25 is more than half of the 8 cells of "
                   "the box along x, "
                   "where a particle would be counted with its periodic images; at most 4 is possible",
                   "f.yaml:3:50: output.radial_distribution.range: 4.25 is more than half of the 8 cells of "
                   "the box along y, "
                   "where a particle would be counted with its periodic images; at most 4 is possible",
                   "f.yaml:3:50: output.radial_distribution.range: 4.25 is more than half of the 8 cells of "
                   "the box along z, "
                   "where a particle would be counted with its periodic images; at most 4 is possible",
                   "f.yaml:3:62: output.radial_distribution.bins: 0 is out of range [1, 11000]",
                   "f.yaml:3:74: output.radial_distribution.centres: 0 is out of range [1, 1000000]"}},
        ErrorCase{"walls that are near to every particle",
                  least + "boundaries: {z: no_slip}\noutput: {radial_distribution: {every: 10, range: 4}}",
                  {"f.yaml:4:50: output.radial_distribution.range: 4 is not less than half of the 8 cells "
                   "between the walls "
                   "along z; no particle would be farther than that from both"}},
        ErrorCase{"no sample of modes, and none of them",
                  least + "output: {modes: {every: 101, count: 0}}",
                  {"f.yaml:3:25: output.modes.every: 101 is more than the 100 steps of the run after "
                   "equilibration; "
                   "no sample would be taken",
                   "f.yaml:3:37: output.modes.count: 0 is out of range [1, 64]"}},
        ErrorCase{"modes of waves that are too short",
                  least + "output: {modes: {every: 1, count: 5}}",
                  {"f.yaml:3:35: output.modes.count: 5 waves do not fit: the longest axis without walls has "
                   "room for 4 of "
                   "two cells at least"}},
        ErrorCase{"modes between walls",
                  least + "boundaries: {x: no_slip, y: no_slip, z: no_slip}\noutput: {modes: {every: 1}}",
                  {"f.yaml:4:10: output.modes: there is no wave to follow: it needs an axis without walls "
                   "that is at least "
                   "two cells long"}},
        ErrorCase{"a structure factor of waves that are too short",
                  least + "output: {structure_factor: {every: 101, count: 5}}",
                  {"f.yaml:3:36: output.structure_factor.every: 101 is more than the 100 steps of the run "
                   "after equilibration; no sample would be taken",
                   "f.yaml:3:48: output.structure_factor.count: 5 waves do not fit: the longest axis without "
                   "walls has room for 4 of two cells at least"}},
        ErrorCase{
            "a region of one corner",
            least + "output: {trajectory: {every: 1, region: {lower: [1, 1, 1]}}}",
            {"f.yaml:3:33: output.trajectory.region.upper: is missing; a list of 3 numbers in [0, 65536] is "
             "needed"}},
        ErrorCase{
            "a region that is not in the box, or nowhere",
            least + "output: {trajectory: {every: 1, region: {lower: [0, 5, 2.5], upper: [8.5, 8, 2.5]}}}",
            {"f.yaml:3:70: output.trajectory.region.upper.0: 8.5 is outside of the box, which has 8 cells "
             "along "
             "x",
             "f.yaml:3:78: output.trajectory.region.upper.2: 2.5 is not more than the lower 2.5 along z; the "
             "region would be empty"}},
        ErrorCase{"a region below the box",
                  least + "output: {trajectory: {every: 1, region: {lower: [-1, 0, 0], upper: [8, 8, 8]}}}",
                  {"f.yaml:3:50: output.trajectory.region.lower.0: -1 is out of range [0, 65536]"}},
        ErrorCase{"a stride of no ids, in no precision",
                  least + "output: {trajectory: {every: 1, every_nth_id: 0, precision: half}}",
                  {"f.yaml:3:47: output.trajectory.every_nth_id: 0 is out of range [1, 2147483647]",
                   "f.yaml:3:61: output.trajectory.precision: half is not known; auto, single or double is "
                   "needed"}},
        ErrorCase{
            "too many cells",
            "box: {size: [1291, 1291, 1291]}\nrun: {steps: 1}",
            {"f.yaml:1:13: box.size: the box has 2.15e+09 cells (one layer more between walls); at most "
             "2147483647 are possible"}},
        ErrorCase{
            "too many cells between walls",
            "box: {size: [1290, 1290, 1290]}\nfluid: {density: 0.1}\nrun: {steps: 1}\nboundaries: {z: "
            "no_slip}",
            {"f.yaml:1:13: box.size: the box has 2.15e+09 cells (one layer more between walls); at most "
             "2147483647 are possible"}},
        ErrorCase{"too many particles",
                  "box: {size: [1000, 1000, 100]}\nrun: {steps: 1}\nfluid: {density: 30}",
                  {"f.yaml:3:18: fluid.density: the box would hold 3e+09 particles; at most 2147483647 are "
                   "possible"}},
        ErrorCase{"no particle",
                  least + "fluid: {density: 1e-6}",
                  {"f.yaml:3:18: fluid.density: the box of 512 cells would hold no particle at all"}},
        ErrorCase{
            "a flight past the box",
            least + "fluid: {temperature: 100}\ncollision: {time_step: 1}",
            {"f.yaml:4:24: collision.time_step: the mean free path time_step sqrt(temperature / mass) is 10 "
             "cells, more than the shortest edge of the box (8); make the time step smaller"}},
        ErrorCase{
            "a fall past the box",
            least + "collision: {time_step: 1}\nforces: [{uniform: [20, 0, 0]}]",
            {"f.yaml:4:9: forces: a particle would fall 10 cells in a time step, more than the shortest edge "
             "of the box (8)"}},
        ErrorCase{"everything at once",
                  "box: {size: [8, 8]}\nrun: {steps: many}\nsede: 4\nfluid: {mass: -1}",
                  {"f.yaml:1:13: box.size: a list of 2 is given; " + three_edges,
                   "f.yaml:2:14: run.steps: many is not a number; " + some_steps,
                   "f.yaml:3:1: sede: is not a key; did you mean seed? Allowed here are " + root_keys,
                   "f.yaml:4:15: fluid.mass: -1 is out of range [1e-6, 1e6]"}}));

INSTANTIATE_TEST_SUITE_P(
    Yaml, WholeErrorMessages,
    testing::Values(
        ErrorCase{"empty", "", {"f.yaml: is empty; the input is a map of keys such as box and run"}},
        ErrorCase{"comments alone",
                  "# nothing\n\n",
                  {"f.yaml: is empty; the input is a map of keys such as box and run"}},
        ErrorCase{"a list",
                  "- box\n",
                  {"f.yaml:1:1: a list is given; the input is a map of keys such as box and run"}},
        ErrorCase{"a word",
                  "\nbox\n",
                  {"f.yaml:2:1: box is given; the input is a map of keys such as box and run"}},
        ErrorCase{"two documents",
                  least + "---\n" + least,
                  {"f.yaml:3:1: a second document begins here; an input is a single one"}},
        ErrorCase{"text after the end",
                  "{box: {size: [8, 8, 8]}} run",
                  {"f.yaml:1:26: a second document begins here; an input is a single one"}},
        ErrorCase{"a bracket never closed",
                  "box: {size: [8, 8, 8]\nrun: {steps: 1}\n",
                  {"f.yaml:1:6: not YAML: this bracket is never closed"}},
        ErrorCase{
            "a bracket never opened", least + "seed: [1]]", {"f.yaml:3:10: not YAML: illegal flow end"}},
        ErrorCase{"a quote never closed",
                  least + "title: \"x\n",
                  {"f.yaml:3:8: not YAML: this quote is never closed"}},
        ErrorCase{"a single quote never closed",
                  least + "title: 'it''s\n\n",
                  {"f.yaml:3:8: not YAML: this quote is never closed"}},
        ErrorCase{"a quote that an escape keeps open",
                  least + "title: \"x\\\"\n",
                  {"f.yaml:3:8: not YAML: this quote is never closed"}},
        ErrorCase{"a quote at the very end",
                  least + "title: \"x",
                  {"f.yaml:3:10: not YAML: illegal EOF in scalar"}},
        ErrorCase{"two values on a line", least + "title: a: b", {"f.yaml:3:9: not YAML: illegal map value"}},
        ErrorCase{"anchors and aliases",
                  "box: &b {size: [8, 8, 8]}\nrun: {steps: 1}\nfluid: *b\n",
                  {"f.yaml:1:6: box: anchors (&name) are not allowed; write the value out",
                   "f.yaml:3:8: fluid: aliases (*name) are not allowed; write the value out"}},
        ErrorCase{"tags",
                  least + "seed: !!int 5\nfluid: !f {}\n",
                  {"f.yaml:3:7: seed: tags (tag:yaml.org,2002:int) are not allowed",
                   "f.yaml:4:8: fluid: tags (!f) are not allowed"}},
        ErrorCase{"keys that are no words",
                  least + "? [a]\n: 1\n~: 2\n",
                  {"f.yaml:3:3: a key must be a word, not a list",
                   "f.yaml:5:1: a key must be a word, not nothing"}},
        ErrorCase{"a NUL byte",
                  least + std::string("seed: 1\0 2", 10),
                  {"f.yaml:3:8: a NUL byte; an input is UTF-8 text"}},
        ErrorCase{"a control character",
                  least + "seed: 1 \x04 2",
                  {"f.yaml:3:9: the control character 0x04; an input is UTF-8 text"}},
        ErrorCase{"a control character beyond ASCII",
                  least + "# \xC2\x9B"
                          "31m\ntitle: \"a\"",
                  {"f.yaml:3:3: the control character U+009B, which has no place in an input; remove it"}},
        ErrorCase{"a control character beyond ASCII, escaped",
                  least + "title: \"a\\u202Eb\"",
                  {"f.yaml:3:8: title: \"a\\\\u202Eb\" has more than one line, or control characters; one "
                   "line of text of at "
                   "most 200 characters is needed"}},
        ErrorCase{"not UTF-8",
                  least + "title: caf\xE9",
                  {"f.yaml:3:11: the byte 0xE9 is not UTF-8; an input is UTF-8 text"}},
        ErrorCase{"UTF-16",
                  std::string("\xFF\xFE"
                              "b\0o\0x\0",
                              8),
                  {"f.yaml:1:1: the byte 0xFF is not UTF-8; an input is UTF-8 text"}},
        ErrorCase{
            "carriage returns", "box: 1\rrun: 2\r", {"f.yaml:1:7: a carriage return that ends no line"}}));

}  // namespace
}  // namespace mpcflow::tests
