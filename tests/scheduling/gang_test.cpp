// Gangs: what pods say of them, what each waits for, and when its time is over.
#include <kcontrol/scheduling/gang_book.hpp>

#include "scheduling/objects.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using scheduling::gang_book;
using scheduling::gang_claim_of;
using scheduling::gang_id;
using scheduling::gang_phase;
using scheduling::gang_source;
using scheduling::gang_terms;
using scheduling::pod_info;

namespace {

constexpr time_point start{1000s};
const gang_id train{"default", "train", gang_source::annotations};

struct member {
    std::string name;
    std::string size = "4";
    std::string node;
    std::string phase = "Pending";
    std::string scheduler = "ours";
    std::string timeout;
    std::string uid = "1";
    bool is_gated = false;
    bool is_deleted = false;
};

std::shared_ptr<const pod_info> member_of(const member& m) {
    auto made = std::make_shared<core::pod>();
    made->metadata.namespace_ = "default";
    made->metadata.name = m.name;
    made->metadata.uid = m.uid;
    made->metadata.labels["scheduling.kcontrol.dev/gang"] = "train";
    made->metadata.annotations["scheduling.kcontrol.dev/gang-size"] = m.size;
    if (!m.timeout.empty()) made->metadata.annotations["scheduling.kcontrol.dev/gang-timeout"] = m.timeout;
    made->spec.scheduler_name = m.scheduler;
    made->spec.node_name = m.node;
    made->status.phase = m.phase;
    if (m.is_gated) made->spec.scheduling_gates.emplace_back().name = "quota";
    if (m.is_deleted) made->metadata.deletion_timestamp = wall_time(24h);
    return std::make_shared<const pod_info>(std::move(made));
}

member waiting(const std::string& name) {
    member out;
    out.name = name;
    return out;
}
member bound(const std::string& name) {
    member out;
    out.name = name;
    out.node = "n1";
    return out;
}

std::string wrong_of(const std::string& size, const std::string& timeout = {}) {
    member m = waiting("a");
    m.size = size;
    m.timeout = timeout;
    return gang_claim_of(member_of(m)->pod())->wrong;
}

std::string message_of(const gang_book& book, time_point now = start) { return book.status(train, now).message; }

std::string evicted(gang_book& book, time_point now) {
    std::string out;
    for (const auto& one : book.due(now)) {
        for (const auto& pod : one.pods) out.append(pod->name()).append(" ");
    }
    return out;
}

}  // namespace

TEST_CASE("gang_claim_of: every source, in order") {
    const auto source_of = [](const std::string& metadata, const std::string& spec) -> std::string {
        const auto pod = object_of<core::pod>(R"({"metadata":{"namespace":"ns","name":"a")" + metadata +
                                              R"(},"spec":)" + spec + "}");
        const auto claim = gang_claim_of(*pod);
        if (!claim) return "-";
        CHECK(claim->gang.namespace_ == "ns");
        CHECK(claim->wrong.empty());
        return claim->gang.name + std::to_string(static_cast<int>(claim->gang.source));
    };
    const std::string all =
        R"(,"labels":{"scheduling.x-k8s.io/pod-group":"x"},"annotations":{"scheduling.k8s.io/group-name":"v"})";
    CHECK(source_of("", "{}") == "-");
    CHECK(source_of(R"(,"annotations":{"scheduling.k8s.io/group-name":"v"})", "{}") == "v3");
    CHECK(source_of(all, "{}") == "x2");
    CHECK(source_of(all, R"({"schedulingGroup":{"podGroupName":"p"}})") == "p1");
    const auto claim = gang_claim_of(member_of(waiting("a"))->pod());
    CHECK(claim->gang == train);
    CHECK(claim->terms == gang_terms{4, 5min});
}

TEST_CASE("gang_claim_of: what is wrong is named with pod, field and value") {
    const std::string size = "pod default/a: metadata.annotations[scheduling.kcontrol.dev/gang-size]: ";
    for (const char* value : {"0", "-1", "x", "", "4 ", "1.5", "99999999999"}) {
        CHECK(wrong_of(value) == size + "\"" + value + "\" is not a number of pods, from 1 on");
    }
    for (const char* value : {"5", "-5m", "0s", "five"}) {
        CHECK(wrong_of("4", value) == "pod default/a: metadata.annotations[scheduling.kcontrol.dev/gang-timeout]: \"" +
                                          std::string(value) + "\" is not a positive duration, such as \"5m\"");
    }
    CHECK(wrong_of("4", "90s").empty());
}

