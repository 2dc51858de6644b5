// The cache beside a plain list: random events of a cluster, and answers to bindings that are late, lost or refused.
//
// A simulated API server has the truth. The watch shows it late, in order; bindings are carried out late, or never;
// their answers and what is read after them come late, too. After each step the cache is what the plain list says, and
// whenever everything was delivered, it is what the API server has.
#include <kcontrol/scheduling/cache.hpp>

#include "scheduling/objects.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::cache;
using scheduling::host_port;
using scheduling::interned_name;
using scheduling::node_info;
using scheduling::pod_info;
using scheduling::resource_amounts;
using scheduling::topology;

namespace {

using pod_pointer = std::shared_ptr<const pod_info>;

std::uint64_t steps_wanted() {
    const char* const wanted = std::getenv("KCONTROL_SCHEDULING_STEPS");  // seam: ok, how long this test shall be
    return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 10'000;
}

// Specs of pods: without anything, with much, with ports, with affinity, and with amounts that are too large or wrong.
const char* const specs[] = {
    R"({"containers":[{"name":"c","image":"web:1"}]})",
    R"({"containers":[{"name":"c","image":"web:1","resources":{"requests":{"cpu":"250m","memory":"1Gi"}}}]})",
    R"({"containers":[{"name":"c","resources":{"requests":{"nvidia.com/gpu":"2","example.com/a":"1","cpu":"3"}}}]})",
    R"({"containers":[{"name":"c","ports":[{"containerPort":1,"hostPort":80},{"containerPort":1,"hostPort":81,"hostIP":"10.0.0.1"}]}]})",
    R"({"containers":[{"name":"c","ports":[{"containerPort":1,"hostPort":80}]}],"affinity":{"podAntiAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"rack","labelSelector":{}}]}}})",
    R"({"containers":[{"name":"c"}],"affinity":{"podAffinity":{
        "preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{"topologyKey":"zone","labelSelector":{}}}]}}})",
    R"({"containers":[{"name":"c","resources":{"requests":{"memory":"9223372036854775807","nvidia.com/gpu":"1"}}}]})",
    R"({"containers":[{"name":"c","resources":{"requests":{"memory":"-1","example.com/a":"9223372036854775808"}}}]})",
};
constexpr std::size_t spec_count = std::size(specs);

// What the API server has of a pod.
struct api_pod {
    std::string name;
    std::string uid;
    std::string node;
    std::string phase = "Pending";
    std::size_t spec = 0;
};

// The plain list, which has the rules again.
struct plain_pod {
    pod_pointer pod;
    std::string node;
    bool is_assumed = false;
    bool is_bound = false;
};

struct plain_list {
    std::vector<plain_pod> pods;
    std::map<std::string, std::shared_ptr<const core::node>> nodes;

    std::vector<plain_pod>::iterator named(const pod_info& pod) {
        return std::find_if(pods.begin(), pods.end(),
                            [&](const plain_pod& one) { return one.pod->name() == pod.name(); });
    }
    std::vector<plain_pod>::iterator find(const pod_info& pod) {
        const auto found = named(pod);
        return found != pods.end() && found->pod->uid() == pod.uid() ? found : pods.end();
    }
    void event(const pod_pointer& pod) {
        const auto& phase = pod->pod().status.phase;
        const std::string node = pod->pod().spec.node_name;
        const bool counts = phase != "Succeeded" && phase != "Failed";
        const auto before = find(*pod);
        const plain_pod old = before != pods.end() ? *before : plain_pod();
        if (const auto any = named(*pod); any != pods.end()) pods.erase(any);
        if (!counts) return;
        if (!node.empty()) pods.push_back({pod, node, false, false});
        if (node.empty() && old.is_assumed) pods.push_back({pod, old.node, true, old.is_bound});
    }
    void deleted(const pod_info& pod) {
        if (const auto found = find(pod); found != pods.end()) pods.erase(found);
    }
    void assumed(const pod_pointer& pod, const std::string& node) {
        if (const auto any = named(*pod); any != pods.end()) pods.erase(any);
        pods.push_back({pod, node, true, false});
    }
    void confirmed(const pod_info& pod) {
        if (const auto found = find(pod); found != pods.end()) found->is_bound = found->is_assumed;
    }
    void forgotten(const pod_info& pod) {
        if (const auto found = find(pod); found != pods.end() && found->is_assumed && !found->is_bound)
            pods.erase(found);
    }
    void settled(const pod_pointer& read) {
        const auto found = find(*read);
        if (found == pods.end() || !found->is_assumed) return;
        const auto& phase = read->pod().status.phase;
        const std::string node = read->pod().spec.node_name;
        if (phase == "Succeeded" || phase == "Failed" || (node.empty() && !found->is_bound)) {
            pods.erase(found);
        } else if (!node.empty()) {
            *found = {read, node, true, true};
        }
    }
};

