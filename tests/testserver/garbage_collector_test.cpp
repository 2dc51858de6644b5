// The garbage collector's decisions as a table: a graph of objects, and what is to be done about it.
#include "testserver/garbage_collector.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

// "a", or "a<b" (owned by b), "a<b!" (blocks it), "a<b?" (a kind that nobody knows). Marks of an object come first:
// "D" being deleted, "F" with foregroundDeletion, "O" with orphan; "@x" behind the name: its namespace.
graph_node node(std::string_view text) {
    graph_node out;
    for (; !text.empty() && text.front() >= 'A' && text.front() <= 'Z'; text.remove_prefix(1)) {
        out.deleting = out.deleting || text.front() == 'D';
        out.waits = out.waits || text.front() == 'F';
        out.orphans = out.orphans || text.front() == 'O';
    }
    const auto cut = [&text] {
        const std::size_t end = std::min(text.find('<'), text.size());
        std::string part(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        return part;
    };
    std::string name = cut();
    out.key.namespace_ = "ns";
    if (const auto at = name.find('@'); at != std::string::npos) {
        out.key.namespace_ = name.substr(at + 1);
        name.resize(at);
    }
    out.key.name = out.uid = name;
    out.kind = "Thing";
    out.id = {"", "things"};
    while (!text.empty()) {
        owner_link link;
        link.uid = cut();
        link.blocks = link.uid.back() == '!';
        link.resolvable = link.uid.back() != '?';
        if (link.blocks || !link.resolvable) link.uid.pop_back();
        link.name = link.uid;
        link.kind = "Thing";
        out.owners.push_back(std::move(link));
    }
    return out;
}

std::string text_of(const collector_action& action) {
    using kind = collector_action::kind;
    std::string out = action.key.name;
    if (action.what == kind::unblock) return "unblock " + out;
    if (action.what == kind::drop_finalizer) return "drop " + action.finalizer + " of " + out;
    if (action.what == kind::drop_owners) {
        for (const auto& uid : action.uids) out += "<" + uid;
        return "drop owners " + out;
    }
    if (action.what == kind::report_owners) {
        for (const auto& uid : action.uids) out += "<" + uid;
        return "report " + out;
    }
    const bool foreground = action.policy == propagation::foreground;
    return "remove " + out +
           (foreground                             ? " in the foreground"
            : action.policy == propagation::orphan ? " orphaning"
                                                   : "");
}

std::vector<std::string> actions(garbage_collector& collector) {
    std::vector<std::string> out;
    while (const auto action = collector.next()) out.push_back(text_of(*action));
    return out;
}

struct row {
    const char* what;
    std::vector<std::string_view> graph;
    std::vector<std::string> expected;
};

}  // namespace

TEST_CASE("the garbage collector decides by the graph") {
    const std::vector<row> table = {
        {"nobody owns it", {"a"}, {}},
        {"its owner is there", {"a", "b<a"}, {}},
        {"its owner never was", {"b<a"}, {"remove b"}},
        {"its owner is in another namespace", {"a@far", "b<a"}, {"report b<a", "remove b"}},
        {"one of its owners is", {"a@far", "c", "b<a<c"}, {"report b<a", "drop owners b<a"}},
        {"it has no namespace, and its owner has one", {"a", "b@<a?"}, {"report b<a"}},
        {"its owner comes later", {"b@<a?", "a"}, {"report b<a"}},
        {"its owner has no namespace", {"a@", "b<a"}, {}},
        {"nobody knows the owner's kind", {"b<a?"}, {}},
        {"one of two owners is gone", {"a", "b<a<x"}, {"drop owners b<x"}},
        {"both are", {"b<x<y"}, {"remove b"}},
        {"it is being deleted already", {"Db<x"}, {}},
        {"its owner is being deleted in the background", {"Da", "b<a"}, {}},
        {"its owner waits for it", {"DFa", "b<a!"}, {"remove b"}},
        {"its owner waits, and has gone before nobody blocks", {"DFa", "Db<a"}, {"drop foregroundDeletion of a"}},
        {"its owner waits for it, and it has dependents", {"DFa", "b<a!", "c<b!"}, {"remove b in the foreground"}},
        {"one owner waits, one is there", {"DFa", "s", "b<a!<s"}, {"drop owners b<a"}},
        {"who waits for nobody is let go", {"DFa"}, {"drop foregroundDeletion of a"}},
        {"who waits for one that is held stays", {"DFa", "Db<a!"}, {}},
        {"two wait for each other", {"DFa<b!", "b<a!"}, {"unblock b"}},
        {"dependents of an orphaning owner are let go", {"DOa", "b<a"}, {"drop owners b<a"}},
        {"who orphans and has no dependents goes", {"DOa"}, {"drop orphan of a"}},
        {"finalizers of its own decide how it goes: orphan", {"Ob<x"}, {"remove b orphaning"}},
        {"finalizers of its own decide how it goes: foreground", {"Fb<x"}, {"remove b in the foreground"}},
    };
    for (const auto& one : table) {
        CAPTURE(one.what);
        garbage_collector collector;
        for (const auto text : one.graph) collector.on_observed(node(text));
        CHECK(actions(collector) == one.expected);
    }
}

TEST_CASE("the garbage collector goes on when what it wanted has been done") {
    garbage_collector collector;
    for (const auto text : {"a", "b<a!", "c<b!"}) collector.on_observed(node(text));
    CHECK(actions(collector).empty());

    SUBCASE("in the background: the owner goes, then what it owned") {
        collector.on_deleted("a");
        CHECK(actions(collector) == std::vector<std::string>{"remove b"});
        collector.on_deleted("b");
        CHECK(actions(collector) == std::vector<std::string>{"remove c"});
        collector.on_deleted("c");
        CHECK(actions(collector).empty());
    }
    SUBCASE("in the foreground: the leaves go first") {
        collector.on_observed(node("DFa"));
        CHECK(actions(collector) == std::vector<std::string>{"remove b in the foreground"});
        collector.on_observed(node("DFb<a!"));
        CHECK(actions(collector) == std::vector<std::string>{"remove c"});
        collector.on_deleted("c");
        CHECK(actions(collector) == std::vector<std::string>{"drop foregroundDeletion of b"});
        collector.on_deleted("b");
        CHECK(actions(collector) == std::vector<std::string>{"drop foregroundDeletion of a"});
    }
    SUBCASE("orphaned: each dependent is let go, then the owner") {
        collector.on_observed(node("d<a"));
        collector.on_observed(node("DOa"));
        CHECK(actions(collector) == std::vector<std::string>{"drop owners b<a"});
        collector.on_observed(node("b"));
        CHECK(actions(collector) == std::vector<std::string>{"drop owners d<a"});
        collector.on_observed(node("d"));
        CHECK(actions(collector) == std::vector<std::string>{"drop orphan of a"});
        collector.on_deleted("a");
        CHECK(actions(collector).empty());
    }
}

TEST_CASE("an owner in another namespace is reported once") {
    garbage_collector collector;
    for (const auto text : {"a", "b@<a?"}) collector.on_observed(node(text));
    CHECK(actions(collector) == std::vector<std::string>{"report b<a"});
    collector.on_observed(node("b@<a?"));
    CHECK(actions(collector).empty());
    collector.on_deleted("b");
    collector.on_observed(node("b@<a?"));
    CHECK(actions(collector) == std::vector<std::string>{"report b<a"});
}