TEST_CASE("gang_book: a gang waits until its members exist, and is placed as a whole") {
    gang_book book;
    CHECK(message_of(book) == "gang train: 0 of 1 members exist");
    for (const char* name : {"a", "b", "c"}) CHECK(book.set_pod(member_of(waiting(name)), start) == train);
    CHECK(message_of(book) == "gang train: 3 of 4 members exist");
    CHECK(book.status(train, start).phase == gang_phase::incomplete);
    book.set_pod(member_of(waiting("d")), start);
    book.set_pod(member_of(waiting("e")), start);
    auto status = book.status(train, start);
    CHECK(status.phase == gang_phase::ready);
    CHECK(status.missing() == 4);
    CHECK(status.message.empty());
    CHECK(book.waiting(train).size() == 5);
    CHECK(gang_book::misfit_message(status, 3, "0/2 nodes are available") ==
          "gang train: 3 of 4 members fit: 0/2 nodes are available");
    for (const char* name : {"a", "b", "c", "d"}) book.set_assumed(*member_of(waiting(name)), true, start);
    status = book.status(train, start);
    CHECK(status.phase == gang_phase::complete);  // e is placed by itself
    CHECK(status.waiting == 1);
    // One fails to bind: one place is missing.
    book.set_assumed(*member_of(waiting("b")), false, start);
    CHECK(book.status(train, start).phase == gang_phase::ready);
    CHECK(book.status(train, start).missing() == 1);
    CHECK_FALSE(book.next_deadline().has_value());  // nothing is bound
}

TEST_CASE("gang_book: incomplete after its first binding it is due, until its pods are gone") {
    gang_book book;
    for (const char* name : {"a", "b", "c", "d"}) {
        member m = waiting(name);
        m.timeout = "1m";
        book.set_pod(member_of(m), start);
    }
    member a = bound("a");
    a.timeout = "1m";
    book.set_pod(member_of(a), start + 10s);
    CHECK(book.next_deadline() == start + 70s);
    book.set_pod(member_of(bound("b")), start + 30s);
    CHECK(evicted(book, start + 69s).empty());
    CHECK(evicted(book, start + 70s) == "a b ");
    CHECK(evicted(book, start + 70s).empty());
    CHECK(evicted(book, start + 80s) == "a b ");
    book.remove_pod(*member_of(bound("a")), start + 81s);
    book.remove_pod(*member_of(bound("b")), start + 81s);
    CHECK_FALSE(book.next_deadline().has_value());
    CHECK(message_of(book) == "gang train: 2 of 4 members exist");
    CHECK_FALSE(book.status(train, start + 81s).has_first_call);
}

TEST_CASE("gang_book: a gang that ran and lost a pod has first call for 5 minutes") {
    for (const bool fails : {false, true}) {
        gang_book book;
        for (const char* name : {"a", "b", "c", "d"}) book.set_pod(member_of(bound(name)), start);
        CHECK(book.status(train, start).phase == gang_phase::complete);
        CHECK_FALSE(book.next_deadline().has_value());
        if (fails) {
            member failed = bound("a");
            failed.phase = "Failed";
            book.set_pod(member_of(failed), start + 1h);
        } else {
            book.remove_pod(*member_of(bound("a")), start + 1h);
        }
        book.set_pod(member_of(waiting("new")), start + 1h);
        const auto status = book.status(train, start + 1h);
        CHECK(status.phase == gang_phase::ready);
        CHECK(status.missing() == 1);
        CHECK(status.has_first_call);
        CHECK(book.status(train, start + 1h + 5min - 1ns).has_first_call);
        CHECK_FALSE(book.status(train, start + 1h + 5min).has_first_call);
        CHECK(book.next_deadline() == start + 1h + 5min);
        book.set_pod(member_of(bound("new")), start + 2h);
        CHECK_FALSE(book.next_deadline().has_value());
        book.remove_pod(*member_of(bound("new")), start + 3h);
        CHECK(book.status(train, start + 3h).has_first_call);  // for 5 minutes from each loss on
        book.set_pod(member_of(bound("new")), start + 3h);
        // Those that succeeded are not lost.
        member done = bound("b");
        done.phase = "Succeeded";
        book.set_pod(member_of(done), start + 3h);
        CHECK(book.status(train, start + 3h).phase == gang_phase::complete);
        CHECK_FALSE(book.next_deadline().has_value());
    }
}