// Whether the cache shows exactly the list: everything is summed up anew.
void check_equal(cache& all, const plain_list& list) {
    const auto& seen = all.snapshot();
    REQUIRE(seen.nodes().size() == list.nodes.size());
    REQUIRE(seen.pod_count() == list.pods.size());
    std::size_t assumed = 0;
    std::map<std::string, std::multiset<const pod_info*>> of_namespace;
    std::map<std::string, std::vector<const pod_info*>> on_node;
    for (const auto& one : list.pods) {
        const auto* const found = seen.find_pod(one.pod->namespace_(), one.pod->name());
        REQUIRE(found != nullptr);
        REQUIRE(found->pod == one.pod.get());
        REQUIRE(found->node->name() == one.node);
        REQUIRE(found->is_assumed == one.is_assumed);
        assumed += one.is_assumed ? 1 : 0;
        of_namespace[std::string(one.pod->namespace_())].insert(one.pod.get());
        on_node[one.node].push_back(one.pod.get());
    }
    REQUIRE(all.assumed_count() == assumed);
    for (const char* ns : {"a", "b"}) {
        std::multiset<const pod_info*> found;
        for (const auto* one : seen.pods_in(ns)) found.insert(one->pod);
        REQUIRE(found == of_namespace[ns]);
    }
    std::multiset<const node_info*> with_affinity;
    std::multiset<const node_info*> with_anti_affinity;
    std::map<std::string, std::size_t> with_image;
    for (const auto& [name, object] : list.nodes) {
        const auto* const node = seen.find(name);
        REQUIRE(node != nullptr);
        REQUIRE(&node->node() == object.get());
        REQUIRE(std::count(seen.nodes().begin(), seen.nodes().end(), node) == 1);
        REQUIRE(seen.at(node->slot()) == node);
        resource_amounts sum;
        std::int64_t cpu = 0;
        unsigned __int128 memory = 0;
        std::multiset<const pod_info*> pods;
        std::vector<host_port> ports;
        bool has_affinity = false;
        bool has_anti_affinity = false;
        for (const auto* pod : on_node[name]) {
            sum.add(pod->requests());
            cpu += pod->scored_cpu_milli();
            memory += static_cast<unsigned __int128>(pod->scored_memory());
            pods.insert(pod);
            ports.insert(ports.end(), pod->host_ports().begin(), pod->host_ports().end());
            has_affinity |= pod->has_pod_affinity();
            has_anti_affinity |= pod->has_required_anti_affinity();
        }
        std::sort(ports.begin(), ports.end());
        REQUIRE(node->requested() == sum);
        REQUIRE(node->scored_cpu_milli() == cpu);
        constexpr auto greatest = static_cast<unsigned __int128>(std::numeric_limits<std::int64_t>::max());
        REQUIRE(static_cast<unsigned __int128>(node->scored_memory()) == std::min(memory, greatest));
        REQUIRE(std::multiset<const pod_info*>(node->pods().begin(), node->pods().end()) == pods);
        REQUIRE(node->used_ports() == ports);
        REQUIRE(node->pods_with_affinity().empty() != has_affinity);
        REQUIRE(node->pods_with_required_anti_affinity().empty() != has_anti_affinity);
        if (has_affinity) with_affinity.insert(node);
        if (has_anti_affinity) with_anti_affinity.insert(node);
        for (const auto& image : object->status.images) ++with_image[image.names[0]];
        for (const char* label : {"rack", "zone"}) {
            const auto* const by = seen.by_label(interned_name(label));
            if (by == nullptr) continue;
            const auto* const value = node->label(label);
            const auto number = by->domain_of(*node);
            REQUIRE((number == topology::none) == (value == nullptr));
            if (value != nullptr) REQUIRE(by->value(number) == value->view());
        }
    }
    const auto set_of = [](const std::vector<const node_info*>& nodes) {
        return std::multiset<const node_info*>(nodes.begin(), nodes.end());
    };
    REQUIRE(set_of(seen.nodes_with_affinity()) == with_affinity);
    REQUIRE(set_of(seen.nodes_with_required_anti_affinity()) == with_anti_affinity);
    for (const char* image : {"web:1", "db:1"})
        REQUIRE(seen.nodes_with_image(interned_name(image)) == with_image[image]);
    for (const char* label : {"rack", "zone"}) {
        const auto* const by = seen.by_label(interned_name(label));
        if (by == nullptr) continue;
        std::map<std::string, int> nodes_of_value;
        for (const auto& [name, object] : list.nodes) {
            if (const auto* const value = object->metadata.labels.get(label)) ++nodes_of_value[*value];
        }
        REQUIRE(by->live() == nodes_of_value.size());
        for (const auto& [value, count] : nodes_of_value) REQUIRE(by->nodes_in(by->find(value)) == count);
    }
}

