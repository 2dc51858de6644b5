// pod_notes: one request a pod at a time, and the last note of those that wait.
#include <kcontrol/scheduling/detail/pod_notes.hpp>

#include "scheduling/objects.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace kcontrol;
using scheduling::detail::pod_note;
using scheduling::detail::pod_notes;

namespace {

pod_note refused(const std::string& message) {
    pod_note out;
    out.refused.emplace("Unschedulable", message);
    return out;
}
pod_note nominated(const std::string& node) {
    pod_note out;
    out.nominated = node;
    return out;
}

}  // namespace

TEST_CASE("notes of a pod are written one after the other, and merge while they wait") {
    const auto web = test::pod_of("web", test::requesting(R"({"cpu":"1"})"));
    const auto other = test::pod_of("other", test::requesting(R"({"cpu":"1"})"));
    pod_notes notes;
    CHECK(!notes.is_busy(web->uid()));
    CHECK(notes.add(web, refused("a")));
    CHECK(notes.add(other, refused("z")));
    CHECK(notes.take(web->uid())->note.refused->second == "a");
    CHECK(!notes.add(web, refused("b")));  // while "a" is written
    CHECK(!notes.add(web, nominated("n1")));
    CHECK(!notes.add(web, refused("c")));
    const auto merged = notes.take(web->uid());
    REQUIRE(merged);
    CHECK((merged->note.refused->second == "c" && merged->note.nominated == "n1" && merged->pod == web));
    CHECK(notes.is_busy(web->uid()));
    CHECK(!notes.take(web->uid()));  // the writer is done
    CHECK(!notes.is_busy(web->uid()));
    CHECK(notes.is_busy(other->uid()));
}

TEST_CASE("what waits is not written of a pod that is being bound") {
    const auto web = test::pod_of("web", test::requesting(R"({"cpu":"1"})"));
    pod_notes notes;
    CHECK(notes.add(web, refused("a")));
    notes.drop(web->uid());
    CHECK(notes.is_busy(web->uid()));  // its writer has begun, and finds nothing
    CHECK(!notes.take(web->uid()));
    CHECK(notes.add(web, refused("b")));
}