TEST_CASE("gang_book: members that contradict each other") {
    gang_book book;
    book.set_pod(member_of(waiting("b")), start);
    member other = waiting("a");  // of which the name is first
    other.size = "5";
    book.set_pod(member_of(other), start);
    CHECK(book.status(train, start).phase == gang_phase::invalid);
    CHECK(message_of(book) ==
          "gang train: pod default/a: metadata.annotations[scheduling.kcontrol.dev/gang-size]: "
          "\"5\", but \"4\" of pod b");
    book.set_pod(member_of(waiting("a")), start);
    CHECK(book.status(train, start).phase == gang_phase::incomplete);
    other = waiting("c");
    other.scheduler = "theirs";
    book.set_pod(member_of(other), start);
    CHECK(message_of(book) == "gang train: pod default/c: spec.schedulerName: \"theirs\", but \"ours\" of pod a");
    book.remove_pod(*member_of(other), start);
    other = waiting("d");
    other.size = "x";
    book.set_pod(member_of(other), start);
    CHECK(message_of(book).starts_with("gang train: pod default/d: metadata.annotations"));
    book.set_pod(member_of(bound("a")), start);
    CHECK(evicted(book, start + 1h).empty());  // who contradicts himself loses no pods by it
}

TEST_CASE("gang_book: PodGroups") {
    gang_book book;
    const auto pod = std::make_shared<const pod_info>(object_of<core::pod>(
        R"({"metadata":{"namespace":"ns","name":"a"},"spec":{"schedulingGroup":{"podGroupName":"g"}}})"));
    const auto id = *book.set_pod(pod, start);
    CHECK(book.status(id, start).message == "gang g: PodGroup ns/g of scheduling.k8s.io does not exist");
    book.set_group(id, {2, 1min}, start);
    CHECK(book.status(id, start).message == "gang g: 1 of 2 members exist");
    book.set_group(id, {0, 1min}, start);
    CHECK(book.status(id, start).phase == gang_phase::ready);
    CHECK(book.status(id, start).minimum == 1);
    book.remove_group(id, start);
    CHECK(book.status(id, start).phase == gang_phase::incomplete);
    book.remove_pod(*pod, start);
    book.remove_group(id, start);
    CHECK(book.size() == 0);
    CHECK_FALSE(book.gang_of(*pod).has_value());
}

TEST_CASE("gang_book: a PodGroup that is listed after its pods") {
    const auto member_in = [](const std::string& name, const std::string& node) {
        return std::make_shared<const pod_info>(object_of<core::pod>(
            R"({"metadata":{"namespace":"ns","name":")" + name + R"(","uid":")" + name + R"("},"spec":{"nodeName":")" +
            node + R"(","schedulingGroup":{"podGroupName":"g"}}})"));
    };
    // Two of four run, as a process that restarts finds them: nothing was lost.
    gang_book book;
    const auto id = *book.set_pod(member_in("a", "n1"), start);
    book.set_pod(member_in("b", "n1"), start);
    CHECK(book.status(id, start).phase == gang_phase::incomplete);
    CHECK_FALSE(book.next_deadline().has_value());
    book.set_group(id, {4, 1min}, start + 1s);
    CHECK(book.status(id, start + 1s).message == "gang g: 2 of 4 members exist");
    CHECK_FALSE(book.status(id, start + 1s).has_first_call);
    CHECK(book.next_deadline() == start + 61s);
    // Without its PodGroup there is no minimum that it could miss.
    book.remove_group(id, start + 2s);
    CHECK_FALSE(book.next_deadline().has_value());
}