class world {
public:
    explicit world(std::uint64_t seed) : random_(seed) {
        for (const auto* json : specs) specs_.push_back(object_of<core::pod_spec>(json));
        cache_ = std::make_unique<cache>();
    }

    void step() {
        switch (below(16)) {
        case 0: create(); break;
        case 1: bind_elsewhere(); break;
        case 2: change(); break;
        case 3: remove(); break;
        case 4: change_node(); break;
        case 5:
        case 6:
        case 7:
        case 8: deliver_event(); break;
        case 9:
        case 10: decide(); break;
        case 11: carry_out(); break;
        case 12:
        case 13: deliver_answer(); break;
        case 14: deliver_read(); break;
        default:
            if (below(200) == 0) restart();
            if (below(20) == 0) deliver_all();
        }
        if (below(8) == 0) cache_->prepare(*pod_info_of({"a-ask", "ask", {}, "Pending", 4}));
        check_equal(*cache_, list_);
    }

    /// Everything that is under way arrives; then the cache has what the API server has.
    void deliver_all() {
        while (!requests_.empty()) carry_out();
        while (!answers_.empty()) deliver_answer();
        while (!reads_.empty()) deliver_read();
        while (!events_.empty()) deliver_event();
        REQUIRE(cache_->assumed_count() == 0);
        std::set<std::string> counted;
        for (const auto& [name, pod] : pods_) {
            if (!pod.node.empty() && pod.phase == "Pending") counted.insert(pod.uid + "@" + pod.node);
        }
        std::set<std::string> found;
        for (const char* ns : {"a", "b"}) {
            for (const auto* one : cache_->snapshot().pods_in(ns)) {
                found.insert(std::string(one->pod->uid()) + "@" + std::string(one->node->name()));
            }
        }
        REQUIRE(found == counted);
    }

private:
    // An event of the watch: a version of a pod or of a node, or its deletion.
    struct watch_event {
        pod_pointer pod;
        std::shared_ptr<const core::node> node;
        std::string deleted_node;
        bool is_deleted = false;
    };
    struct request {
        pod_pointer pod;
        std::string node;
    };
    enum class outcome { bound, refused, conflict, lost };
    struct answer {
        pod_pointer pod;
        outcome how;
    };
    struct read {
        pod_pointer asked;
        std::optional<api_pod> found;
    };

    std::uint64_t below(std::uint64_t n) { return random_() % n; }
    template <class T>
    T take_any(std::vector<T>& from) {
        const auto at = from.begin() + static_cast<std::ptrdiff_t>(below(from.size()));
        T out = std::move(*at);
        from.erase(at);
        return out;
    }

