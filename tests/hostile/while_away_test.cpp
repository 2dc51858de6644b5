// What changes while nobody looks: F26, F27 and F28 of reliability's table of failures.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

/// How an informer comes back: by a watch of what it missed, or by a list, for the history is gone.
struct way {
    const char* name;
    bool by_list;
};
const way ways[] = {{", the history is kept", false}, {", the history is gone", true}};

// Nobody answers for 20 s; `change` happens meanwhile.
scenario while_away(const std::string& name, const way& w, play_function change) {
    return scenario(name + w.name)
        .lasts(4min)
        .answers([](const ask& q) { return q.since < 20s ? std::optional(reply::drop()) : std::nullopt; })
        .at(10s,
            [change, by_list = w.by_list](play& p) {
                change(p);
                if (by_list) p.honest.api.compact(p.honest.api.resource_version());
            })
        .told("lost")
        .well()
        .lists(w.by_list ? 1 : 0, w.by_list ? 1 : 0);
}

void label(play& p, const std::string& name, const json::value& value) {
    (void)p.honest.api.patch(widgets, {"default", name}, {{"metadata", {{"labels", {{"gold", value}}}}}}).value();
}

std::vector<scenario> made_anew() {
    std::vector<scenario> out;
    for (const auto& w : ways) {
        out.push_back(while_away("F26 an object is deleted and made anew", w,
                                 [](play& p) {
                                     p.honest.remove("b");
                                     p.honest.create("b", 20);
                                 })
                          .heard(w.by_list ? "-b? +b " : "-b +b ")
                          .also([](play& p) { CHECK(p.last_states() == "b=2 "); }));
        out.push_back(while_away("F26 an object is deleted and made anew, five times", w, [](play& p) {
                          for (int i = 0; i < 5; ++i) {
                              p.honest.remove("b");
                              p.honest.create("b", 20 + i);
                          }
                      }).heard(w.by_list ? "-b? +b " : "-b +b -b +b -b +b -b +b -b +b "));
        out.push_back(while_away("F26 an object is made and deleted", w, [](play& p) {
                          p.honest.create("d", 4);
                          p.honest.remove("d");
                      }).heard(w.by_list ? "" : "+d -d "));
    }
    return out;
}

// Watches tell of an object made anew without telling that the one before went, as after a lost event.
std::vector<scenario> made_anew_unseen() {
    std::vector<scenario> out;
    for (const auto* type : {"ADDED", "MODIFIED"}) {
        out.push_back(scenario(std::string("F26 a watch tells another uid as ") + type)
                          .lasts(30s)
                          .answers([type](const ask& q) -> std::optional<reply> {
                              if (!q.is_watch() || q.n > 0) return std::nullopt;
                              q.world.honest.remove("b");
                              q.world.honest.create("b", 20);
                              return reply::stream().send(event_text(type, q.world.object("b"))).hangs();
                          })
                          .well()
                          .heard("-b? +b ")
                          .lists(0, 0));
    }
    return out;
}

std::vector<scenario> a_thousand_deletions() {
    std::vector<scenario> out;
    for (const auto& w : ways) {
        out.push_back(while_away("F27 a thousand objects are deleted", w,
                                 [](play& p) {
                                     for (int i = 0; i < 1000; ++i) p.honest.remove("w" + std::to_string(1000 + i));
                                 })
                          .before([](play& p) {
                              for (int i = 0; i < 1000; ++i) p.honest.create("w" + std::to_string(1000 + i), i);
                          })
                          .holds("a=1 b=2 c=3")
                          .also([by_list = w.by_list](play& p) {
                              // One tombstone each, with what was known last.
                              std::string heard, states;
                              for (int i = 0; i < 1000; ++i) {
                                  const std::string name = "w" + std::to_string(1000 + i);
                                  heard += "-" + name + (by_list ? "? " : " ");
                                  states += name + "=" + std::to_string(i) + " ";
                              }
                              CHECK(p.heard() == heard);
                              CHECK(p.last_states() == states);
                          }));
    }
    return out;
}

// a and b have the label, c has not.
void give_labels(play& p) {
    label(p, "a", "yes");
    label(p, "b", "yes");
}

// Out and in again, a thousand times; in the end a is there.
void flip_a_thousand_times(play& p) {
    for (int i = 0; i < 1000; ++i) {
        label(p, "a", nullptr);
        label(p, "a", "yes");
    }
}

std::string repeated(const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
}

// An object that leaves a selection is deleted to it, and one that comes back is added: with the uid it had.
std::vector<scenario> label_flips() {
    const auto honest = [](const ask&) { return std::optional<reply>(); };
    std::vector<scenario> out;
    out.push_back(scenario("F28 a label flips a thousand times under a watch")
                      .selects("gold")
                      .before(give_labels)
                      .answers(honest)
                      .at(10s, flip_a_thousand_times)
                      .well()
                      .lists(0, 1)
                      .holds("a=1 b=2")
                      .also([](play& p) { CHECK(p.heard() == repeated("-a +a ", 1000)); })
                      .other_history());
    out.push_back(scenario("F28 a label flips, one change in a second each")
                      .selects("gold")
                      .before(give_labels)
                      .answers(honest)
                      .at(10s, [](play& p) { label(p, "a", nullptr); })
                      .at(11s, [](play& p) { p.honest.set_value("a", 50); })
                      .at(12s, [](play& p) { label(p, "c", "yes"); })
                      .at(13s, [](play& p) { label(p, "a", "yes"); })
                      .at(14s, [](play& p) { label(p, "c", nullptr); })
                      .at(15s, [](play& p) { p.honest.remove("c"); })
                      .well()
                      .lists(0, 1)
                      .heard("-a +c +a -c ")
                      .holds("a=50 b=2")
                      .also([](play& p) { CHECK(p.last_states() == "a=1 c=3 "); })
                      .other_history());
    for (const auto& w : ways) {
        out.push_back(while_away("F28 a label flips a thousand times while nobody looks", w, flip_a_thousand_times)
                          .selects("gold")
                          .before(give_labels)
                          .holds("a=1 b=2")
                          .also([by_list = w.by_list](play& p) {
                              CHECK(p.heard() == (by_list ? "~a " : repeated("-a +a ", 1000)));
                          })
                          .other_history());
        out.push_back(while_away("F28 a label goes while nobody looks", w, [](play& p) { label(p, "a", nullptr); })
                          .selects("gold")
                          .before(give_labels)
                          .holds("b=2")
                          .heard(w.by_list ? "-a? " : "-a ")
                          .other_history());
        out.push_back(while_away("F28 labels come and go while nobody looks, and objects with them", w,
                                 [](play& p) {
                                     label(p, "a", nullptr);
                                     label(p, "c", "yes");
                                     p.honest.remove("b");
                                     p.honest.create("b", 20);
                                 })
                          .selects("gold")
                          .before(give_labels)
                          .holds("c=3")
                          .heard(w.by_list ? "-a? -b? +c " : "-a +c -b ")
                          .other_history());
    }
    return out;
}

TEST_CASE("hostile: F26 objects that are made anew") {
    play_all(made_anew());
    play_all(made_anew_unseen());
}
TEST_CASE("hostile: F27 a thousand deletions") { play_all(a_thousand_deletions()); }
TEST_CASE("hostile: F28 labels that flip") { play_all(label_flips()); }

}  // namespace
