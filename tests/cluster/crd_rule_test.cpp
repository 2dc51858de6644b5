// When a missing kind is asked for again: the decision alone, and what is kept of definitions.
#include <kcontrol/cluster/detail/crd_head.hpp>
#include <kcontrol/cluster/detail/crd_rule.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;

struct built_in {
    static constexpr resource_name kcontrol_resource{"batch", "v2", "Job", "jobs"};
    object_meta metadata;
    static constexpr auto kcontrol_fields() { return fields(); }
};

class bench {
public:
    // The names due from `now` on in the next 20 s, as "name@milliseconds ".
    std::string asked() {
        std::string out;
        const time_point begin = now;
        while (rule.next_due() && *rule.next_due() - begin < 20s) {
            now = std::max(now, *rule.next_due());
            for (const std::string& name : rule.take_due(now)) {
                const auto after = std::chrono::duration_cast<std::chrono::milliseconds>(now - begin);
                out += name + "@" + std::to_string(after.count()) + " ";
            }
        }
        return out;
    }

    detail::crd_rule rule;
    time_point now{std::chrono::hours(1)};
};

TEST_CASE("crd_rule: a definition has the kind's plural name and its group, and built-in kinds have none") {
    CHECK(detail::crd_name_of(resource_of<test::widget>()) == "widgets.test.kcontrol.dev");
    CHECK_FALSE(detail::crd_name_of(resource_of<built_in>()));
}

TEST_CASE("crd_rule: a change has the kind asked for at once and four times more") {
    bench b;
    CHECK_FALSE(b.rule.wanted());
    b.rule.on_change("a.x.y", b.now);
    CHECK(b.asked() == "");
    b.rule.set_missing({"a.x.y", "b.x.y"});
    CHECK(b.rule.wanted());
    CHECK(b.asked() == "");
    b.rule.on_change("a.x.y", b.now);
    b.rule.on_change("c.x.y", b.now);
    CHECK(b.asked() == "a.x.y@0 a.x.y@500 a.x.y@1500 a.x.y@3500 a.x.y@7500 ");
    CHECK_FALSE(b.rule.next_due());
}

TEST_CASE("crd_rule: the next change begins anew, and a kind that is there is not asked for") {
    bench b;
    b.rule.set_missing({"a.x.y", "b.x.y"});
    b.rule.on_change("a.x.y", b.now);
    CHECK(b.rule.take_due(b.now).size() == 1);
    b.now += 600ms;
    CHECK(b.rule.take_due(b.now).size() == 1);
    b.rule.on_change("a.x.y", b.now);
    b.rule.on_change("b.x.y", b.now);
    b.rule.set_missing({"a.x.y"});
    CHECK(b.asked() == "a.x.y@0 a.x.y@500 a.x.y@1500 a.x.y@3500 a.x.y@7500 ");
    b.rule.set_missing({});
    CHECK_FALSE(b.rule.wanted());
    b.rule.set_missing({"a.x.y"});
    CHECK_FALSE(b.rule.next_due());
}

TEST_CASE("crd_heads: of a definition its name and version are kept, however large its annotations are") {
    const std::string text =
        R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{)"
        R"("name":"a.x.y","uid":"u","resourceVersion":"7","labels":{"a":"b"},"annotations":{"c":")" +
        std::string(100'000, 'x') + R"("}}})";
    const resource_info& kind = detail::crd_heads();
    CHECK(kind.metadata_only);
    json::cursor front(text);
    for (const any_object& one : {kind.decode_parsed(text).value(), kind.decode(front, nullptr)}) {
        REQUIRE(one);
        CHECK(one.meta().name == "a.x.y");
        CHECK(one.meta().uid == "u");
        CHECK(one.meta().resource_version == "7");
        CHECK(kind.encode(one).value().size() < 200);
    }
    CHECK_FALSE(kind.decode_parsed("{"));
}

}  // namespace
