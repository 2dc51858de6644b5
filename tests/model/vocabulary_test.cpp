// text, list, dict and boxed: the members that objects consist of.
#include <kcontrol/values/boxed.hpp>
#include <kcontrol/values/dict.hpp>

#include <doctest/doctest.h>

#include <compare>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using kcontrol::boxed;
using kcontrol::dict;
using kcontrol::list;
using kcontrol::text;

namespace {

struct port {
    text name;
    std::int32_t number = 0;
    friend bool operator==(const port&, const port&) = default;
};

struct node_of_tree {
    text name;
    list<node_of_tree> children;
    boxed<node_of_tree> first;
};

/// Is copied only, never moved; a copy of a broken one throws. Counts those alive.
class fragile {
public:
    explicit fragile(bool is_broken = false) : broken(is_broken) { ++alive; }
    fragile(const fragile& from) : broken(from.broken) {
        if (broken) throw std::runtime_error("broken");
        ++alive;
    }
    fragile& operator=(const fragile&) = default;
    ~fragile() { --alive; }

    static inline int alive = 0;
    bool broken;
};

const std::string long_value = "a string that is longer than what fits into eight bytes";

}  // namespace

TEST_CASE("text: a member is one word") {
    CHECK(sizeof(text) == 8);
    CHECK(sizeof(list<port>) == 8);
    CHECK(sizeof(dict<text>) == 8);
    CHECK(sizeof(boxed<port>) == 8);
}

TEST_CASE("text: of every length, short and long, copied, moved and assigned") {
    for (std::size_t length = 0; length < 40; ++length) {
        CAPTURE(length);
        const std::string wanted(length, 'x');
        text a(wanted);
        CHECK(a.present());
        CHECK(a == wanted);
        CHECK(a.size() == length);
        CHECK(a.empty() == (length == 0));
        text b = a;
        CHECK(b == a);
        text c = std::move(b);
        CHECK(c == wanted);
        b = c;
        b = std::move(c);
        text& same = b;
        b = same;
        CHECK(b.str() == wanted);
        b = "other";
        CHECK(b == "other");
        b = std::string(length, 'y');
        CHECK(b == std::string(length, 'y'));
    }
}

TEST_CASE("text: absent, empty and zero bytes inside") {
    text nothing;
    CHECK_FALSE(nothing.present());
    CHECK(nothing.empty());
    CHECK(nothing == "");
    const text empty("");
    CHECK(empty.present());
    CHECK(empty == nothing);
    const std::string zeros("a\0b", 3);
    CHECK(text(zeros).str() == zeros);
    nothing = long_value;
    nothing.reset();
    CHECK_FALSE(nothing.present());
    nothing.clear();
    CHECK(nothing.present());
}

TEST_CASE("text: reads as a string wherever one is wanted") {
    const text t(long_value);
    const std::string copy = t;
    const std::string_view view = t;
    CHECK(copy == view);
    CHECK(std::string("x") + t == "x" + long_value);
    CHECK("x" + t == "x" + long_value);
    CHECK(t + "x" == long_value + "x");
    CHECK((t < text("b")));
    CHECK(std::is_eq(t <=> long_value));
    CHECK(std::hash<text>()(t) == std::hash<std::string_view>()(long_value));
    std::map<std::string, int> counts;
    ++counts[t];
    CHECK(counts.at(long_value) == 1);
}

TEST_CASE("list: as a vector") {
    list<port> ports;
    CHECK_FALSE(ports.present());
    CHECK(ports.empty());
    ports.push_back({"http", 80});
    ports.emplace_back(port{"https", 443});
    ports.insert(ports.begin(), {long_value, 1});
    REQUIRE(ports.size() == 3);
    CHECK(ports.front().name == long_value);
    CHECK(ports[1].number == 80);
    CHECK(ports.back() == port{"https", 443});
    list<port> copy = ports;
    CHECK(copy == ports);
    copy[0].number = 2;
    CHECK(copy != ports);
    copy.erase(copy.begin() + 1);
    CHECK(copy.size() == 2);
    CHECK(copy[1].number == 443);
    ports.push_back(ports[0]);  // an element of itself, while it grows
    CHECK(ports.back().name == long_value);
    ports = std::move(copy);
    CHECK(ports.size() == 2);
    int sum = 0;
    for (const auto& p : std::as_const(ports)) sum += p.number;
    CHECK(sum == 445);
}

