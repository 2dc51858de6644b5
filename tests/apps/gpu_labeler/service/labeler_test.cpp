#include "service/labeler.hpp"

#include <kcontrol/testing/sim_environment.hpp>

#include "service/reports.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>
#include <doctest/doctest.h>

#include <map>

using namespace gpu_labeler;
using namespace std::chrono_literals;
using kcontrol::awaitable;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

namespace {

struct shelf {
    node_marks there;
    std::optional<error> refuses;
    std::map<std::string, std::string> refused;  ///< the labels with these values are
    int questions = 0;                           ///< what would be refused
    bool hangs = false;
    int looks = 0, writes = 0;
};

class fake_store final : public label_store {
public:
    fake_store(kcontrol::environment& env, shelf& s) : env_(env), shelf_(s) {}

    const std::string& name() const noexcept override { return name_; }
    awaitable<result<node_marks>> look(std::stop_token stop) override {
        ++shelf_.looks;
        if (shelf_.hangs) co_await never_.wait(env_, stop);
        if (stop.stop_requested()) co_return error(errc::stopped);
        if (shelf_.refuses) co_return *shelf_.refuses;
        co_return shelf_.there;
    }
    awaitable<result<void>> write(node_marks wanted, std::stop_token) override {
        ++shelf_.writes;
        if (shelf_.refuses) co_return *shelf_.refuses;
        const auto taken = check(wanted);
        if (taken) shelf_.there = std::move(wanted);
        co_return taken;
    }
    awaitable<result<std::vector<refused_mark>>> find_refused(node_marks wanted, std::stop_token stop) override {
        const try_function ask = [this](node_marks some, std::stop_token) { return would_take(std::move(some)); };
        auto found = co_await gpu_labeler::find_refused(std::move(wanted), ask, std::move(stop));
        co_return found;
    }
    awaitable<result<void>> clear(std::stop_token) override { co_return result<void>(); }

private:
    result<void> check(const node_marks& marks) const {
        for (const auto& [key, value] : shelf_.refused) {
            const auto found = marks.labels.find(key);
            if (found == marks.labels.end() || found->second != value) continue;
            return error(kcontrol::api_errc::invalid, "Node n: not this one");
        }
        return {};
    }
    awaitable<result<void>> would_take(node_marks some) {
        ++shelf_.questions;
        co_return check(some);
    }

    kcontrol::environment& env_;
    shelf& shelf_;
    std::string name_ = "Node n";
    kcontrol::async_event never_;
};

// A node with a labeler on it, in virtual time.
class node {
public:
    explicit node(loop_settings s = settings(), std::uint64_t seed = 1)
        : context(seed),
          keeper(
              env, std::move(s), [this](std::stop_token t) { return read(std::move(t)); },
              std::make_unique<fake_store>(env, api), log()) {}
    ~node() { stop_and_wait(); }

    static loop_settings settings() {
        return loop_settings(cron::schedule::parse("@every 60s", cron::time_zone::utc()).value());
    }

    void start() {
        boost::asio::co_spawn(home, keeper.run(stop.get_token()), [this](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
            ended = true;
        });
        started = true;
    }
    void stop_and_wait() {
        stop.request_stop();
        if (started) CHECK(context.run_until([this] { return ended; }, env.now() + 1s));
    }
    int count(const std::string& message) const {
        return static_cast<int>(std::count(logged.begin(), logged.end(), message));
    }

    kcontrol::testing::sim_context context;
    kcontrol::testing::sim_environment env{context};
    kcontrol::executor home = boost::asio::make_strand(context.get_executor());
    std::stop_source stop;
    shelf api;
    std::vector<std::string> logged;
    std::vector<std::string> refusals;  ///< "name=value: error", as the log has them
    int gpus = 8;
    label_map more;  ///< labels, besides the count
    std::vector<lost_gpu> lost;
    std::optional<error> broken;
    bool driver_hangs = false;
    bool started = false;
    bool ended = false;
    labeler keeper;

private:
    kcontrol::logger log() {
        return kcontrol::logger([this](const kcontrol::log_record& r) {
            logged.emplace_back(r.message);
            if (logged.back().find("refused") == std::string::npos) return;
            std::string text;
            for (const auto& field : r.fields) text += (text.empty() ? "" : " ") + std::string(field.value);
            refusals.push_back(std::move(text));
        });
    }
    awaitable<result<reading>> read(std::stop_token token) {
        if (driver_hangs) co_await never_.wait(env, token);
        if (token.stop_requested()) co_return error(errc::stopped);
        if (broken) co_return *broken;
        reading out;
        out.found.gpus.resize(static_cast<std::size_t>(gpus));
        out.found.lost = lost;
        out.marks.labels = more;
        out.marks.labels["nvidia.com/gpu.count"] = std::to_string(gpus);
        co_return out;
    }
    kcontrol::async_event never_;
};

std::string readiness(const labeler_status& status) {
    return kcontrol::health_handler({"GET", "/readyz?verbose"}, "/readyz", readiness_checks(status)).body;
}

}  // namespace

