// Daemons of one object as a state machine: a row a story.
#include <kcontrol/controller/detail/daemon_set.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>

using namespace kcontrol;
using namespace kcontrol::detail;
using namespace std::chrono_literals;

namespace {

const char* to_string(daemon_answer answer) {
    if (answer == daemon_answer::run) return "run";
    return answer == daemon_answer::known ? "-" : "refused";
}

// Plays words: ask, no-room (ask), done, fail, due, woken, stop, all. What each leads to, and the state afterwards.
std::string play(const std::string& story) {
    daemon_set set(backoff_policy().initial(1s).jitter(0), 16);
    const time_point now{};
    std::istringstream words(story);
    std::string out;
    const auto step = [&](const daemon_step& s) {
        if (s.what == daemon_step::kind::leave) return std::string("leave");
        if (s.what == daemon_step::kind::run) return std::string(s.newly ? "run-new" : "run");
        return "wait" + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(s.until - now).count());
    };
    for (std::string word; words >> word;) {
        if (!out.empty()) out += " ";
        if (word == "ask") out += to_string(set.ask("d"));
        if (word == "no-room") out += to_string(set.ask("d", false));
        if (word == "done") out += step(set.returned("d", false, now, 0));
        if (word == "fail") out += step(set.returned("d", true, now, 0));
        if (word == "due") out += step(set.due("d"));
        if (word == "woken") out += step(set.woken("d"));
        if (word == "stop") out += set.stop("d") ? "cancel" : "-";
        if (word == "all") out += set.stop_all().empty() ? "-" : "cancel";
    }
    static constexpr const char* states[] = {"absent", "running", "waiting", "finished", "ending"};
    return out + ": " + states[static_cast<int>(set.state("d"))];
}

}  // namespace

TEST_CASE("what becomes of a daemon") {
    struct row {
        const char* name;
        const char* story;
        const char* expected;
    };
    const row rows[] = {
        {"start", "ask", "run: running"},
        {"asked for by every reconcile", "ask ask ask", "run - -: running"},
        {"finish, and not again", "ask done ask", "run leave -: finished"},
        {"fail, and again after a while", "ask fail due", "run wait1 run: running"},
        {"fail again and again", "ask fail due fail due fail", "run wait1 run wait2 run wait4: waiting"},
        {"asked for while it waits", "ask fail ask", "run wait1 -: waiting"},
        {"finish after a failure", "ask fail due done", "run wait1 run leave: finished"},
        {"object deleted while starting", "ask all done", "run cancel leave: absent"},
        {"object deleted while it runs, which is no failure", "ask all fail", "run cancel leave: absent"},
        {"object deleted while it waits", "ask fail all woken", "run wait1 cancel leave: absent"},
        {"object deleted when it was done", "ask done all", "run leave -: absent"},
        {"the wait ends as the object goes", "ask fail all due", "run wait1 cancel leave: absent"},
        {"controller stop, twice", "ask all all done", "run cancel - leave: absent"},
        {"nothing there to stop", "all stop", "- -: absent"},
        {"name reused after the object has gone", "ask all done ask", "run cancel leave run: running"},
        {"name reused before it has returned", "ask all ask done", "run cancel - run-new: running"},
        {"and asked for twice", "ask all ask ask done done", "run cancel - - run-new leave: finished"},
        {"and gone again", "ask all ask all done", "run cancel - - leave: absent"},
        {"stopped by name, then asked for", "ask stop ask fail", "run cancel - run-new: running"},
        {"stopped by name when it was done: forgotten", "ask done stop ask", "run leave - run: running"},
        {"returned before it was told that all ends", "ask fail woken all", "run wait1 leave -: absent"},
        {"asked for without room", "no-room no-room ask no-room", "refused refused run -: running"},
        {"to follow one that is ending there is room", "ask all no-room done", "run cancel - run-new: running"},
        {"what comes too late", "done due woken", "leave leave leave: absent"},
    };
    for (const row& r : rows) {
        CAPTURE(r.name);
        CHECK(play(r.story) == r.expected);
    }
}

TEST_CASE("daemons of several names are apart") {
    daemon_set set(backoff_policy(), 3);
    CHECK(set.empty());
    for (const char* name : {"a", "b", "c"}) CHECK(set.ask(name) == daemon_answer::run);
    CHECK(set.ask("d") == daemon_answer::refused);
    CHECK(set.returned("a", false, {}, 0).what == daemon_step::kind::leave);
    CHECK(set.returned("b", true, {}, 0).what == daemon_step::kind::wait);
    CHECK(set.failures("b") == 1);
    CHECK(set.failures("c") == 0);
    CHECK(set.alive() == 2);
    CHECK(set.ask("d") == daemon_answer::refused);  // one that is done is not forgotten
    CHECK(set.stop_all() == std::vector<std::string>{"b", "c"});
    CHECK(set.alive() == 2);
    CHECK(set.woken("b").what == daemon_step::kind::leave);
    CHECK(set.returned("c", true, {}, 0).what == daemon_step::kind::leave);
    CHECK(set.empty());
}
