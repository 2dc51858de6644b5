#include "output/columns.hpp"

#include "output/job_rows.hpp"

#include <doctest/doctest.h>

#include <set>

using namespace training_monitor;

namespace {

using lines = std::vector<std::string>;

// A failed job in a cluster whose name is as long as people make them.
lines jobs(const text_layout& layout, std::string name = "gpt", std::optional<std::size_t> selected = {}) {
    job_view out;
    out.cluster = "a";
    out.namespace_ = "ml";
    out.name = std::move(name);
    out.kind = "PyTorchJob";
    out.state = job_state::failed;
    out.why = "Worker 1 on n1: exit code 137, killed (SIGKILL)";
    out.start_time = 100;
    out.completion_time = 160;
    out.gpus = 8;
    out.replicas = {{"Worker", 2, 0, 1, 1}};
    return jobs_table({&out}, kcontrol::wall_time{std::chrono::seconds(1000)}, layout).lines(layout, selected);
}

}  // namespace

TEST_CASE("columns: widths, of wide and of combining characters, and of none for colors") {
    CHECK(width("") == 0);
    CHECK(width("abc…") == 4);
    CHECK(width("训练失败") == 8);
    CHECK(width("e\u0301\u200b!") == 2);
    CHECK(width("\U0001f680") == 2);
    CHECK(width("\U0001f468\u200d\U0001f469\u200d\U0001f467") == 2);
    CHECK(width("\u2764\ufe0f\x1b[0m!") == 3);
    CHECK(width("\x1b[1;31mFailed\x1b[0m") == 6);
}

TEST_CASE("columns: texts are cut to the columns there are, between characters") {
    CHECK(cut("abcdef", 0) == "abcdef");
    CHECK(cut("abcdef", 6) == "abcdef");
    CHECK(cut("abcdef", 4) == "abc…");
    CHECK(cut("abcdef", 1) == "…");
    CHECK(cut("训练失败", 4) == "训…");
    CHECK(cut("训练失败", 6) == "训练…");
    CHECK(cut_middle("llama-70b-20261126", 10) == "llama…1126");
    CHECK(cut_middle("训练失败", 5) == "训…败");
    CHECK(cut_middle("ab", 1) == "…");
    CHECK(wrap("0/12 nodes: insufficient gpu", 12) == lines{"0/12 nodes:", "insufficient", "gpu"});
    CHECK(wrap("abcdefgh ij", 3) == lines{"abc", "def", "gh", "ij"});
    CHECK(wrap("训练", 1) == lines{"训", "练"});
    CHECK(wrap("", 10) == lines{""});
    CHECK(cut("e\u0301\u0323fgh", 3) == "e\u0301\u0323f…");
    CHECK(cut("\U0001f469\u200d\U0001f4bb\U0001f680x", 4) == "\U0001f469\u200d\U0001f4bb…");
    CHECK(cut_middle("训\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7练", 6) == "训…练");
    CHECK(wrap("\U0001f469\u200d\U0001f4bb", 1) == lines{"\U0001f469\u200d\U0001f4bb"});
}

TEST_CASE("columns: where a terminal is narrow those of least worth give way, and the reason never does") {
    const auto titles = [](std::size_t columns) { return jobs(text_layout().columns(columns))[0]; };
    CHECK(titles(140) ==
          "CLUSTER  NAMESPACE  NAME  KIND        STATE   DURATION  GPUS  REPLICAS                REASON");
    CHECK(titles(100) == "CLUSTER  NAMESPACE  NAME  KIND        STATE   DURATION  GPUS  REASON");
    CHECK(titles(90) == "CLUSTER  NAMESPACE  NAME  KIND        STATE   DURATION  REASON");
    CHECK(titles(80) == "CLUSTER  NAMESPACE  NAME  STATE   DURATION  REASON");
    CHECK(titles(72) == "CLUSTER  NAMESPACE  NAME  STATE   REASON");
    CHECK(titles(60) == "NAMESPACE  NAME  STATE   REASON");
    CHECK(titles(45) == "NAME  STATE   REASON");
    CHECK(jobs(text_layout().columns(40))[1] == "gpt   Failed  Worker 1 on n1: exit code…");
    CHECK(jobs(text_layout().columns(20))[1] == "gpt   Failed  Worke…");
    CHECK(jobs(text_layout())[1].ends_with("killed (SIGKILL)"));
}

TEST_CASE("columns: a long name leaves room for the state and the reason, and no line is wider than the terminal") {
    const std::string name = "llama-70b-pretraining-on-everything-there-is-20261126";
    const auto at_40 = jobs(text_layout().columns(40).marks(true), name, 0);
    CHECK(at_40[0] == "  NAME" + std::string(14, ' ') + "  STATE   REASON");
    CHECK(at_40[1] == "> llama-70…0261126  ! Failed  Worker 1 …");
    for (std::size_t columns = 10; columns < 200; ++columns) {
        for (const auto& line : jobs(text_layout().columns(columns).marks(true), name, 0)) {
            CHECK(width(line) <= columns);
        }
    }
}

TEST_CASE("columns: states are told apart by color, and by a sign") {
    const auto line = jobs(text_layout().color(true).marks(true))[1];
    CHECK(line.find("\x1b[1;31m! Failed\x1b[0m  ") != std::string::npos);
    // Cut in the state, it has no color, which would end nowhere.
    for (std::size_t columns = 10; columns < 20; ++columns) {
        const auto text = jobs(text_layout().color(true).columns(columns))[1];
        CHECK((text.find("\x1b[1;31m") == std::string::npos) == (text.find("\x1b[0m") == std::string::npos));
    }
    std::set<std::string_view> signs, colors;
    for (const auto* state : {"Failed", "Restarting", "Running", "Succeeded", "Pending"}) {
        signs.insert(mark_of(state));
        colors.insert(color_of(state));
    }
    CHECK(signs.size() == 5);
    CHECK(colors.size() == 5);
    CHECK(mark_of("unreachable") == "!");
    CHECK(color_of("degraded") == color_of("Restarting"));
}

TEST_CASE("columns: the selected line is marked, and where there are colors it is reversed as a whole") {
    CHECK(jobs(text_layout(), "gpt", 0)[1].starts_with("> a "));
    CHECK(jobs(text_layout(), "gpt", 7)[1].starts_with("  a "));
    const auto line = jobs(text_layout().color(true).columns(50), "gpt", 0)[1];
    CHECK(line.starts_with("\x1b[7m> "));
    CHECK(line.ends_with("\x1b[0m"));
    CHECK(line.find("\x1b[1;31m") == std::string::npos);
    CHECK(width(line) == 50);
}

TEST_CASE("durations are short") {
    CHECK(duration_text(std::nullopt) == "-");
    CHECK(duration_text(42) == "42s");
    CHECK(duration_text(304) == "5m4s");
    CHECK(duration_text(11520) == "3h12m");
    CHECK(duration_text(183600) == "2d3h");
}
