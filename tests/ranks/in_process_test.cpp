/// Domains that are threads.

#include <gtest/gtest.h>

#include "physics/domain/in_process.hpp"
#include "tests/ranks/exchange_checks.hpp"

namespace mpcflow::test {
namespace {

TEST(InProcess, exchanges) {
    for (const int domains : {1, 2, 3, 5})
        InProcess(domains).run([&](int number, Exchange& exchange) {
            EXPECT_EQ(exchange.number(), number);
            EXPECT_EQ(exchange.count(), domains);
            check_exchange(exchange);
        });
}

}  // namespace
}  // namespace mpcflow::test
