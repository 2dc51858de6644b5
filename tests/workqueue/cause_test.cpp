// What caused a reconcile.
#include <kcontrol/workqueue/workqueue.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {
constexpr time_point start{1h};
}

TEST_CASE("causes as text") {
    CHECK(to_string(cause(cause_type::updated, "Pod")) == "Pod updated");
    CHECK(to_string(cause(cause_type::deleted, "Pod", "ns", "a")) == "Pod ns/a deleted");
    CHECK(to_string(cause(cause_type::initial, "Node", "", "n1")) == "Node n1 listed");
    CHECK(to_string(cause(cause_type::added, "", "ns", "a")) == "ns/a added");
    CHECK(to_string(cause(cause_type::retry)) == "retry");
    CHECK(to_string(cause(cause_type::requeue_after)) == "timer");
    CHECK(to_string(cause(cause_type::by_hand)) == "enqueued");
    CHECK(to_string(cause_set()) == "");
}

TEST_CASE("a set keeps each cause once, in the order in which they came, and counts what has no room") {
    cause_set set;
    CHECK(set.empty());
    set.add(cause(cause_type::none, "Pod"));
    CHECK(set.empty());
    for (int i = 0; i < 3; ++i) {
        set.add(cause(cause_type::updated, "Pod", "ns", "a"));
        set.add(cause(cause_type::updated, "Pod", "ns", "b"));
    }
    set.add(cause(cause_type::deleted, "Pod", "ns", "a"));
    set.add(cause(cause_type::updated, "Podns", "", "a"));  // as long as the first
    CHECK(set.size() == 4);
    CHECK(set.more() == 0);
    set.add(cause(cause_type::retry));
    set.add(cause(cause_type::deleted, "Pod", "ns", "a"));
    set.add(cause(cause_type::updated, "Job"));
    CHECK(set.size() == 4);
    CHECK(set.more() == 2);
    CHECK(set[1] == cause(cause_type::updated, "Pod", "ns", "b"));
    CHECK(to_string(set) == "Pod ns/a updated; Pod ns/b updated; Pod ns/a deleted; Podns a updated; and 2 more");
    set.clear();
    CHECK(set.empty());
    CHECK(set.more() == 0);
}

TEST_CASE("text of any length and with any bytes is kept within bounds") {
    cause_set set;
    const std::string longest(100'000, 'x');
    for (const char c : {'1', '2', '3', '4', '5'}) set.add(cause(cause_type::added, longest, longest, c + longest));
    CHECK(set.size() == 4);
    CHECK(set[3].name == "4" + std::string(252, 'x'));
    cause_set nul;
    nul.add(cause(cause_type::added, std::string_view("a\0b", 3)));
    CHECK(nul[0].kind == "a");
}

TEST_CASE("causes are merged while the key is queued, and handed out with it, once") {
    workqueue<std::string> q;
    q.add("a", start, {}, cause(cause_type::initial, "Pod"));
    q.add("a", start, add_options().after(1h), cause(cause_type::updated, "Job", "ns", "j"));
    q.add("a", start, {}, cause(cause_type::initial, "Pod"));
    q.add("b", start);
    auto a = q.get(start);
    CHECK(to_string(a->causes()) == "Pod listed; Job ns/j updated");
    CHECK(q.get(start)->causes().empty());
    q.add_after("a", start + 1s, 0, cause(cause_type::requeue_after));
    CHECK(a->causes().size() == 2);
    q.done(std::move(*a));
    CHECK(to_string(q.get(start + 1s)->causes()) == "timer");
    q.done("a");
    q.add("a", start, {}, cause(cause_type::updated, "Pod"));
    q.shut_down();
    q.restart();
    q.add("a", start);
    CHECK(q.get(start)->causes().empty());
}