    pod_pointer pod_info_of(const api_pod& of) const {
        auto made = std::make_shared<core::pod>();
        made->metadata.namespace_ = of.name.substr(0, 1);
        made->metadata.name = of.name;
        made->metadata.uid = of.uid;
        made->spec = *specs_[of.spec];
        made->spec.node_name = of.node;
        made->status.phase = of.phase;
        return std::make_shared<const pod_info>(std::move(made));
    }
    void show(const api_pod& pod, bool is_deleted = false) {
        events_.push_back({pod_info_of(pod), nullptr, {}, is_deleted});
    }
    std::string some_node() { return "n" + std::to_string(below(6)); }
    api_pod* some_pod() {
        if (pods_.empty()) return nullptr;
        return &std::next(pods_.begin(), static_cast<std::ptrdiff_t>(below(pods_.size())))->second;
    }

    void create() {
        const std::string name = (below(2) == 0 ? "a-" : "b-") + std::to_string(below(8));
        if (pods_.contains(name)) return;
        api_pod made{name, "uid" + std::to_string(++uids_), {}, "Pending", below(spec_count)};
        if (below(5) == 0) made.node = some_node();  // as static pods come
        show(pods_[name] = made);
    }
    void bind_elsewhere() {
        api_pod* const pod = some_pod();
        if (pod == nullptr || !pod->node.empty()) return;
        pod->node = some_node();
        show(*pod);
    }
    void change() {
        api_pod* const pod = some_pod();
        if (pod == nullptr) return;
        if (below(3) == 0) pod->phase = below(2) == 0 ? "Succeeded" : "Failed";
        if (below(3) == 0 && !pod->node.empty()) pod->spec = below(spec_count);  // as a resize in place does
        show(*pod);
    }
    void remove() {
        api_pod* const pod = some_pod();
        if (pod == nullptr) return;
        show(*pod, true);
        pods_.erase(std::string(pod->name));
    }
    void change_node() {
        const std::string name = some_node();
        if (below(3) == 0) {
            nodes_.erase(name);
            events_.push_back({nullptr, nullptr, name, true});
            return;
        }
        std::string labels;
        if (below(3) > 0) labels = R"("zone":"z)" + std::to_string(below(2)) + R"(")";
        if (below(3) > 0) labels += (labels.empty() ? "" : ",") + (R"("rack":"r)" + std::to_string(below(3))) + R"(")";
        const std::string images =
            R"(,"images":[{"names":[")" + std::string(below(2) == 0 ? "web:1" : "db:1") + R"("]}])";
        nodes_[name] = node_of(name, R"({"cpu":")" + std::to_string(below(9)) + R"("})", "{" + labels + "}", images);
        events_.push_back({nullptr, nodes_[name], {}, false});
    }

    void deliver_event() {
        if (events_.empty()) return;
        const watch_event event = std::move(events_.front());
        events_.pop_front();
        if (event.node != nullptr) {
            cache_->set_node(event.node);
            list_.nodes[event.node->metadata.name] = event.node;
        } else if (event.pod == nullptr) {
            cache_->remove_node(event.deleted_node);
            list_.nodes.erase(event.deleted_node);
        } else if (event.is_deleted) {
            cache_->remove_pod(event.pod->namespace_(), event.pod->name(), event.pod->uid());
            list_.deleted(*event.pod);
            pending_.erase(std::string(event.pod->name()));
        } else {
            cache_->set_pod(event.pod);
            list_.event(event.pod);
            known(event.pod);
        }
    }
    // What the scheduler knows of pods that wait.
    void known(const pod_pointer& pod) {
        const bool waits = pod->pod().spec.node_name.empty() && pod->pod().status.phase == "Pending";
        if (waits) {
            pending_[std::string(pod->name())] = pod;
        } else {
            pending_.erase(std::string(pod->name()));
        }
    }

    void decide() {
        if (pending_.empty()) return;
        const auto& pod = std::next(pending_.begin(), static_cast<std::ptrdiff_t>(below(pending_.size())))->second;
        const std::string node = some_node();
        const auto found = list_.find(*pod);
        const bool may = list_.nodes.contains(node) && found == list_.pods.end();
        REQUIRE(cache_->assume(pod, node) == may);
        if (!may) return;
        list_.assumed(pod, node);
        if (below(8) == 0) {  // a gang that does not fit as a whole
            REQUIRE(cache_->forget(*pod));
            list_.forgotten(*pod);
        } else {
            requests_.push_back({pod, node});
        }
    }
    // The API server carries out a binding; or nobody does, or a webhook refuses it.
    void carry_out() {
        if (requests_.empty()) return;
        const request one = take_any(requests_);
        if (below(8) == 0) return answers_.push_back({one.pod, below(2) == 0 ? outcome::refused : outcome::lost});
        const auto found = pods_.find(std::string(one.pod->name()));
        const bool fits = found != pods_.end() && found->second.uid == one.pod->uid() && found->second.node.empty() &&
                          found->second.phase == "Pending";
        if (fits) {
            found->second.node = one.node;
            show(found->second);
        }
        const bool is_lost = below(3) == 0;
        answers_.push_back({one.pod, is_lost ? outcome::lost : (fits ? outcome::bound : outcome::conflict)});
    }
    void deliver_answer() {
        if (answers_.empty()) return;
        const answer one = take_any(answers_);
        switch (one.how) {
        case outcome::bound:
            cache_->confirm(*one.pod);
            list_.confirmed(*one.pod);
            return;
        case outcome::refused:
            cache_->forget(*one.pod);
            list_.forgotten(*one.pod);
            return;
        default: {
            const auto found = pods_.find(std::string(one.pod->name()));
            const bool is_there = found != pods_.end() && found->second.uid == one.pod->uid();
            reads_.push_back({one.pod, is_there ? std::optional(found->second) : std::nullopt});
        }
        }
    }
    void deliver_read() {
        if (reads_.empty()) return;
        const read one = take_any(reads_);
        if (!one.found) {
            cache_->forget(*one.asked);
            list_.forgotten(*one.asked);
            return;
        }
        const auto found = pod_info_of(*one.found);
        cache_->settle(found);
        list_.settled(found);
    }

    // A new process: what was under way may still be carried out, and nobody waits for the answer.
    void restart() {
        while (!requests_.empty()) {
            carry_out();
            answers_.clear();
        }
        answers_.clear();
        reads_.clear();
        events_.clear();
        pending_.clear();
        list_ = {};
        cache_ = std::make_unique<cache>();
        for (const auto& [name, pod] : pods_) {
            const auto made = pod_info_of(pod);
            cache_->set_pod(made);
            list_.event(made);
            known(made);
        }
        for (const auto& [name, node] : nodes_) cache_->set_node(node);
        list_.nodes = nodes_;
    }

    std::mt19937_64 random_;
    std::vector<std::shared_ptr<const core::pod_spec>> specs_;
    std::uint64_t uids_ = 0;
    // The API server, and what is under way.
    std::map<std::string, api_pod> pods_;
    std::map<std::string, std::shared_ptr<const core::node>> nodes_;
    std::deque<watch_event> events_;
    std::vector<request> requests_;
    std::vector<answer> answers_;
    std::vector<read> reads_;
    // The scheduler.
    std::unique_ptr<cache> cache_;
    std::map<std::string, pod_pointer> pending_;
    plain_list list_;
};

}  // namespace

TEST_CASE("cache: beside a plain list, with late, lost and refused answers") {
    const std::uint64_t steps = steps_wanted();
    constexpr std::uint64_t steps_of_world = 2000;
    for (std::uint64_t seed = 1; seed <= std::max<std::uint64_t>(1, steps / steps_of_world); ++seed) {
        CAPTURE(seed);
        world one(seed);
        for (std::uint64_t step = 0; step < steps_of_world; ++step) {
            CAPTURE(step);
            one.step();
        }
        one.deliver_all();
    }
}
