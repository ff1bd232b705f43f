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

inline constexpr std::array<GoldenHash, 100> golden_hashes{{
    {"srd_free_periodic_double", 0x5c24e138a505b089},
    {"srd_free_periodic_mixed", 0x5a2e064b5d990838},
    {"srd_free_walls_z_double", 0xd7b456ed6213eb45},
    {"srd_free_walls_z_mixed", 0xca8352c60820fa12},
    {"srd_free_walls_yz_double", 0x6c0461a182ad3d89},
    {"srd_free_walls_yz_mixed", 0xe69db5cdecd5c77f},
    {"srd_thermostat_periodic_double", 0x233bf6f3bf3ce099},
    {"srd_thermostat_periodic_mixed", 0x2e3675172858a854},
    {"srd_thermostat_walls_z_double", 0x034dffa8d91d547e},
    {"srd_thermostat_walls_z_mixed", 0xdb642a09a4c682c3},
    {"srd_thermostat_walls_yz_double", 0x3032d6207784ab58},
    {"srd_thermostat_walls_yz_mixed", 0xfd3f68cd9e6a3a7f},
    {"srd_angular_free_periodic_double", 0x9a581aae3c8d43e3},
    {"srd_angular_free_periodic_mixed", 0x36c1f23d9cfd808e},
    {"srd_angular_free_walls_z_double", 0x68fbb7c339faa869},
    {"srd_angular_free_walls_z_mixed", 0x085ff34ebc8980b1},
    {"srd_angular_free_walls_yz_double", 0x438b89e5f338ca92},
    {"srd_angular_free_walls_yz_mixed", 0x4dfa4e07f0d1d971},
    {"srd_angular_thermostat_periodic_double", 0xcd8ecbc8240d42b9},
    {"srd_angular_thermostat_periodic_mixed", 0x632ccdd36ad0f988},
    {"srd_angular_thermostat_walls_z_double", 0xc19ff23b8806dd89},
    {"srd_angular_thermostat_walls_z_mixed", 0x1b441a35d0722025},
    {"srd_angular_thermostat_walls_yz_double", 0x06cb91a803d66134},
    {"srd_angular_thermostat_walls_yz_mixed", 0x9eea5e4409da0bd8},
    {"at_free_periodic_double", 0xdeed23a2df15afd4},
    {"at_free_periodic_mixed", 0xf1a1c55d9059651e},
    {"at_free_walls_z_double", 0xcf9eb82691360e4d},
    {"at_free_walls_z_mixed", 0x35c1659a20fb6f82},
    {"at_free_walls_yz_double", 0x31055e6bc8345427},
    {"at_free_walls_yz_mixed", 0x5fb2d2029784f58e},
    {"at_angular_free_periodic_double", 0x60531503df0ace86},
    {"at_angular_free_periodic_mixed", 0xcf43d0071d1310ec},
    {"at_angular_free_walls_z_double", 0x75dc3f43e3bc3047},
    {"at_angular_free_walls_z_mixed", 0x07f01372ceca07cc},
    {"at_angular_free_walls_yz_double", 0x5dbcf568b26a2c66},
    {"at_angular_free_walls_yz_mixed", 0x9cc020885aa02a22},
    {"srd_mixture_walls_z_double", 0x5c36344d53d522e2},
    {"srd_mixture_walls_z_mixed", 0x63fb5677249307fa},
    {"srd_angular_mixture_walls_z_double", 0x9bd4b3fc94b2d878},
    {"srd_angular_mixture_walls_z_mixed", 0xbc405ae93de5b6c4},
    {"at_mixture_walls_z_double", 0xeb68537e644649d3},
    {"at_mixture_walls_z_mixed", 0xf606db436e4f6072},
    {"at_angular_mixture_walls_z_double", 0xfab76d0f1908b06c},
    {"at_angular_mixture_walls_z_mixed", 0x433562a2eef2bffa},
    {"srd_free_moving_yz_double", 0xa879a4750c24ebad},
    {"srd_free_moving_yz_mixed", 0x0c150ed4188d9f07},
    {"srd_angular_thermostat_moving_yz_double", 0x2c033126c3d7ea2b},
    {"srd_angular_thermostat_moving_yz_mixed", 0x73b70a24facf2000},
    {"srd_free_slip_z_double", 0xc65ddadc1ed3ab1e},
    {"srd_free_slip_z_mixed", 0x46c133c88d7e9b73},
    {"srd_angular_thermostat_slip_yz_double", 0xcbb62e9dfdf5584f},
    {"srd_angular_thermostat_slip_yz_mixed", 0xcca80e999d8e5a5b},
    {"srd_monte_carlo_moving_z_double", 0x64b422b7fe07466f},
    {"srd_monte_carlo_moving_z_mixed", 0x884e0d6264471f4b},
    {"srd_angular_simple_periodic_double", 0x75ac16be85610044},
    {"srd_angular_simple_periodic_mixed", 0xd603c74d98d66ab7},
    {"srd_free_sheared_y_double", 0x456a800c11cf5b06},
    {"srd_free_sheared_y_mixed", 0x8110a11cad95ecc1},
    {"srd_thermostat_sheared_z_double", 0x0321f6841201f993},
    {"srd_thermostat_sheared_z_mixed", 0xc505858c3cb9955a},
    {"srd_monte_carlo_sheared_slip_double", 0x2190e4a76fb7b0b1},
    {"srd_monte_carlo_sheared_slip_mixed", 0x59755693d8295bda},
    {"srd_angular_thermostat_sheared_x_double", 0x26b392814fedbb22},
    {"srd_angular_thermostat_sheared_x_mixed", 0x8ba4baadbcc39539},
    {"at_free_sheared_y_double", 0xe70cab62a772594c},
    {"at_free_sheared_y_mixed", 0x5928a670e23734fc},
    {"at_angular_free_sheared_z_double", 0x670224d56ea3a54f},
    {"at_angular_free_sheared_z_mixed", 0xfedc4e2c9504c800},
    {"srd_thermostat_waves_double", 0x47301fff534b4250},
    {"srd_thermostat_waves_mixed", 0x6c82c2aa05aa9f5e},
    {"at_angular_free_forces_walls_z_double", 0x36e7f8f576a2b621},
    {"at_angular_free_forces_walls_z_mixed", 0xe90a3c7452cf2a06},
    {"srd_free_thermal_z_double", 0x0739af46c16d3e3c},
    {"srd_free_thermal_z_mixed", 0x725546059824927d},
    {"srd_free_lattice_walls_z_double", 0x23469ac8e0812e44},
    {"srd_free_lattice_walls_z_mixed", 0x13a16d936ede32ef},
    {"srd_angular_thermostat_lattice_mixture_sheared_y_double", 0x7a542cb1794c5801},
    {"srd_angular_thermostat_lattice_mixture_sheared_y_mixed", 0x7125afa70b4df82e},
    {"srd_free_pipe_double", 0x6383e81f2b520795},
    {"srd_free_pipe_mixed", 0x57d21c91d740e2f5},
    {"srd_thermostat_overlapping_double", 0x40d962b7408db0b3},
    {"srd_angular_thermostat_on_a_floor_double", 0x99bde284a3d39eb9},
    {"srd_angular_thermostat_on_a_floor_mixed", 0xb36b06c1399486f2},
    {"at_angular_free_annulus_double", 0x6fbe4b3dd0ac2ce1},
    {"at_free_lens_mixed", 0x88490e440ca3224b},
    {"srd_schedule_walls_yz", 0xdae35ada4f533b4e},
    {"srd_angular_schedule_walls_yz", 0x323b2970606c83a1},
    {"at_schedule_walls_yz", 0x60b31f5c5d712917},
    {"at_angular_schedule_walls_yz", 0x1dd14bb0f4e96c85},
    {"at_schedule_periodic", 0xba589f52522964cb},
    {"at_angular_schedule_periodic", 0x21407e7a5b6afe90},
    {"srd_angular_schedule_among_surfaces", 0x709549b08e804cd1},
    {"srd_thermostat_stream_walls_z_double", 0x064771e41e112b36},
    {"at_free_stream_among_surfaces_mixed", 0x5079cf6aa85c7d9c},
    {"srd_angular_thermostat_stream_among_surfaces_double", 0x872b94f1c947952b},
    {"at_angular_free_mixture_stream_walls_z_mixed", 0x6e81be409a6fe45c},
    {"srd_angular_thermostat_mixture_pipe_double", 0xe3a1c6cf71749508},
    {"srd_thermostat_waves_sphere_double", 0x588225618527a075},
    {"srd_angular_thermostat_mixture_pipe_mixed", 0x01a660ece600ebf7},
    {"srd_thermostat_waves_sphere_mixed", 0x405afc2a559c5b1c},
}};

}  // namespace mpcflow::test
