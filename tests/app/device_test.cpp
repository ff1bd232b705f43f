#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "app/machine/batch_job.hpp"
#include "app/machine/device.hpp"
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
