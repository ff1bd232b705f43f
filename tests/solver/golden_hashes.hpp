#pragma once
/// The state hashes that the runs of same_bits_test.cpp end with, on every machine.
///
/// They change only where the definition of a run changes: a law, a random stream, a rounding grid, the
/// record of a particle. Such a change is one that users see (their runs are no longer repeated bit for
/// bit), so it is made on purpose and written into CHANGELOG.md. To write the table anew:
///
///   same_bits_test --gtest_filter='*state_hash_is_golden/host*' | grep -o '{"srd.*'

#include <array>
#include <cstdint>
#include <string_view>

namespace mpcflow::test {

struct GoldenHash {
    std::string_view name;  ///< law, thermostat, boundaries, precision
    std::uint64_t hash;
};

inline constexpr std::array<GoldenHash, 24> golden_hashes{{
    {"srd_free_periodic_double", 0x5c24e138a505b089},
    {"srd_free_periodic_mixed", 0xfca201ef369b219c},
    {"srd_free_walls_z_double", 0xdc6735a3f996f9fb},
    {"srd_free_walls_z_mixed", 0xddcca01091a2ec01},
    {"srd_free_walls_yz_double", 0x9387f057a8df2445},
    {"srd_free_walls_yz_mixed", 0xaf171b7667e0e8b3},
    {"srd_thermostat_periodic_double", 0x72748c5ad01af3e1},
    {"srd_thermostat_periodic_mixed", 0x1060086dc8357f52},
    {"srd_thermostat_walls_z_double", 0x5f5e77121c1c2c13},
    {"srd_thermostat_walls_z_mixed", 0x3f324dc7aff80cdd},
    {"srd_thermostat_walls_yz_double", 0x9f6372d065af7ad9},
    {"srd_thermostat_walls_yz_mixed", 0xac87b1983549e883},
    {"srd_angular_free_periodic_double", 0x9a581aae3c8d43e3},
    {"srd_angular_free_periodic_mixed", 0xc3312cccabb6708d},
    {"srd_angular_free_walls_z_double", 0xfbbbbffd12a5353b},
    {"srd_angular_free_walls_z_mixed", 0xcf2d192d575a5dc1},
    {"srd_angular_free_walls_yz_double", 0x68f5213398746b50},
    {"srd_angular_free_walls_yz_mixed", 0x3d4b7c5cad28627c},
    {"srd_angular_thermostat_periodic_double", 0x2e0de0430c24e3d2},
    {"srd_angular_thermostat_periodic_mixed", 0x0b56c7c14c3e97b3},
    {"srd_angular_thermostat_walls_z_double", 0x42b96afadcfb77c9},
    {"srd_angular_thermostat_walls_z_mixed", 0xb2dfd6f8355f6f3c},
    {"srd_angular_thermostat_walls_yz_double", 0x55dd473422f24675},
    {"srd_angular_thermostat_walls_yz_mixed", 0x21ec581951b3a8bd},
}};

}  // namespace mpcflow::test
