#include <gtest/gtest.h>

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

}  // namespace
}  // namespace mpcflow
