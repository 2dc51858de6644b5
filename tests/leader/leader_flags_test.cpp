// What a program's options and its command line say of leadership, together.
#include <kcontrol/leader/leader_flags.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using namespace kcontrol;
using namespace std::chrono_literals;

namespace {

result<std::optional<leader_options>> said(const std::vector<std::string_view>& arguments,
                                           const std::optional<leader_options>& program = std::nullopt) {
    const auto split = split_arguments(arguments, leader_flags::shapes());
    if (!split) return split.error();
    leader_flags flags;
    for (const argument& one : *split) {
        if (one.is_word()) return error(errc::invalid_argument, "a word: " + std::string(one.text));
        const auto taken = flags.take(leader_flags::shapes()[one.flag].name, one.text);
        if (!taken) return taken.error();
    }
    return flags.options(program);
}

std::string describe(const result<std::optional<leader_options>>& of) {
    if (!of) return of.error().message();
    if (!*of) return "alone";
    const leader_options& o = **of;
    const auto seconds = [](duration d) {
        return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(d).count());
    };
    return to_string(o.lease()) + " as " + o.identity() + " " + seconds(o.lease_duration()) + "/" +
           seconds(o.renew_deadline()) + "/" + seconds(o.retry_period()) + (o.release_on_stop() ? "" : " kept");
}

}  // namespace

TEST_CASE("what becomes of a program's options and its flags") {
    leader_options own({"ns", "own"});
    own.identity("me").lease_duration(30s).renew_deadline(20s).retry_period(5s).release_on_stop(false);
    struct row {
        std::vector<std::string_view> arguments;
        bool program_elects;
        std::string expected;
    };
    const row rows[] = {
        {{}, false, "alone"},
        {{}, true, "ns/own as me 30/20/5 kept"},
        {{"--leader-elect=false"}, true, "alone"},
        {{"--leader-elect=0"}, true, "alone"},
        {{"--leader-elect"}, true, "ns/own as me 30/20/5 kept"},
        {{"--leader-elect"}, false, "--leader-elect: the Lease has no name; give --leader-election-id NAME"},
        {{"--leader-election-id", "op"}, false, "alone"},
        {{"--leader-elect", "--leader-election-id", "op", "--leader-election-namespace=here"},
         false,
         "here/op as  15/10/2"},
        {{"--leader-elect=true", "--leader-election-id=op"}, true, "ns/op as me 30/20/5 kept"},
        {{"--leader-elect", "--leader-election-id=op", "--leader-election-namespace=a",
          "--leader-election-lease-duration=1m", "--leader-election-renew-deadline", "40s",
          "--leader-election-retry-period=1500ms"},
         false,
         "a/op as  60/40/1"},
        {{"--leader-election-lease-duration=20s"},
         true,
         "lease ns/own: lease_duration is 20 s; it must be longer than renew_deadline, which is 20 s"},
        {{"--leader-election-retry-period=5"},
         true,
         "--leader-election-retry-period 5: not a duration like 15s or 1m30s"},
        {{"--leader-elect=yes\x1b"}, true, "--leader-elect yes\\x1b: not true or false"},
        {{"--leader-elect", "true"}, true, "a word: true"},  // as with Go's flags
        {{"--leader-election-id="}, true, "--leader-election-id needs a value; see --help"},
    };
    for (const row& r : rows) {
        CAPTURE(r.expected);
        CHECK(describe(said(r.arguments, r.program_elects ? std::optional(own) : std::nullopt)) == r.expected);
    }
}
