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
    {"srd_free_walls_z_double", 0xd7b456ed6213eb45},
    {"srd_free_walls_z_mixed", 0x3d80850198d2e8cb},
    {"srd_free_walls_yz_double", 0x6c0461a182ad3d89},
    {"srd_free_walls_yz_mixed", 0x0ebd7cd6977e74de},
    {"srd_thermostat_periodic_double", 0x72748c5ad01af3e1},
    {"srd_thermostat_periodic_mixed", 0x1060086dc8357f52},
    {"srd_thermostat_walls_z_double", 0x7c12940872d71d84},
    {"srd_thermostat_walls_z_mixed", 0xd2db2cd1d0612be0},
    {"srd_thermostat_walls_yz_double", 0x4755b14da61606c5},
    {"srd_thermostat_walls_yz_mixed", 0x21946d82b03899e4},
    {"srd_angular_free_periodic_double", 0x9a581aae3c8d43e3},
    {"srd_angular_free_periodic_mixed", 0xc3312cccabb6708d},
    {"srd_angular_free_walls_z_double", 0x68fbb7c339faa869},
    {"srd_angular_free_walls_z_mixed", 0x7be8e05b02b0f9ff},
    {"srd_angular_free_walls_yz_double", 0x438b89e5f338ca92},
    {"srd_angular_free_walls_yz_mixed", 0x7a0d2b9b485b5a8f},
    {"srd_angular_thermostat_periodic_double", 0x2e0de0430c24e3d2},
    {"srd_angular_thermostat_periodic_mixed", 0x0b56c7c14c3e97b3},
    {"srd_angular_thermostat_walls_z_double", 0x132c36195af423c8},
    {"srd_angular_thermostat_walls_z_mixed", 0x4718ab76a79935b4},
    {"srd_angular_thermostat_walls_yz_double", 0xe4a066f794568e0a},
    {"srd_angular_thermostat_walls_yz_mixed", 0x7f71f0dc70876dcd},
}};

}  // namespace mpcflow::test
