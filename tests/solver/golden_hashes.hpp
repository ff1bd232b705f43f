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
    {"at_free_periodic_double", 0xa915aedd83a86f45},
    {"at_free_periodic_mixed", 0x014921cb876e2812},
    {"at_free_walls_z_double", 0x450d05335a6da64d},
    {"at_free_walls_z_mixed", 0x3c4ab6e7245ba8e2},
    {"at_free_walls_yz_double", 0x833e2b2e3a5ebf87},
    {"at_free_walls_yz_mixed", 0x15f0e43f4eb21119},
    {"at_angular_free_periodic_double", 0x5f2962a4abbdaf73},
    {"at_angular_free_periodic_mixed", 0x5060622cb02c4495},
    {"at_angular_free_walls_z_double", 0x0e56a00489bda169},
    {"at_angular_free_walls_z_mixed", 0x61124de3d6e99d89},
    {"at_angular_free_walls_yz_double", 0x2dcf1018951d8ce0},
    {"at_angular_free_walls_yz_mixed", 0xa63b460272f09618},
    {"srd_mixture_walls_z_double", 0xbe3a3846f0647f4e},
    {"srd_mixture_walls_z_mixed", 0xa69b5a61b3b57d0d},
    {"srd_angular_mixture_walls_z_double", 0x3e9686a708ba08f2},
    {"srd_angular_mixture_walls_z_mixed", 0x6bb3220142ce7fb9},
    {"at_mixture_walls_z_double", 0xa50cbd08d8d5884a},
    {"at_mixture_walls_z_mixed", 0xff1a32ddeb8f92e4},
    {"at_angular_mixture_walls_z_double", 0x77665a01c054193a},
    {"at_angular_mixture_walls_z_mixed", 0xe386066a79ec4fae},
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
    {"at_free_sheared_y_double", 0xf2863c484520ed72},
    {"at_free_sheared_y_mixed", 0xe8c708dd007193a7},
    {"at_angular_free_sheared_z_double", 0xd3639c07d2b2f693},
    {"at_angular_free_sheared_z_mixed", 0x66416dd24290f190},
    {"srd_thermostat_waves_double", 0xddf1b4a325aedc21},
    {"srd_thermostat_waves_mixed", 0x56668bdffdca3172},
    {"at_angular_free_forces_walls_z_double", 0xfce98f8590e3154f},
    {"at_angular_free_forces_walls_z_mixed", 0x914bb70fa2ec4f6e},
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
    {"at_angular_free_annulus_double", 0xed7bcf2a2d341aaa},
    {"at_free_lens_mixed", 0xd0664a3a09982764},
    {"srd_schedule_walls_yz", 0xab316269c661ca2d},
    {"srd_angular_schedule_walls_yz", 0x2c21f36bceb5372a},
    {"at_schedule_walls_yz", 0x5282ff673d168890},
    {"at_angular_schedule_walls_yz", 0x850cb4185d5c85a6},
    {"srd_angular_schedule_among_surfaces", 0xedef720958cb3d14},
    {"srd_thermostat_stream_walls_z_double", 0x46885e49c33053b0},
    {"at_free_stream_among_surfaces_mixed", 0x9bed99bda97d5157},
    {"srd_angular_thermostat_stream_among_surfaces_double", 0x65d42bd2c2a7f7e9},
    {"at_angular_free_mixture_stream_walls_z_mixed", 0x5bb1891e0750b35b},
    {"srd_angular_thermostat_mixture_pipe_double", 0x4bd3019d543c09b3},
    {"srd_thermostat_waves_sphere_double", 0xe17998651e0302ff},
    {"srd_angular_thermostat_mixture_pipe_mixed", 0x9bae4c0e15897ba4},
    {"srd_thermostat_waves_sphere_mixed", 0x1905a2c35490d531},
}};

}  // namespace mpcflow::test
