// Templates and rules.
#include "notices/rules.hpp"
#include "notices/support.hpp"
#include "notices/text_template.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;

namespace {

std::string rendered(std::string_view text, const notice& n) {
    const auto made = text_template::parse(text);
    REQUIRE_MESSAGE(made.has_value(), text);
    return made->render(n, [](std::string_view value) { return std::string(value); });
}

std::vector<std::size_t> places(const std::vector<rule>& rules, const notice& n) {
    std::vector<std::size_t> out;
    for (const auto& each : receivers_of(rules, n)) out.push_back(each.receiver);
    return out;
}

}  // namespace

TEST_CASE("a template's fields") {
    const auto n = tests::failed_notice();
    CHECK(rendered("{{ .kind }} {{.namespace}}/{{\t.name }} in {{ .cluster }}", n) == "PyTorchJob ml/bert in prod-1");
    CHECK(rendered("{{ .previous }}->{{ .state }}, {{ .gpus }} GPUs, {{ .duration }}, {{ .time }}, x{{ .changes }}",
                   n) == "Running->Failed, 16 GPUs, 1 h 1 min, 2023-11-14T23:14:22Z, x1");
    CHECK(rendered("{{ .change }}{{ .lasted }}", n) == "Running -> Failed");
    auto lasting = n;
    lasting.lasted = std::chrono::minutes(20);
    CHECK(rendered("{{ .change }}", lasting) == "has been Failed for 20 min");
    lasting.lasted = std::chrono::seconds(20);
    CHECK(rendered("{{ .change }}", lasting) == "has been Failed for 20 s");
    lasting.lasted = std::chrono::seconds(7500);
    CHECK(rendered("{{ .lasted }}", lasting) == " for 2 h 5 min");
    lasting.lasted = std::chrono::minutes(5);
    lasting.cluster_to = "Live";
    CHECK(rendered("{{ .change }}", lasting) == "is Live again after 5 min");
    CHECK(rendered("plain }} { text", n) == "plain }} { text");
    CHECK(rendered("", n).empty());
    const auto gone = tests::make_notice(tests::job("bert"), standing(), standing());
    CHECK(rendered("{{ .previous }} {{ .state }} {{ .reason }} {{ .uid }}", gone) ==
          "New Gone PyTorchJobFailed uid-of-bert");
}

TEST_CASE("values are one line of bounded length") {
    auto view = tests::job("bert");
    view.message = "a\nb\x1b[2J\x7f" + std::string(5000, 'x');
    view.reason = std::string(999, 'y') + "\u00e9\u00e9";  // the cut would fall inside a character
    const auto n = tests::make_notice(view, standing(), job_state::running);
    const auto message = rendered("{{ .message }}", n);
    CHECK(message.starts_with("a b [2J xxx"));
    CHECK(message.size() == 1000 + 3);
    CHECK(rendered("{{ .reason }}", n) == std::string(999, 'y') + "\u2026");
}

TEST_CASE("a bad template says what is right") {
    const auto why = [](std::string_view text) { return text_template::parse(text).error().message(); };
    CHECK(why("{{ .nmae }}") ==
          "{{ .nmae }} is not a field; there are .cluster, .namespace, .name, .kind, .uid, .state, .previous, "
          ".reason, .message, .gpus, .duration, .time, .changes, .url, .lasted, .change, .title, .jobs, .severity, "
          ".runbook");
    CHECK(why("{{ name }}").starts_with("{{ name }} is not a field"));
    CHECK(why("{{}}").starts_with("{{  }} is not a field"));
    CHECK(why("job {{ .name") == "the {{ at byte 4 is not closed: write {{ .name }}");
    CHECK(why(std::string(5000, 'x')) == "the text is longer than 4096 bytes");
}

TEST_CASE("patterns") {
    const struct {
        std::string_view pattern, text;
        bool fits;
    } table[] = {
        {"a", "a", true},          {"a", "b", false},          {"a", "ab", false},         {"", "", true},
        {"*", "", true},           {"*", "x", true},           {"prod-*", "prod-1", true}, {"prod-*", "pro", false},
        {"*-gpu", "eu-gpu", true}, {"a*b*c", "axxbyyc", true}, {"a*b*c", "axxbyy", false}, {"a**", "a", true},
        {"*ab", "aaab", true},     {"a*a", "a", false},        {"A", "a", false},          {"[a]", "a", false}};
    for (const auto& row : table) CHECK_MESSAGE(fits_pattern(row.pattern, row.text) == row.fits, row.pattern, row.text);
    // No pattern takes long.
    CHECK_FALSE(fits_pattern("*a*a*a*a*a*a*a*a*b", std::string(5000, 'a')));
}

TEST_CASE("the first rule that fits decides; continue goes on") {
    rule silent, finals, all, labelled, moved;
    silent.namespaces = {"test-*"};
    finals.to = {job_state::failed, job_state::succeeded};
    finals.kinds = {"PyTorchJob"};
    finals.receivers = {1, 0};
    finals.goes_on = true;
    labelled.labels = *kcontrol::label_selector::parse("team in (nlp,vision),!skip");
    labelled.receivers = {0, 2};
    moved.from = {standing()};
    moved.clusters = {"prod-1"};
    moved.receivers = {3};
    all.receivers = {4};
    const std::vector<rule> rules{silent, finals, labelled, moved, all};
    using list = std::vector<std::size_t>;
    CHECK(places(rules, tests::failed_notice()) == list{1, 0, 2});
    auto view = tests::job("bert", job_state::failed);
    view.namespace_ = "test-a";
    CHECK(places(rules, tests::make_notice(view, job_state::running, job_state::failed)).empty());
    view.namespace_ = "ml";
    view.labels = {};
    CHECK(places(rules, tests::make_notice(view, job_state::running, job_state::failed)) == list{1, 0, 4});
    CHECK(places(rules, tests::make_notice(view, standing(), job_state::pending)) == list{3});
    view.cluster = "prod-2";
    CHECK(places(rules, tests::make_notice(view, standing(), job_state::pending)) == list{4});
    CHECK(places({finals}, tests::make_notice(view, job_state::running, standing())).empty());
    CHECK(places({}, tests::failed_notice()).empty());
}
