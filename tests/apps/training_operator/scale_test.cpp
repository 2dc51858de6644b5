// Many jobs at once: what each costs the API server, how fast they are decided on, and that rest is rest.
#include <kcontrol/testing/fake_cluster.hpp>

#include "operator_world.hpp"
#include "support/how_much.hpp"

#include <chrono>

using namespace training_operator;
using namespace training_operator::tests;

namespace {

// TRAINING_JOBS=1000 for the figures in docs/training_operator/jobs.md.
const auto many = static_cast<int>(test::asked_for("TRAINING_JOBS", test::as_many_as(100, 4)));

class crowd : public operator_world {
public:
    testing::fake_cluster kubelets{world, server, testing::fake_cluster_options().nodes(20)};

    void add_jobs() {
        const json::object pod{{"metadata", {{"annotations", {{"sim/run-ms", "60000"}}}}},
                               {"spec", {{"containers", {{{"name", "trainer"}, {"image", "bert:1"}}}}}}};
        for (int i = 0; i < many; ++i) {
            (void)server.api()
                .create({{"apiVersion", "ai.kcontrol.dev/v1alpha1"},
                         {"kind", "TrainingJob"},
                         {"metadata", {{"name", "job-" + std::to_string(i)}}},
                         {"spec", {{"workers", 2}, {"template", pod}}}})
                .value();
        }
    }
    double value(const std::string& name) {
        const auto text = m->answer(http::request("GET", "/metrics")).body;
        double sum = 0;
        for (auto at = text.find("\n" + name); at != std::string::npos; at = text.find("\n" + name, at + 1)) {
            const auto space = text.find(' ', at);
            sum += std::stod(text.substr(space + 1, text.find('\n', space) - space));
        }
        return sum;
    }
    double succeeded() { return value("training_jobs{phase=\"Succeeded\"}"); }
};

}  // namespace

TEST_CASE_FIXTURE(crowd, "many jobs at once: all end well, in a bounded number of calls, and then nothing is written") {
    const auto sent = value("rest_client_requests_total");
    add_jobs();
    const auto begun = std::chrono::steady_clock::now();  // seam: ok, what it costs really
    const auto at = world.env().now();
    // measures: the time of the simulated world
    while (succeeded() < many && world.env().now() - at < 30min) settle(5s);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;  // seam: ok, as above
    const auto took = std::chrono::duration_cast<std::chrono::seconds>(world.env().now() - at).count();
    CHECK(succeeded() == many);
    settle(1min);
    const double calls = (value("rest_client_requests_total") - sent) / many;
    const double reconciles = value("controller_runtime_reconcile_total{controller=\"trainingjob\"");
    MESSAGE(many << " jobs of 2 ranks in " << took << " simulated s; " << calls << " API calls a job; " << reconciles
                 << " reconciles, " << reconciles / spent.count()
                 << " /s of one core's time, the simulated API server and kubelets included");
    CHECK(calls < 40);
    CHECK(reconciles < 40 * many);
    CHECK(took < 300);

    const auto writes_before = writes();
    const auto reconciles_before = value("controller_runtime_reconcile_total{controller=\"trainingjob\"");
    settle(1h);
    CHECK(writes() == writes_before);
    CHECK(value("controller_runtime_reconcile_total{controller=\"trainingjob\"") == reconciles_before);
}