TEST_CASE("gang_book: a gang that lost all its pods has first call, and is forgotten after that") {
    const auto begin = [](gang_book& book) {
        for (const char* name : {"a", "b", "c", "d"}) book.set_pod(member_of(bound(name)), start);
    };
    gang_book book;
    begin(book);
    for (const char* name : {"a", "b", "c", "d"}) book.remove_pod(*member_of(bound(name)), start + 1h);
    CHECK(book.size() == 1);
    CHECK(book.next_deadline() == start + 1h + 5min);
    for (const char* name : {"e", "f", "g", "h"}) book.set_pod(member_of(waiting(name)), start + 1h + 1min);
    CHECK(book.status(train, start + 1h + 1min).has_first_call);
    CHECK_FALSE(book.next_deadline().has_value());  // nothing is bound
    for (const char* name : {"e", "f", "g", "h"}) book.remove_pod(*member_of(waiting(name)), start + 1h + 2min);
    CHECK(book.due(start + 1h + 5min).empty());
    CHECK(book.size() == 0);
    CHECK_FALSE(book.next_deadline().has_value());

    // The API server's data was restored: all of them wait again.
    gang_book restored;
    begin(restored);
    for (const char* name : {"a", "b", "c", "d"}) restored.set_pod(member_of(waiting(name)), start + 1h);
    CHECK(restored.status(train, start + 1h).has_first_call);
    CHECK(restored.status(train, start + 1h).missing() == 4);
    for (const char* name : {"a", "b"}) restored.set_pod(member_of(bound(name)), start + 2h);
    CHECK_FALSE(restored.status(train, start + 2h).has_first_call);
    CHECK(restored.next_deadline() == start + 2h + 5min);
}

TEST_CASE("gang_book: a gang whose last pod goes after its first call is forgotten at once") {
    gang_book book;
    for (const char* name : {"a", "b", "c", "d"}) book.set_pod(member_of(bound(name)), start);
    book.remove_pod(*member_of(bound("a")), start + 1h);
    for (const char* name : {"b", "c", "d"}) book.remove_pod(*member_of(bound(name)), start + 2h);
    CHECK(book.next_deadline() == std::nullopt);
    CHECK(book.due(start + 3h).empty());
    CHECK(book.size() == 0);
}

TEST_CASE("gang_book: members that can't be placed") {
    gang_book book;
    for (const char* name : {"a", "b", "c"}) book.set_pod(member_of(waiting(name)), start);
    member d = waiting("d");
    d.is_gated = true;
    book.set_pod(member_of(d), start);
    CHECK(book.status(train, start).phase == gang_phase::incomplete);
    CHECK(message_of(book) == "gang train: 3 of 4 members fit: pod default/d has scheduling gates");
    CHECK(book.waiting(train).size() == 3);
    d.is_deleted = true;
    book.set_pod(member_of(d), start);
    CHECK(message_of(book) == "gang train: 3 of 4 members exist");
    d = waiting("d");
    auto invalid = std::make_shared<core::pod>(member_of(d)->pod());
    invalid->spec.containers.emplace_back().resources.requests["cpu"] = "-1";
    book.set_pod(std::make_shared<const pod_info>(std::move(invalid)), start);
    CHECK(message_of(book).starts_with("gang train: 3 of 4 members fit: pod default/d: spec.containers[0]"));
    book.set_pod(member_of(d), start);
    CHECK(book.status(train, start).phase == gang_phase::ready);
    // An assumed one that is deleted meanwhile has its place until the answer.
    book.set_assumed(*member_of(d), true, start);
    d.is_deleted = true;
    book.set_pod(member_of(d), start);
    CHECK(book.status(train, start).placed == 1);
    book.set_assumed(*member_of(d), false, start);
    CHECK(message_of(book) == "gang train: 3 of 4 members exist");
}

TEST_CASE("gang_book: a timeout without end") {
    gang_book book;
    for (const char* name : {"a", "b", "c", "d"}) {
        member m = name[0] == 'a' ? bound(name) : waiting(name);
        m.timeout = "2562047h";
        book.set_pod(member_of(m), time_point::max() - 1h);
    }
    CHECK(book.next_deadline() == time_point::max());
    CHECK(book.due(time_point::max() - 1ns).empty());
}

