#include "trace/simulation.hpp"

#include <kcontrol/json/writer.hpp>

#include "trace/tally.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace gpu_scheduler {
namespace {

double ratio(double part, double of) { return of > 0 ? part / of : 0; }

// One run. With departures, time goes from event to event; pods of one kind wait in one line, for where one of them
// doesn't fit no other one does.
class run {
public:
    run(const std::vector<trace_node>& nodes, const std::vector<trace_pod>& pods, placement_policy policy)
        : pods_(pods), cluster_(nodes, policy, usual_pods_of(pods)), tally_(nodes) {
        report_.pods = pods.size();
        report_.places.resize(pods.size());
        for (const auto& pod : pods) kinds_.push_back(cluster_.kind_of(pod));
        const auto kinds = kinds_.empty() ? 0 : *std::ranges::max_element(kinds_) + 1;
        lines_.resize(kinds);
    }

    simulation_report all_at_once() {
        for (std::size_t pod = 0; pod < pods_.size(); ++pod) place(pod);
        return finish(static_cast<double>(tally_.gpu_milli()), static_cast<double>(tally_.cpu_milli()));
    }

    simulation_report by_time() {
        std::vector<std::size_t> arrivals(pods_.size());
        std::iota(arrivals.begin(), arrivals.end(), std::size_t{0});
        std::ranges::stable_sort(arrivals, {}, [this](std::size_t pod) { return pods_[pod].created; });
        if (!arrivals.empty()) {
            last_arrival_ = pods_[arrivals.back()].created;
            now_ = pods_[arrivals.front()].created;
        }
        const auto first_arrival = now_;
        auto next = arrivals.begin();
        while (next != arrivals.end() || !departures_.empty()) {
            const bool leaves =
                next == arrivals.end() || (!departures_.empty() && departures_.top().first <= pods_[*next].created);
            advance(leaves ? departures_.top().first : pods_[*next].created);
            if (leaves) {
                leave_now();
                try_waiting();
            } else {
                arrive(*next++);
            }
        }
        std::ranges::sort(waits_);
        const auto sum = std::accumulate(waits_.begin(), waits_.end(), 0.0);
        report_.mean_wait_seconds = ratio(sum, static_cast<double>(waits_.size()));
        if (!waits_.empty()) report_.p99_wait_seconds = waits_[(waits_.size() * 99 + 99) / 100 - 1];
        const auto length = static_cast<double>(last_arrival_ - first_arrival);
        return finish(ratio(gpu_seconds_, length), ratio(cpu_seconds_, length));
    }

private:
    bool place(std::size_t pod) {
        auto where = cluster_.place(kinds_[pod]);
        if (!where) return false;
        if (!tally_.add(pods_[pod], *where)) ++report_.overcommitted;
        report_.places[pod] = std::move(where);
        ++report_.placed;
        return true;
    }

    void advance(std::int64_t to) {
        const auto seconds = static_cast<double>(std::max<std::int64_t>(0, std::min(to, last_arrival_) - now_));
        gpu_seconds_ += static_cast<double>(tally_.gpu_milli()) * seconds;
        cpu_seconds_ += static_cast<double>(tally_.cpu_milli()) * seconds;
        now_ = to;
    }
    bool start(std::size_t pod) {
        if (!place(pod)) return false;
        waits_.push_back(now_ - pods_[pod].created);
        departures_.emplace(now_ + pods_[pod].lifetime, pod);
        return true;
    }
    void arrive(std::size_t pod) {
        auto& line = lines_[kinds_[pod]];
        if (line.empty() && start(pod)) return;
        line.emplace_back(arrived_++, pod);
        if (line.size() == 1) blocked_.insert(kinds_[pod]);
    }
    void leave_now() {
        while (!departures_.empty() && departures_.top().first == now_) {
            const auto pod = departures_.top().second;
            departures_.pop();
            const auto& from = *report_.places[pod];
            cluster_.release(kinds_[pod], from);
            tally_.remove(pods_[pod], from);
            std::erase_if(blocked_, [&](std::size_t kind) {
                if (!cluster_.fits(kind, from.node)) return false;
                ready_.emplace(lines_[kind].front().first, kind);
                return true;
            });
        }
    }
    // In the order of arrival; a kind that doesn't fit is blocked until a node frees room for it.
    void try_waiting() {
        while (!ready_.empty()) {
            const auto kind = ready_.begin()->second;
            ready_.erase(ready_.begin());
            auto& line = lines_[kind];
            if (!start(line.front().second)) {
                blocked_.insert(kind);
                continue;
            }
            line.pop_front();
            if (!line.empty()) ready_.emplace(line.front().first, kind);
        }
    }

