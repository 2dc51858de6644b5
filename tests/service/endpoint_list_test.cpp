#include <kcontrol/service/endpoints_snapshot.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace kcontrol::service;

static_assert(std::random_access_iterator<endpoint_list::iterator>);

endpoint_list::storage ports(int from, int to) {
    endpoint_list::storage out;
    for (int port = from; port < to; ++port) {
        endpoint one;
        one.address = "10.0.0.1";
        one.port = static_cast<std::uint16_t>(port);
        out.push_back(std::make_shared<const endpoint>(std::move(one)));
    }
    return out;
}

std::vector<std::uint16_t> ports_of(const endpoint_list& list) {
    std::vector<std::uint16_t> out;
    for (const endpoint& one : list) out.push_back(one.port);
    return out;
}

}  // namespace

TEST_CASE("endpoint_list: an empty list") {
    const endpoint_list none;
    CHECK(none.empty());
    CHECK(none.size() == 0);
    CHECK(none.begin() == none.end());
    CHECK(none.end() - none.begin() == 0);
    CHECK(endpoint_list::iterator() == endpoint_list::iterator());
    CHECK(endpoint_list(endpoint_list::storage()) == none);
    CHECK(endpoint_list(endpoint_list::storage()).parts().empty());
}

TEST_CASE("endpoint_list: of any size it is the range that it was made of") {
    for (const int size : {1, 2, 63, 64, 65, 127, 128, 129, 1000}) {
        CAPTURE(size);
        const endpoint_list list(ports(0, size));
        REQUIRE(list.size() == static_cast<std::size_t>(size));
        CHECK_FALSE(list.empty());
        CHECK(list.end() - list.begin() == size);
        std::size_t held = 0;
        for (const auto& part : list.parts()) {
            CHECK_FALSE(part->empty());
            CHECK(part->size() <= 64);
            held += part->size();
        }
        CHECK(held == list.size());
        const auto forward = ports_of(list);
        auto at = list.end();
        for (int i = 0; i < size; ++i) {
            const auto index = static_cast<std::size_t>(i);
            CHECK(forward[index] == i);
            CHECK(list[index].port == i);
            CHECK(list.begin()[i].port == i);
            CHECK((list.end() - (size - i))->port == i);
            CHECK((list.begin() + i) - list.begin() == i);
            CHECK((--at)->port == size - 1 - i);
        }
        CHECK(at == list.begin());
        CHECK(list.begin() + size == list.end());
        const auto found = std::lower_bound(list.begin(), list.end(), size / 2,
                                            [](const endpoint& e, int port) { return e.port < port; });
        CHECK(found - list.begin() == size / 2);
    }
}

TEST_CASE("endpoint_list: steps over parts, forward and back") {
    const endpoint_list list(ports(0, 200));
    auto at = list.begin();
    CHECK((at++)->port == 0);
    CHECK(at->port == 1);
    at += 150;
    CHECK(at->port == 151);
    at -= 100;
    CHECK(at->port == 51);
    CHECK((at--)->port == 51);
    CHECK(at->port == 50);
    CHECK((2 + at)->port == 52);
    CHECK(at < list.end());
    CHECK(list.begin() < at);
}

TEST_CASE("endpoint_list: equal are lists of equal endpoints, however they are divided") {
    const auto all = ports(0, 100);
    const endpoint_list whole(all);
    endpoint_list pieces;
    pieces.append(endpoint_list::storage(all.begin(), all.begin() + 10));
    pieces.append(endpoint_list::storage());
    pieces.append(endpoint_list::storage(all.begin() + 10, all.end()));
    CHECK(pieces.parts().size() != whole.parts().size());
    CHECK(pieces == whole);
    CHECK(endpoint_list(ports(0, 100)) == whole);  // other objects, equal values
    CHECK_FALSE(endpoint_list(ports(0, 99)) == whole);
    CHECK_FALSE(endpoint_list(ports(1, 101)) == whole);
    endpoint_list shared;
    for (const auto& part : whole.parts()) shared.append(part);
    CHECK(shared == whole);
}
