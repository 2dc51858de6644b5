// A whole life of a job, again and again: with each request failing once, in each way; with the operator killed at each
// request; and with two operators that know nothing of each other.
#include "operator_world.hpp"
#include "support/disturbed_life.hpp"

#include <map>
#include <set>

using namespace training_operator;
using namespace training_operator::tests;

namespace {

// Pods run for 5 s. The first attempt ends with a signal in rank 0, the second one well.
class life final : public test::disturbed_life<operator_world> {
public:
    using disturbed_life::disturbed_life;

    std::string play() override {
        w_.serve_version("7");
        json::object spec = operator_world::dataset();
        spec["gates"] = operator_world::gates({"eval"})["gates"];
        spec["modelCard"] = {{"license", "mit"}};
        w_.add_job(spec);
        const bool ended = goes_on_until([this] { return w_.phase() == "Failed" || has_card(); });
        std::string out = ended ? w_.told() : "it does not end: " + w_.told();
        quiet_ = false;
        w_.remove_job();
        const bool gone = goes_on_until([this] { return w_.phase() == "gone" && w_.pods().empty(); });
        if (!gone) out += ", and it does not go: " + w_.phase() + " " + w_.pods();
        if (most_ > 2) out += ", with up to " + std::to_string(most_) + " pods";
        if (jobs_.size() != 1) out += ", with " + std::to_string(jobs_.size()) + " gates";
        if (gangs_.size() != 2) out += ", in " + std::to_string(gangs_.size()) + " attempts";
        for (const auto& [attempt, uids] : gangs_) {
            if (uids.size() != 2) out += ", attempt " + attempt + " of " + std::to_string(uids.size()) + " pods";
        }
        return out;
    }

private:
    // The last thing that is done for a job that has succeeded.
    bool has_card() {
        const auto card = w_.server.api().get({"", "configmaps"}, {"default", "bert-modelcard"});
        return w_.phase() == "Succeeded" && card && json::find(*card, {"immutable"}) != nullptr;
    }
    // Scheduler and kubelet.
    void tick() override {
        std::size_t pods = 0;
        for (const auto& job : w_.server.api().list({"batch", "jobs"})) {
            const std::string gate(json::get_string(job, {"metadata", "labels", gate_label}));
            const std::string uid(json::get_string(job, {"metadata", "uid"}));
            if (json::find(job, {"metadata", "deletionTimestamp"}) != nullptr || ++ages_[uid] != 3) continue;
            w_.end_gate(gate, 0, R"({"metrics":{"accuracy":0.9}})");
            jobs_.insert(uid);
        }
        for (const auto& pod : w_.server.api().list(pods_id)) {
            if (json::find(pod, {"metadata", "labels", gate_label}) != nullptr) {
                if (json::find(pod, {"metadata", "deletionTimestamp"}) == nullptr) continue;
                w_.let_go();
                break;
            }
            ++pods;
            const std::string uid(json::get_string(pod, {"metadata", "uid"}));
            const std::string attempt(json::get_string(pod, {"metadata", "labels", attempt_label}));
            const bool first = json::get_string(pod, {"metadata", "labels", rank_label}) == "0";
            const int number = first ? 0 : 1;
            gangs_[attempt].insert(uid);
            if (json::find(pod, {"metadata", "deletionTimestamp"}) != nullptr) {
                w_.let_go();
                break;
            }
            const int age = ++ages_[uid];
            if (age == 1) w_.run(number);
            if (age == 6 && attempt == "1" && first) w_.end(number, 137);
            if (age == 6 && attempt != "1") w_.end(number, 0);
        }
        most_ = std::max(most_, pods);
    }

    std::size_t most_ = 0;
    std::map<std::string, int> ages_;
    std::set<std::string> jobs_;
    std::map<std::string, std::set<std::string>> gangs_;
};

const std::string well = "Succeeded, attempt 2, 2/2, Succeeded: all ranks exited with code 0, and all gates are passed";

}  // namespace

TEST_CASE(
    "each request of a job's life fails once, in each way, or is the last one of an operator: the end is the same") {
    test::sweep<life>(well, 110, 5);
}

TEST_CASE("two operators at once, neither of which knows of the other: one gang, one end") {
    life both(test::trouble::none, 0);
    auto& w = both.world();
    manager other(w.world.env(), w.world.get_executor(), w.world.connect(w.server), watched());
    REQUIRE(set_up(other, w.world.network().factory()));
    other.start();
    CHECK(both.play() == well);
    w.world.run(other.stop());
}
