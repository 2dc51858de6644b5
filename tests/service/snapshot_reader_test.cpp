#include <kcontrol/service/endpoints.hpp>
#include <kcontrol/service/snapshot_reader.hpp>

#include "support/heap_bytes.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace kcontrol;
using service::endpoint;
using service::endpoint_list;
using service::endpoints_reader;
using service::endpoints_snapshot;

// All its endpoints have the version as their port: a snapshot that is not whole would show.
std::shared_ptr<const endpoints_snapshot> make(std::uint64_t version) {
    endpoint_list::storage all;
    for (int i = 0; i < 3; ++i) {
        endpoint one;
        one.address = "10.0.0." + std::to_string(i);
        one.port = static_cast<std::uint16_t>(version & 0xFFFF);
        all.push_back(std::make_shared<const endpoint>(std::move(one)));
    }
    auto out = std::make_shared<endpoints_snapshot>();
    out->version = version;
    out->endpoints = endpoint_list(std::move(all));
    return out;
}

using cell = service::detail::published<endpoints_snapshot>;

}  // namespace

TEST_CASE("snapshot_reader: reads the newest, and holds what it has read") {
    const auto of = std::make_shared<cell>(make(0));
    endpoints_reader reader(of);
    CHECK(reader.read()->version == 0);
    const auto held = reader.read();
    of->set(make(7));
    CHECK(reader.read()->version == 7);
    CHECK(held->version == 0);
    CHECK(held->endpoints.size() == 3);
    const std::weak_ptr<const endpoints_snapshot> last = reader.read();
    of->set(make(8));
    CHECK_FALSE(last.expired());  // until the reader reads again
    (void)reader.read();
    CHECK(last.expired());
}

TEST_CASE("snapshot_reader: a read without a change allocates nothing") {
    const auto of = std::make_shared<cell>(make(1));
    endpoints_reader reader(of);
    std::size_t sum = reader.read()->endpoints.size();
    const std::size_t before = test::heap_bytes();
    for (int i = 0; i < 1000; ++i) sum += reader.read()->endpoints.size();
    CHECK(test::heap_bytes() == before);
    CHECK(sum == 3003);
}

TEST_CASE("snapshot_reader: eight threads read while a ninth writes") {
    const auto of = std::make_shared<cell>(make(1));
    constexpr std::uint64_t last = 20'000;
    std::atomic<int> wrong{0};
    std::vector<std::thread> readers;  // seam: ok, readers on threads are what is tested
    for (int i = 0; i < 8; ++i) {
        readers.emplace_back([&] {
            endpoints_reader reader(of);
            std::uint64_t seen = 0;
            while (seen < last) {
                const std::uint64_t at_least = of->version();
                const auto& now = *reader.read();
                const bool whole = now.endpoints.size() == 3 && now.endpoints[0].port == now.version % 65536 &&
                                   now.endpoints[2].port == now.version % 65536;
                if (now.version < seen || now.version < at_least || !whole) ++wrong;
                seen = now.version;
            }
        });
    }
    for (std::uint64_t version = 2; version <= last; ++version) of->set(make(version));
    for (auto& one : readers) one.join();
    CHECK(wrong == 0);
}
