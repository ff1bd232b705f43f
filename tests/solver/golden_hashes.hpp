#pragma once
/// The state hashes that the runs of same_bits_test.cpp end with, on every machine.
///
/// They change only where the definition of a run changes: a law, a random stream, a rounding grid, the
/// record of a particle. Such a change is one that users see (their runs are no longer repeated bit for
/// bit), so it is made on purpose and written into CHANGELOG.md. To write the table anew:
///
///   same_bits_test --gtest_filter='*state_hash_is_golden/host*' | grep -o '{"[as].*'

#include <array>
#include <cstdint>
#include <string_view>

namespace mpcflow::test {

struct GoldenHash {
    std::string_view name;  ///< law, thermostat, boundaries, precision
    std::uint64_t hash;
};

inline constexpr std::array<GoldenHash, 98> golden_hashes{{
    {"srd_free_periodic_double", 0x5c24e138a505b089},
    {"srd_free_periodic_mixed", 0x5a2e064b5d990838},
    {"srd_free_walls_z_double", 0xd7b456ed6213eb45},
    {"srd_free_walls_z_mixed", 0xca8352c60820fa12},
    {"srd_free_walls_yz_double", 0x6c0461a182ad3d89},
    {"srd_free_walls_yz_mixed", 0xe69db5cdecd5c77f},
    {"srd_thermostat_periodic_double", 0x72748c5ad01af3e1},
    {"srd_thermostat_periodic_mixed", 0x3ab0c8bc1578d662},
    {"srd_thermostat_walls_z_double", 0x7c12940872d71d84},
    {"srd_thermostat_walls_z_mixed", 0xecfe4c7a61031007},
    {"srd_thermostat_walls_yz_double", 0x4755b14da61606c5},
    {"srd_thermostat_walls_yz_mixed", 0x61750f557853435b},
    {"srd_angular_free_periodic_double", 0x9a581aae3c8d43e3},
    {"srd_angular_free_periodic_mixed", 0x36c1f23d9cfd808e},
    {"srd_angular_free_walls_z_double", 0x68fbb7c339faa869},
    {"srd_angular_free_walls_z_mixed", 0x085ff34ebc8980b1},
    {"srd_angular_free_walls_yz_double", 0x438b89e5f338ca92},
    {"srd_angular_free_walls_yz_mixed", 0x4dfa4e07f0d1d971},
    {"srd_angular_thermostat_periodic_double", 0xb9580ef3163059e1},
    {"srd_angular_thermostat_periodic_mixed", 0x092eda148be88fc1},
    {"srd_angular_thermostat_walls_z_double", 0x652d7c2c5b695626},
    {"srd_angular_thermostat_walls_z_mixed", 0x2b62019a4af6c818},
    {"srd_angular_thermostat_walls_yz_double", 0x2a402e59fa412d56},
    {"srd_angular_thermostat_walls_yz_mixed", 0x846a74d2e0793aec},
    {"at_free_periodic_double", 0xb1588635d8cb8975},
    {"at_free_periodic_mixed", 0x055d7f775bfddcde},
    {"at_free_walls_z_double", 0x72eb2f7bd331d147},
    {"at_free_walls_z_mixed", 0x35c1659a20fb6f82},
    {"at_free_walls_yz_double", 0xe5c2590d11a9f896},
    {"at_free_walls_yz_mixed", 0x52f00d7710e59ac2},
    {"at_angular_free_periodic_double", 0x43efbf49ef2d85d1},
    {"at_angular_free_periodic_mixed", 0x5bf2cbfd1b23f7d7},
    {"at_angular_free_walls_z_double", 0x9536b53f296d022d},
    {"at_angular_free_walls_z_mixed", 0x6bfb8631f075977f},
    {"at_angular_free_walls_yz_double", 0xe6eeb62ffda82c9a},
    {"at_angular_free_walls_yz_mixed", 0x945713da3ddf01a3},
    {"srd_mixture_walls_z_double", 0xbe3a3846f0647f4e},
    {"srd_mixture_walls_z_mixed", 0xa69b5a61b3b57d0d},
    {"srd_angular_mixture_walls_z_double", 0x3e9686a708ba08f2},
    {"srd_angular_mixture_walls_z_mixed", 0x6bb3220142ce7fb9},
    {"at_mixture_walls_z_double", 0x83e8e679d7cb33cc},
    {"at_mixture_walls_z_mixed", 0x2cdc253d77413464},
    {"at_angular_mixture_walls_z_double", 0x0542b742ac730699},
    {"at_angular_mixture_walls_z_mixed", 0x5c2813254d1578c0},
    {"srd_free_moving_yz_double", 0xa879a4750c24ebad},
    {"srd_free_moving_yz_mixed", 0x0c150ed4188d9f07},
    {"srd_angular_thermostat_moving_yz_double", 0x3d4001ac8aefb428},
    {"srd_angular_thermostat_moving_yz_mixed", 0xdd148523fd606ca4},
    {"srd_free_slip_z_double", 0xc65ddadc1ed3ab1e},
    {"srd_free_slip_z_mixed", 0x46c133c88d7e9b73},
    {"srd_angular_thermostat_slip_yz_double", 0xe65615f973688a48},
    {"srd_angular_thermostat_slip_yz_mixed", 0xb6ac4b6b3e6f77c2},
    {"srd_monte_carlo_moving_z_double", 0x64b422b7fe07466f},
    {"srd_monte_carlo_moving_z_mixed", 0x7b9b00e1e1859afa},
    {"srd_angular_simple_periodic_double", 0x0a5843ed94653aee},
    {"srd_angular_simple_periodic_mixed", 0xd52f34c6e6e4a9cc},
    {"srd_free_sheared_y_double", 0x456a800c11cf5b06},
    {"srd_free_sheared_y_mixed", 0x8110a11cad95ecc1},
    {"srd_thermostat_sheared_z_double", 0xce8a7f81ce913629},
    {"srd_thermostat_sheared_z_mixed", 0x90047dfa92cef6ce},
    {"srd_monte_carlo_sheared_slip_double", 0x2190e4a76fb7b0b1},
    {"srd_monte_carlo_sheared_slip_mixed", 0x247594bef2434133},
    {"srd_angular_thermostat_sheared_x_double", 0x4e56c2a894a4242f},
    {"srd_angular_thermostat_sheared_x_mixed", 0x4099f29a613c71da},
    {"at_free_sheared_y_double", 0xa762eb39af261d4c},
    {"at_free_sheared_y_mixed", 0x11a21523a55b44e9},
    {"at_angular_free_sheared_z_double", 0x473581a403d668c3},
    {"at_angular_free_sheared_z_mixed", 0xe2b359a1dddcdc0f},
    {"srd_thermostat_waves_double", 0xddf1b4a325aedc21},
    {"srd_thermostat_waves_mixed", 0x56668bdffdca3172},
    {"at_angular_free_forces_walls_z_double", 0x67a68370705251fe},
    {"at_angular_free_forces_walls_z_mixed", 0x4fc821660d6997c2},
    {"srd_free_thermal_z_double", 0x0739af46c16d3e3c},
    {"srd_free_thermal_z_mixed", 0x725546059824927d},
    {"srd_free_lattice_walls_z_double", 0x23469ac8e0812e44},
    {"srd_free_lattice_walls_z_mixed", 0x13a16d936ede32ef},
    {"srd_angular_thermostat_lattice_mixture_sheared_y_double", 0x75f3f9f4de3a42be},
    {"srd_angular_thermostat_lattice_mixture_sheared_y_mixed", 0xe589fc13e2636474},
    {"srd_free_pipe_double", 0x6383e81f2b520795},
    {"srd_free_pipe_mixed", 0x57d21c91d740e2f5},
    {"srd_thermostat_overlapping_double", 0xd8febdaa36f1565b},
    {"srd_angular_thermostat_on_a_floor_double", 0x0d501c71ab75bc3a},
    {"srd_angular_thermostat_on_a_floor_mixed", 0x80f0178cf7636ac7},
    {"at_angular_free_annulus_double", 0x0118b0700e04a16c},
    {"at_free_lens_mixed", 0xfcc8ea35b10de840},
    {"srd_schedule_walls_yz", 0xab316269c661ca2d},
    {"srd_angular_schedule_walls_yz", 0x2c21f36bceb5372a},
    {"at_schedule_walls_yz", 0xe51cd5cfa698fcbb},
    {"at_angular_schedule_walls_yz", 0x9dff22b8e3a0f760},
    {"srd_angular_schedule_among_surfaces", 0xedef720958cb3d14},
    {"srd_thermostat_stream_walls_z_double", 0x46885e49c33053b0},
    {"at_free_stream_among_surfaces_mixed", 0x3f72f283a3392778},
    {"srd_angular_thermostat_stream_among_surfaces_double", 0x65d42bd2c2a7f7e9},
    {"at_angular_free_mixture_stream_walls_z_mixed", 0x6297c5a6c1995f7d},
    {"srd_angular_thermostat_mixture_pipe_double", 0x4bd3019d543c09b3},
    {"srd_thermostat_waves_sphere_double", 0xe17998651e0302ff},
    {"srd_angular_thermostat_mixture_pipe_mixed", 0x9bae4c0e15897ba4},
    {"srd_thermostat_waves_sphere_mixed", 0x1905a2c35490d531},
}};

}  // namespace mpcflow::test
