#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/machine/batch_job.hpp"
#include "app/machine/device.hpp"
#include "physics/domain/in_process.hpp"
#include "physics/errors.hpp"

namespace mpcflow {
namespace {

DeviceInfo gpu(int index, int multiprocessors, std::int64_t free_bytes) {
    return {index, "GPU", 9, 0, multiprocessors, 100, free_bytes};
}

TEST(ChooseDevice, AutoTakesTheBestGpuOrElseTheCpu) {
    const ChosenDevice none = choose_device({DeviceKind::automatic, 0}, {{}, "no driver"});
    EXPECT_EQ(none.kind, DeviceKind::cpu);
    EXPECT_NE(none.reason.find("no driver"), std::string::npos);

    const DeviceList list{{gpu(0, 40, 90), gpu(1, 132, 10), gpu(2, 132, 50)}, ""};
    const ChosenDevice best = choose_device({DeviceKind::automatic, 0}, list);
    EXPECT_EQ(best.kind, DeviceKind::cuda);
    EXPECT_EQ(best.index, 2);
}

TEST(ChooseDevice, WhatIsAskedForIsTakenOrRefusedWithWhatThereIs) {
    const DeviceList list{{gpu(0, 40, 90), gpu(1, 132, 10)}, ""};
    EXPECT_EQ(choose_device({DeviceKind::cpu, 0}, list).kind, DeviceKind::cpu);
    EXPECT_EQ(choose_device({DeviceKind::cuda, 1}, list).index, 1);
    try {
        static_cast<void>(choose_device({DeviceKind::cuda, 3}, list));
        FAIL() << "took a device that is not there";
    } catch (const EnvironmentError& error) {
        EXPECT_NE(std::string(error.what()).find("cuda:3"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("cuda:1"), std::string::npos);
    }
}

TEST(ChooseDevice, WhoHasABusyGpuAloneIsToldAndNotLeftOnTheCpu) {
    const RefusedDevice busy{0, "NVIDIA H200",
                             "its compute mode is `exclusive process`, and another process has it"};
    const DeviceList alone{{}, "all CUDA-capable devices are busy or unavailable", {busy}};
    for (const DeviceChoice choice :
         {DeviceChoice{DeviceKind::automatic, 0}, DeviceChoice{DeviceKind::cuda, 0}}) {
        try {
            static_cast<void>(choose_device(choice, alone));
            FAIL() << "took a device that another process has";
        } catch (const EnvironmentError& error) {
            const std::string said = error.what();
            for (const char* word : {"cuda:0 (NVIDIA H200)", "another process has it", "--device cpu"})
                EXPECT_NE(said.find(word), std::string::npos) << said;
        }
    }
    EXPECT_EQ(choose_device({DeviceKind::cpu, 0}, alone).kind, DeviceKind::cpu);
    const DeviceList beside{{gpu(1, 132, 50)}, "", {busy}};
    EXPECT_EQ(choose_device({DeviceKind::automatic, 0}, beside).index, 1);
    EXPECT_THROW(static_cast<void>(choose_device({DeviceKind::cuda, 0}, beside)), EnvironmentError);
}

/// What each rank chooses, in one line; all on one machine.
std::vector<std::string> chosen(const DeviceChoice& choice, const std::vector<DeviceList>& lists) {
    std::vector<std::string> found(lists.size());
    InProcess(static_cast<int>(lists.size())).run([&](int number, Exchange& ranks) {
        try {
            const ChosenDevice device = choose_device_of_rank(choice, lists[number], number, ranks);
            found[number] = device.kind == DeviceKind::cpu ? "cpu" : "cuda:" + std::to_string(device.index);
        } catch (const EnvironmentError& error) {
            found[number] = error.what();
        }
    });
    return found;
}

TEST(ChooseDeviceOfRank, RanksTakeTheDevicesInTurn) {
    using Names = std::vector<std::string>;
    const DeviceList two{{gpu(0, 132, 50), gpu(1, 132, 50)}, ""};
    EXPECT_EQ(chosen({DeviceKind::automatic, 0}, {two, two, two}), (Names{"cuda:0", "cuda:1", "cuda:0"}));
    EXPECT_EQ(chosen({DeviceKind::cuda, 1}, {two, two, two}), (Names{"cuda:1", "cuda:0", "cuda:1"}));
    EXPECT_EQ(chosen({DeviceKind::cpu, 0}, {two, two}), (Names{"cpu", "cpu"}));
    const DeviceList nothing{{}, "no driver"};
    EXPECT_EQ(chosen({DeviceKind::automatic, 0}, {nothing, nothing}), (Names{"cpu", "cpu"}));
}

TEST(ChooseDeviceOfRank, WhereOneHasNoneAllRefuseInTheSameWords) {
    const DeviceList one{{gpu(0, 132, 50)}, ""};
    const DeviceList nothing{{}, "no driver"};
    const DeviceList busy{{}, "all busy", {{0, "H200", "another process has it"}}};
    struct Refusal {
        DeviceKind asked;
        std::vector<DeviceList> lists;
        std::string said;
    };
    for (const Refusal& refusal : {Refusal{DeviceKind::automatic, {one, nothing, one}, "rank 1"},
                                   Refusal{DeviceKind::automatic, {one, nothing}, "no driver"},
                                   Refusal{DeviceKind::automatic, {nothing, nothing, busy}, "rank 0"},
                                   Refusal{DeviceKind::automatic,
                                           {busy, one},
                                           "cuda:0 (H200) cannot be used: "
                                           "another process has it"},
                                   Refusal{DeviceKind::cuda, {nothing, nothing}, "--device cpu"}}) {
        const std::vector<std::string> found = chosen({refusal.asked, 0}, refusal.lists);
        for (const std::string& words : found) {
            EXPECT_EQ(words, found.front());
            EXPECT_NE(words.find(refusal.said), std::string::npos) << words;
        }
    }
}

BatchJob job_of(std::map<std::string, std::string> variables) {
    return find_batch_job([&](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return {};
        return found->second;
    });
}

TEST(BatchJob, IsKnownByWhatItsSchedulerSets) {
    EXPECT_EQ(job_of({}).id, "");
    EXPECT_EQ(job_of({{"SLURM_CPUS_PER_TASK", "3"}}).cpus, std::nullopt) << "a variable that was left over";
    const BatchJob slurm = job_of({{"SLURM_JOB_ID", "1234"}, {"SLURM_CPUS_PER_TASK", "3"}});
    EXPECT_EQ(slurm.scheduler, "slurm");
    EXPECT_EQ(slurm.id, "1234");
    EXPECT_EQ(slurm.cpus, 3);
    const BatchJob task =
        job_of({{"SLURM_JOB_ID", "1240"}, {"SLURM_ARRAY_JOB_ID", "1234"}, {"SLURM_ARRAY_TASK_ID", "7"}});
    EXPECT_EQ(task.id, "1234_7") << "as scontrol and scancel take it";
    EXPECT_EQ(task.array_task, "7");
    EXPECT_EQ(slurm.array_task, "");
    EXPECT_EQ(task.cpus, std::nullopt);
    const BatchJob pbs = job_of({{"PBS_JOBID", "12[7].server"}, {"NCPUS", "16"}});
    EXPECT_EQ(pbs.scheduler, "pbs");
    EXPECT_EQ(pbs.id, "12[7].server");
    EXPECT_EQ(pbs.cpus, 16);
    for (const char* text : {"", "0", "-2", "2x", "99999999999"})
        EXPECT_EQ(job_of({{"SLURM_JOB_ID", "1"}, {"SLURM_CPUS_PER_TASK", text}}).cpus, std::nullopt) << text;
}

TEST(BatchJob, LimitsTheThreadsThatAutoTakes) {
    const int processors = automatic_threads({});
    EXPECT_GE(processors, 1);
    EXPECT_EQ(automatic_threads({"slurm", "1", 1}), 1);
    EXPECT_EQ(automatic_threads({"slurm", "1", 100000}), processors);
}

}  // namespace
}  // namespace mpcflow