TEST_CASE("gang_book: of many gangs those that are due") {
    gang_book book;
    const auto named = [](const std::string& gang, const std::string& name, const std::string& node) {
        member m = waiting(name);
        m.size = "2";
        m.node = node;
        auto made = std::make_shared<core::pod>(member_of(m)->pod());
        made->metadata.labels["scheduling.kcontrol.dev/gang"] = gang;
        return std::make_shared<const pod_info>(std::move(made));
    };
    for (int i = 0; i < 50; ++i) {
        const std::string gang = "g" + std::to_string(i);
        book.set_pod(named(gang, gang + "-a", "n1"), start + i * 1s);
        if (i % 2 == 0) book.set_pod(named(gang, gang + "-b", "n1"), start + 50s);
    }
    CHECK(book.next_deadline() == start + 1s + 5min);
    CHECK(book.due(start + 20s + 5min).size() == 10);
    CHECK(book.next_deadline() == start + 21s + 5min);
    CHECK(book.due(start + 29s + 5min).size() == 5);  // and those of before have 10 s
    CHECK(book.due(start + 30s + 5min).size() == 10);
}

TEST_CASE("gang_book: a pod of another uid, or of another gang, is another member") {
    gang_book book;
    book.set_pod(member_of(waiting("a")), start);
    book.set_assumed(*member_of(waiting("a")), true, start);
    member again = waiting("a");
    again.uid = "2";
    book.remove_pod(*member_of(again), start);
    CHECK(book.status(train, start).placed == 1);
    book.set_pod(member_of(again), start);
    CHECK(book.status(train, start).placed == 0);
    CHECK(book.status(train, start).waiting == 1);
    book.set_assumed(*member_of(waiting("a")), true, start);  // of the old one
    CHECK(book.status(train, start).placed == 0);
    CHECK_FALSE(book.set_pod(std::make_shared<const pod_info>(
                                 object_of<core::pod>(R"({"metadata":{"namespace":"default","name":"a","uid":"2"}})")),
                             start)
                    .has_value());
    CHECK(book.size() == 0);
}

TEST_CASE("gang_book: beside a plain list of members") {
    std::mt19937_64 random(1);
    for (int round = 0; round < 20; ++round) {
        gang_book book;
        std::map<std::string, std::pair<member, bool>> list;  // and whether it is assumed
        time_point now = start;
        for (int step = 0; step < 300; ++step) {
            now += 1s;
            const std::string name(1, static_cast<char>('a' + random() % 6));
            const auto found = list.find(name);
            switch (random() % 6) {
            case 0:
                if (found == list.end()) list.emplace(name, std::pair(waiting(name), false));
                break;
            case 1:
                if (found == list.end()) break;
                book.remove_pod(*member_of(found->second.first), now);
                list.erase(found);
                continue;
            case 2:
                if (found == list.end() || !found->second.first.node.empty()) break;
                found->second.second = !found->second.second;
                book.set_assumed(*member_of(found->second.first), found->second.second, now);
                continue;
            case 3:
                if (found != list.end()) found->second.first.node = "n1";
                break;
            case 4:
                if (found != list.end() && !found->second.first.node.empty()) found->second.first.phase = "Succeeded";
                break;
            default: break;
            }
            if (const auto one = list.find(name); one != list.end()) book.set_pod(member_of(one->second.first), now);
            std::int32_t placed = 0;
            bool any_bound = false;
            std::int32_t bound_or_done = 0;
            for (const auto& [key, one] : list) {
                const bool has_place = one.second || !one.first.node.empty();
                placed += has_place ? 1 : 0;
                any_bound |= !one.first.node.empty() && one.first.phase == "Pending";
                bound_or_done += one.first.node.empty() ? 0 : 1;
            }
            const auto status = book.status(train, now);
            REQUIRE(status.placed == placed);
            REQUIRE(status.placed + status.waiting == static_cast<std::int32_t>(list.size()));
            REQUIRE(book.waiting(train).size() == static_cast<std::size_t>(status.waiting));
            // Without pods it may be known for its first call.
            if (!list.empty()) REQUIRE(book.next_deadline().has_value() == (any_bound && bound_or_done < 4));
        }
    }
}