TEST_CASE("labeler: an idle hour has no write and no question") {
    node n;
    n.start();
    n.context.run_for(1min);
    CHECK(n.api.there.labels.at("nvidia.com/gpu.count") == "8");
    CHECK(n.api.writes == 1);
    const auto before = n.keeper.status().reads;
    n.context.run_for(1h);
    CHECK(n.keeper.status().reads - before == 60);
    CHECK(n.api.writes == 1);
    CHECK(n.api.looks == 1);
    CHECK(n.count("labels written") == 1);
    CHECK(n.logged.size() == 2);
}

TEST_CASE("labeler: an event does not wait for the schedule") {
    node n(node::settings().start_jitter(0s));
    n.start();
    n.context.run_for(10s);
    n.gpus = 7;
    n.lost = {{3, "GPU is lost"}};
    n.keeper.event();
    n.context.run_for(1ms);
    CHECK(n.api.there.labels.at("nvidia.com/gpu.count") == "7");
    CHECK(n.count("a GPU does not answer") == 1);
    CHECK(n.keeper.status().lost == 1);
}

TEST_CASE("labeler: what fails is logged once, and so is its end") {
    node n;
    n.start();
    n.context.run_for(1min);
    n.broken = error(errc::unavailable, "the driver is reloaded");
    n.context.run_for(4min);
    CHECK(n.count("the GPUs can't be read") == 1);
    CHECK(n.keeper.status().read_failures > 2);
    CHECK(readiness(n.keeper.status()).find("[-]gpus failed: the driver is reloaded; their last labels are kept") == 0);
    CHECK(n.api.writes == 1);
    n.context.run_for(5min);
    CHECK(n.count("the GPUs could not be read for too long; their labels go") == 1);
    CHECK(n.api.there.empty());
    CHECK(readiness(n.keeper.status()).find("[+]gpus ok") == 0);
    n.broken.reset();
    n.context.run_for(2min);
    CHECK(n.count("the GPUs can be read again") == 1);
    CHECK(n.api.there.labels.at("nvidia.com/gpu.count") == "8");
    n.api.refuses = error(errc::timeout, "no answer");
    n.gpus = 7;
    n.context.run_for(20min);
    CHECK(n.count("the labels can't be written") == 1);
    CHECK(readiness(n.keeper.status()).find("[-]labels failed: no answer") != std::string::npos);
    n.api.refuses.reset();
    n.context.run_for(11min);
    CHECK(n.api.there.labels.at("nvidia.com/gpu.count") == "7");
    CHECK(n.keeper.status().store_error.empty());
}

TEST_CASE("labeler: a label that the server refuses costs no other, and is told once with name and value") {
    node n;
    for (const char c : std::string("abcdefgh")) n.more[std::string("nvidia.com/") + c] = "1";
    n.api.refused = {{"nvidia.com/c", "1"}};
    n.start();
    n.context.run_for(1min);
    CHECK(n.api.there.labels.size() == 8);
    CHECK(n.api.there.labels.at("nvidia.com/gpu.count") == "8");
    CHECK(!n.api.there.labels.contains("nvidia.com/c"));
    CHECK(n.api.writes == 2);
    CHECK(n.api.questions <= 9);
    REQUIRE(n.refusals.size() == 1);
    CHECK(n.refusals[0] == "nvidia.com/c \"1\" Node n: not this one");
    CHECK(n.count("the labels can't be written") == 0);
    CHECK(n.keeper.status().refused == 1);
    CHECK(n.keeper.status().settled);
    CHECK(loop_metrics(n.keeper.status(), {}, 0).find("gpu_labeler_labels_refused 1\n") != std::string::npos);

    const int questions = n.api.questions;
    n.context.run_for(1h);
    CHECK(n.api.writes == 2);
    CHECK(n.api.questions == questions);
    n.gpus = 7;  // what is refused stays out of later writes
    n.context.run_for(2min);
    CHECK(n.api.there.labels.at("nvidia.com/gpu.count") == "7");
    CHECK(n.api.writes == 3);
    n.more["nvidia.com/c"] = "2";  // another value may be taken
    n.context.run_for(2min);
    CHECK(n.api.there.labels.at("nvidia.com/c") == "2");
    CHECK(n.keeper.status().refused == 0);
    n.more["nvidia.com/c"] = "1";
    n.context.run_for(2min);
    CHECK(!n.api.there.labels.contains("nvidia.com/c"));
    CHECK(n.refusals.size() == 1);
    n.api.refused.clear();  // found by the resync
    n.context.run_for(11h);
    CHECK(n.api.there.labels.at("nvidia.com/c") == "1");
    CHECK(n.refusals.size() == 1);
}