    simulation_report finish(double gpu_milli, double cpu_milli) {
        report_.gpu_milli_capacity = tally_.gpu_milli_capacity();
        report_.gpu_milli_allocated = static_cast<std::int64_t>(gpu_milli);
        report_.allocation_ratio = ratio(gpu_milli, static_cast<double>(report_.gpu_milli_capacity));
        report_.cpu_allocation_ratio = ratio(cpu_milli, static_cast<double>(tally_.cpu_milli_capacity()));
        report_.fragmentation_ratio =
            ratio(cluster_.fragmented_gpu_milli(), static_cast<double>(cluster_.free_gpu_milli()));
        return std::move(report_);
    }

    using departure = std::pair<std::int64_t, std::size_t>;  // when, and which pod

    const std::vector<trace_pod>& pods_;
    simulated_cluster cluster_;
    tally tally_;
    simulation_report report_;
    std::vector<std::size_t> kinds_;                                      // by pod
    std::vector<std::deque<std::pair<std::size_t, std::size_t>>> lines_;  // by kind: order of arrival, and pod
    std::set<std::size_t> blocked_;                                       // kinds that wait and fit nowhere
    std::set<std::pair<std::size_t, std::size_t>> ready_;                 // order of the first in line, and kind
    std::priority_queue<departure, std::vector<departure>, std::greater<>> departures_;
    std::vector<std::int64_t> waits_;
    std::size_t arrived_ = 0;
    std::int64_t now_ = 0, last_arrival_ = 0;
    double gpu_seconds_ = 0, cpu_seconds_ = 0;
};

}  // namespace

std::vector<usual_pod> usual_pods_of(const std::vector<trace_pod>& pods) {
    std::map<std::pair<demand, std::vector<std::string>>, double> counts;
    for (const auto& pod : pods) {
        const int milli = pod.gpus > 0 ? pod.gpu_milli : whole_gpu;
        ++counts[{{pod.cpu_milli, pod.gpus, milli}, pod.products}];
    }
    std::vector<usual_pod> out;
    for (const auto& [kind, count] : counts) out.push_back({kind.first, kind.second, count});
    return out;
}

simulation_report simulate(const std::vector<trace_node>& nodes, const std::vector<trace_pod>& pods,
                           const simulation_options& options) {
    run one(nodes, pods, options.policy);
    return options.departures ? one.by_time() : one.all_at_once();
}

std::string to_json(const simulation_report& report, const simulation_options& options, double seconds) {
    kcontrol::json::writer out;
    out.begin_object();
    out.member("pods", report.pods);
    out.member("placed", report.placed);
    out.member("gpuMilliCapacity", report.gpu_milli_capacity);
    out.member("gpuMilliAllocated", report.gpu_milli_allocated);
    out.member("allocationRatio", report.allocation_ratio);
    out.member("cpuAllocationRatio", report.cpu_allocation_ratio);
    out.member("fragmentationRatio", report.fragmentation_ratio);
    out.member("overcommitted", report.overcommitted);
    out.member("seconds", seconds);
    if (options.departures) {
        out.member("meanWaitSeconds", report.mean_wait_seconds);
        out.member("p99WaitSeconds", report.p99_wait_seconds);
    }
    out.end_object();
    return out.take() + "\n";
}

std::string placements_csv(const simulation_report& report, const std::vector<trace_node>& nodes,
                           const std::vector<trace_pod>& pods) {
    std::string out = "name,node,gpus\n";
    for (std::size_t pod = 0; pod < pods.size(); ++pod) {
        if (!report.places[pod]) continue;
        out += pods[pod].name + "," + nodes[report.places[pod]->node].name + ",";
        std::string_view separator;
        for (const auto gpu : report.places[pod]->gpus) {
            out += std::string(std::exchange(separator, ";")) + std::to_string(gpu);
        }
        out += '\n';
    }
    return out;
}

}  // namespace gpu_scheduler