TEST_CASE("list: absent and empty are equal, and tell apart") {
    list<text> nothing;
    list<text> empty;
    empty.clear();
    CHECK(empty.present());
    CHECK(nothing == empty);
    CHECK(nothing.begin() == nothing.end());
    empty.push_back("x");
    empty.pop_back();
    CHECK(empty.present());
    CHECK(empty.empty());
    empty.reset();
    CHECK_FALSE(empty.present());
    empty.resize(3);
    CHECK(empty.size() == 3);
    empty.resize(1);
    CHECK(empty.size() == 1);
    empty = {"a", "b"};
    CHECK(empty == std::vector<text>{"a", "b"});
    const std::vector<std::string> strings{"p", long_value};
    const list<text> from_strings = strings;
    CHECK(from_strings[1] == long_value);
}

TEST_CASE("list: to take out none of its elements changes none") {
    const list<std::string> before{"a", long_value};
    list<std::string> names = before;
    CHECK(names.erase(names.begin(), names.begin()) == names.begin());
    CHECK(names == before);
    CHECK(names.erase(names.end(), names.end()) == names.end());
    CHECK(names == before);
    names.erase(names.begin(), names.end());
    CHECK((names.present() && names.empty()));
}

TEST_CASE("list and boxed: nothing is left of what a copy that throws began") {
    const int before = fragile::alive;
    {
        const std::vector<fragile> range{fragile(), fragile()};
        list<fragile> elements = range;
        CHECK(elements.size() == 2);
        elements[1].broken = true;
        CHECK_THROWS_AS(list<fragile>{elements}, std::runtime_error);
        CHECK_THROWS_AS(elements.emplace_back(), std::runtime_error);  // which needs more memory
        CHECK(elements.size() == 2);
        std::vector<fragile> broken = range;
        broken[1].broken = true;
        CHECK_THROWS_AS(list<fragile>{broken}, std::runtime_error);
        CHECK_THROWS_AS((list<fragile>{fragile(), fragile(true)}), std::runtime_error);

        boxed<fragile> box = range[0];
        CHECK_THROWS_AS(box.emplace(broken[1]), std::runtime_error);
        CHECK((box.present() && !box->broken));
        CHECK_THROWS_AS((boxed<fragile>(broken[1])), std::runtime_error);
    }
    CHECK(fragile::alive == before);
}

TEST_CASE("dict: as a map, in the order of keys") {
    dict<text> labels;
    CHECK_FALSE(labels.present());
    labels["tier"] = "web";
    labels["app"] = long_value;
    labels["tier"] = "db";
    REQUIRE(labels.size() == 2);
    CHECK(labels.begin()->first == "app");
    CHECK(labels.at("tier") == "db");
    CHECK(labels.contains("app"));
    CHECK(labels.find("nothing") == labels.end());
    CHECK(labels.get("nothing") == nullptr);
    CHECK_THROWS_AS((void)labels.at("nothing"), std::out_of_range);
    CHECK_FALSE(labels.emplace("app", "x").second);
    CHECK(labels.emplace("zone", "x").second);
    std::string keys;
    for (const auto& [key, value] : labels) keys += key + " ";
    CHECK(keys == "app tier zone ");
    CHECK(labels.erase("tier") == 1);
    CHECK(labels.erase("tier") == 0);
    const std::map<std::string, std::string> from{{"b", "2"}, {"a", "1"}};
    const dict<text> made = from;
    CHECK(made == dict<text>{{"a", "1"}, {"b", "2"}});
}

TEST_CASE("boxed: reading never fails, changing says so") {
    boxed<port> box;
    CHECK_FALSE(box);
    CHECK(box->name == "");
    CHECK(box->number == 0);
    CHECK_FALSE(box.present());
    box.edit().name = long_value;
    CHECK(box);
    boxed<port> copy = box;
    copy.edit().number = 1;
    CHECK(box->number == 0);
    CHECK(copy != box);
    copy = box;
    CHECK(copy == box);
    copy = std::move(box);
    CHECK(copy->name == long_value);
    copy.reset();
    CHECK_FALSE(copy);
    copy = port{"a", 1};
    CHECK(copy->number == 1);
}

TEST_CASE("values nest, also in themselves") {
    node_of_tree root;
    root.children.push_back({long_value, {}, {}});
    root.children[0].children.push_back({"leaf", {}, {}});
    root.first.edit().first.edit().name = "deep";
    const node_of_tree copy = root;
    root.children[0].children[0].name = "changed";
    CHECK(copy.children[0].children[0].name == "leaf");
    CHECK(copy.first->first->name == "deep");
    CHECK(copy.first->first->first->first->name == "");
}