TEST_CASE("labeler: what no server takes is not sent") {
    node n(node::settings().once(true));
    n.more = {{"nvidia.com/mig-1g.5gb!.count", "1"}, {"nvidia.com/a", "b c"}, {"nvidia.com/b", "c"}};
    n.start();
    n.context.run_for(1s);
    CHECK(n.keeper.succeeded());
    CHECK(n.api.there.labels == label_map{{"nvidia.com/b", "c"}, {"nvidia.com/gpu.count", "8"}});
    CHECK(n.api.writes == 1);
    CHECK(n.api.questions == 0);
    REQUIRE(n.refusals.size() == 2);
    CHECK(n.refusals[0].find("nvidia.com/a \"b c\" a valid label must be") == 0);
    CHECK(n.refusals[1].find("nvidia.com/mig-1g.5gb!.count \"1\" name part must") == 0);
    CHECK(n.keeper.status().refused == 2);
}

TEST_CASE("labeler: a server that refuses whatever is asked is asked again, later and later") {
    node n(node::settings().start_jitter(0s));
    n.api.refuses = error(kcontrol::api_errc::invalid, "Node n: not yours");
    n.start();
    n.context.run_for(1h);
    CHECK(n.api.looks <= 21);
    CHECK(n.count("the labels can't be written") == 1);
    CHECK(n.refusals.empty());
    CHECK(n.keeper.status().refused == 0);
}

TEST_CASE("labeler: a single pass") {
    node n(node::settings().once(true));
    n.start();
    n.context.run_for(1s);
    CHECK(n.ended);
    CHECK(n.keeper.succeeded());
    node refused(node::settings().once(true));
    refused.api.refuses = error(errc::timeout, "no answer");
    refused.start();
    refused.context.run_for(1s);
    CHECK(refused.ended);
    CHECK(!refused.keeper.succeeded());
}

TEST_CASE("labeler: stops at every step, also while the driver or the server hangs") {
    for (std::uint64_t steps = 0; steps < 40; ++steps) {
        node n(node::settings().start_jitter(0s), steps);
        n.start();
        const auto end = n.context.steps() + steps;
        n.context.run_until([&] { return n.context.steps() >= end; }, n.env.now() + 5min);
        n.stop_and_wait();
        CHECK(n.ended);
    }
    node hung;
    hung.driver_hangs = true;
    hung.start();
    hung.context.run_for(1min);
    CHECK(hung.keeper.status().reads == 0);
    hung.stop_and_wait();
    CHECK(hung.count("the GPUs can't be read") == 0);  // that it was stopped is no failure
    node silent(node::settings().start_jitter(0s));
    silent.api.hangs = true;
    silent.start();
    silent.context.run_for(1min);
    CHECK(silent.api.looks == 1);
    silent.stop_and_wait();
    CHECK(silent.count("the labels can't be written") == 0);
}

TEST_CASE("labeler: metrics") {
    node n;
    n.start();
    n.context.run_for(30s);
    watch_status watching;
    watching.watching = true;
    watching.gaps = 3;
    watching.unwatched = 1500ms;
    const auto text = loop_metrics(n.keeper.status(), watching, 2);
    for (const auto* line :
         {"gpu_labeler_reads_total 1\n", "gpu_labeler_writes_total 1\n", "gpu_labeler_gpus{state=\"ok\"} 8\n",
          "gpu_labeler_gpus{state=\"lost\"} 0\n", "gpu_labeler_labels_settled 1\n", "gpu_labeler_hanging_threads 2\n",
          "gpu_labeler_events_watched 1\n", "gpu_labeler_event_gaps_total 3\n",
          "gpu_labeler_event_gap_seconds_total 1.5\n"}) {
        CAPTURE(std::string(line));
        CHECK(text.find(line) != std::string::npos);
    }
}
