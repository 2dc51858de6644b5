#include <kcontrol/base/fnv1a.hpp>
#include <kcontrol/model/shard_selector.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using by = shard_selector::by;

object_meta meta_of(const std::string& ns, const std::string& uid) {
    object_meta out;
    out.name = "x";
    out.namespace_ = ns;
    out.uid = uid;
    return out;
}

TEST_CASE("shard selector: the hash is the server's") {
    // Vectors of draft-eastlake-fnv, appendix C.
    CHECK(fnv1a().value() == 0xcbf29ce484222325U);
    CHECK(fnv1a().add("a").value() == 0xaf63dc4c8601ec8cU);
    CHECK(fnv1a().add("foobar").value() == 0x85944171f73967e8U);
    const auto around =
        shard_selector::parse("shardRange(object.metadata.uid, '0x85944171f73967e8', '0x85944171f73967e9')").value();
    CHECK(around.selects_value("foobar"));
    CHECK_FALSE(around.selects_value("foobaz"));
    CHECK(around.selects(meta_of("a", "foobar")));
    CHECK_FALSE(around.selects(meta_of("foobar", "a")));
}

TEST_CASE("shard selector: equal parts have each object once, and print what they read") {
    for (const std::size_t count : {1U, 2U, 3U, 7U, 8U, 1000U, 65536U}) {
        CAPTURE(count);
        std::vector<shard_selector> parts;
        for (std::size_t i = 0; i<count; i += count> 1000 ? 4095 : 1) {
            parts.push_back(shard_selector::part(by::uid, i, count).value());
            CHECK(shard_selector::parse(parts.back().to_string()).value() == parts.back());
        }
        if (count > 1000) continue;
        std::vector<int> sizes(count);
        for (std::uint64_t i = 1; i <= 2000; ++i) {
            const std::string uid = std::to_string(i * 0x9e3779b97f4a7c15U) + "-" + std::to_string(i);
            int found = 0;
            for (std::size_t p = 0; p < count; ++p) {
                if (!parts[p].selects_value(uid)) continue;
                ++found;
                ++sizes[p];
            }
            REQUIRE(found == 1);
        }
        if (count == 8) {
            for (const int size : sizes) CHECK(size > 200);
        }
    }
    CHECK(shard_selector::part(by::uid, 0, 2).value().to_string() ==
          "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')");
    CHECK(shard_selector::part(by::namespace_, 3, 4).value().to_string() ==
          "shardRange(object.metadata.namespace, '0xc000000000000000', '0x10000000000000000')");
    // Nothing is between two parts, also where the number of parts does not divide 2^64.
    for (std::size_t i = 0; i + 1 < 7; ++i) {
        const std::string before = shard_selector::part(by::uid, i, 7).value().to_string();
        const std::string after = shard_selector::part(by::uid, i + 1, 7).value().to_string();
        CHECK(before.substr(before.rfind("0x"), 18) == after.substr(after.find("0x"), 18));
    }
}

TEST_CASE("shard selector: namespaces with similar names spread where they are mixed") {
    std::vector<int> plain(8), mixed(8);
    for (int i = 0; i < 100; ++i) {
        const std::string ns = "team-" + std::to_string(i / 10) + std::to_string(i % 10);
        for (std::size_t p = 0; p < 8; ++p) {
            plain[p] += shard_selector::part(by::namespace_, p, 8).value().selects_value(ns) ? 1 : 0;
            mixed[p] += shard_selector::part(by::mixed_namespace, p, 8).value().selects_value(ns) ? 1 : 0;
        }
    }
    CHECK(plain[2] == 100);  // the server's hash puts them into one part
    for (const int size : mixed) CHECK(size > 4);
    const auto part = shard_selector::part(by::mixed_namespace, 1, 8).value();
    CHECK(part.to_string() ==
          "shardRange(mixed(object.metadata.namespace), '0x2000000000000000', '0x4000000000000000')");
    CHECK(shard_selector::parse(part.to_string()).value() == part);
    CHECK_FALSE(part.is_known_to_servers());
    CHECK(shard_selector::part(by::uid, 1, 8).value().is_known_to_servers());
}

TEST_CASE("shard selector: several ranges, blanks, both quotes") {
    const auto read = shard_selector::parse(
        " shardRange( object.metadata.namespace,'0x0000000000000000', "
        "\"0x4000000000000000\" )\n|| shardRange(object.metadata.namespace, "
        "'0xc000000000000000', '0x10000000000000000')");
    REQUIRE(read.has_value());
    CHECK(read->what() == by::namespace_);
    CHECK_FALSE(read->selects_value("a"));  // 0xaf…
    CHECK(read->selects_value("db"));
    CHECK(read->selects_value("default"));
}

TEST_CASE("shard selector: empty selects everything") {
    CHECK(shard_selector().empty());
    CHECK(shard_selector().to_string().empty());
    CHECK(shard_selector::parse(" ").value().empty());
    CHECK(shard_selector().selects(meta_of("a", "b")));
}

TEST_CASE("shard selector: what is wrong is named") {
    struct row {
        const char* text;
        const char* said;
    };
    const row rows[] = {
        {"uid", "write shardRange("},
        {"shardRange(object.metadata.name, '0x0000000000000000', '0x8000000000000000')", "the field is"},
        {"shardRange(object.metadata.uid, '0x0', '0x8000000000000000')", "16 digits"},
        {"shardRange(object.metadata.uid, '0x000000000000000G', '0x8000000000000000')", "16 digits"},
        {"shardRange(object.metadata.uid, '0x000000000000000A', '0x8000000000000000')", "16 digits"},
        {"shardRange(object.metadata.uid, '0x10000000000000000', '0x10000000000000000')", "16 digits"},
        {"shardRange(object.metadata.uid, '0x8000000000000000', '0x8000000000000000')", "less than the end"},
        {"shardRange(object.metadata.uid, '0x9000000000000000', '0x8000000000000000')", "less than the end"},
        {"shardRange(object.metadata.uid, '0x0000000000000000')", "two texts in quotes"},
        {"shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') x", "two texts in quotes"},
        {"shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000", "two texts in quotes"},
        {"shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') ||", "write shardRange("},
        {"shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || "
         "shardRange(object.metadata.namespace, '0x8000000000000000', '0x9000000000000000')",
         "of the same field"},
    };
    for (const row& one : rows) {
        CAPTURE(one.text);
        const auto read = shard_selector::parse(one.text);
        REQUIRE_FALSE(read.has_value());
        CHECK(read.error() == errc::invalid_argument);
        CHECK(read.error().message().find(one.said) != std::string::npos);
    }
    CHECK(shard_selector::part(by::uid, 2, 2).error() == errc::invalid_argument);
    CHECK(shard_selector::part(by::uid, 0, 0).error() == errc::invalid_argument);
    CHECK(shard_selector::part(by::uid, 0, 70000).error() == errc::invalid_argument);
}

}  // namespace
