// The cache beside a plain list: random events of a cluster, and answers to bindings that are late, lost or refused.
//
// After each step the cache is what the plain list says, and whenever everything was delivered, it is what the server
// has.
#include <kcontrol/scheduling/cache.hpp>

#include "scheduling/objects.hpp"
#include "scheduling/simulated_server.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using scheduling::assumption;
using scheduling::cache;
using scheduling::host_port;
using scheduling::interned_name;
using scheduling::node_info;
using scheduling::pod_info;
using scheduling::resource_amounts;
using scheduling::topology;

namespace {

using pod_pointer = std::shared_ptr<const pod_info>;

std::uint64_t steps_wanted() { return test::asked_for("KCONTROL_SCHEDULING_STEPS", test::as_many_as(10'000)); }

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

// The plain list, which has the rules again.
struct plain_pod {
    pod_pointer pod;
    std::string node;
    assumption decision;  // while it is assumed
    std::string note;     // an annotation of the decision
    bool is_bound = false;
    bool is_read = false;
};

struct plain_list {
    std::vector<plain_pod> pods;
    std::map<std::string, simulated_server::node_object> nodes;

    using place = std::vector<plain_pod>::iterator;
    place named(const pod_info& pod) {
        return std::find_if(pods.begin(), pods.end(),
                            [&](const plain_pod& one) { return one.pod->name() == pod.name(); });
    }
    place find(const pod_info& pod) {
        const auto found = named(pod);
        return found != pods.end() && found->pod->uid() == pod.uid() ? found : pods.end();
    }
    place find(const assumption& decision) {
        const auto found = find(*decision.pod());
        return found != pods.end() && found->decision == decision ? found : pods.end();
    }
    void event(const pod_pointer& pod) {
        const auto& phase = pod->pod().status.phase;
        const std::string node = pod->pod().spec.node_name;
        const bool counts = phase != "Succeeded" && phase != "Failed";
        const auto before = find(*pod);
        plain_pod old = before != pods.end() ? *before : plain_pod();
        if (const auto any = named(*pod); any != pods.end()) pods.erase(any);
        if (!counts) return;
        if (!node.empty()) pods.push_back({pod, node, {}, {}, false, false});
        if (!node.empty() || !old.decision) return;
        if (!old.is_read) old.pod = pod;
        pods.push_back(old);
    }
    void deleted(const pod_info& pod) {
        if (const auto found = find(pod); found != pods.end()) pods.erase(found);
    }
    void assumed(const pod_pointer& pod, const std::string& node, const assumption& decision, const std::string& note) {
        if (const auto any = named(*pod); any != pods.end()) pods.erase(any);
        pods.push_back({pod, node, decision, note, false, false});
    }
    void confirmed(const assumption& decision) {
        if (const auto found = find(decision); found != pods.end()) found->is_bound = true;
    }
    void forgotten(const assumption& decision) {
        if (const auto found = find(decision); found != pods.end() && !found->is_bound) pods.erase(found);
    }
    void settled(const assumption& decision, const pod_pointer& read) {
        const auto found = find(decision);
        if (found == pods.end()) return;
        const auto& phase = read->pod().status.phase;
        const std::string node = read->pod().spec.node_name;
        if (phase == "Succeeded" || phase == "Failed" || (node.empty() && !found->is_bound)) {
            pods.erase(found);
        } else if (!node.empty()) {
            *found = {read, node, decision, {}, true, true};
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
        if (one.note.empty()) {
            REQUIRE(found->pod == one.pod.get());
        } else {
            core::pod wanted = one.pod->pod();
            wanted.metadata.annotations["note"] = one.note;
            REQUIRE(found->pod->pod() == wanted);
        }
        REQUIRE(found->node->name() == one.node);
        REQUIRE(found->is_assumed == static_cast<bool>(one.decision));
        assumed += one.decision ? 1 : 0;
        of_namespace[std::string(one.pod->namespace_())].insert(found->pod);
        on_node[one.node].push_back(found->pod);
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
    explicit world(std::uint64_t seed) : server_(seed) {
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
        case 11: server_.carry_out(12, 33); break;
        case 12:
        case 13: deliver_answer(); break;
        case 14: deliver_read(); break;
        default:
            if (below(200) == 0) restart();
            if (below(20) == 0) deliver_all();
        }
        if (below(8) == 0) {
            core::pod asking;
            asking.spec = *specs_[4];
            cache_->prepare(pod_info(std::make_shared<const core::pod>(asking)));
        }
        check_equal(*cache_, list_);
    }

    /// Everything that is under way arrives; then the cache has what the API server has.
    void deliver_all() {
        while (!server_.requests.empty()) server_.carry_out(12, 33);
        while (!server_.answers.empty()) deliver_answer();
        while (!server_.reads.empty()) deliver_read();
        while (!server_.events.empty()) deliver_event();
        REQUIRE(cache_->assumed_count() == 0);
        std::set<std::string> counted;
        for (const auto& [name, pod] : server_.pods) {
            const std::string node = pod->spec.node_name;
            if (!node.empty() && pod->status.phase == "Pending") counted.insert(pod->metadata.uid.str() + "@" + node);
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
    std::uint64_t below(std::uint64_t n) { return server_.below(n); }
    std::string some_node() { return "n" + std::to_string(below(6)); }

    void create() {
        const std::string name = (below(2) == 0 ? "a-" : "b-") + std::to_string(below(8));
        if (server_.pods.contains(name)) return;
        core::pod made;
        made.metadata.namespace_ = name.substr(0, 1);
        made.metadata.name = name;
        made.metadata.uid = "uid" + std::to_string(++uids_);
        made.spec = *specs_[below(spec_count)];
        made.status.phase = "Pending";
        if (below(5) == 0) made.spec.node_name = some_node();  // as static pods come
        server_.put(std::move(made));
    }
    void bind_elsewhere() {
        const auto pod = server_.some_pod();
        if (pod == nullptr || !pod->spec.node_name.empty()) return;
        core::pod bound = *pod;
        bound.spec.node_name = some_node();
        server_.put(std::move(bound));
    }
    void change() {
        const auto pod = server_.some_pod();
        if (pod == nullptr) return;
        core::pod changed = *pod;
        if (below(3) == 0) changed.status.phase = below(2) == 0 ? "Succeeded" : "Failed";
        if (below(3) == 0 && !changed.spec.node_name.empty()) {  // as a resize in place does
            const auto node = changed.spec.node_name;
            changed.spec = *specs_[below(spec_count)];
            changed.spec.node_name = node;
        }
        if (below(3) == 0) changed.metadata.labels["a"] = std::to_string(below(3));
        server_.put(std::move(changed));
    }
    void remove() {
        if (const auto pod = server_.some_pod()) server_.erase_pod(pod->metadata.name);
    }
    void change_node() {
        const std::string name = some_node();
        if (below(3) == 0) return server_.erase_node(name);
        std::string labels;
        if (below(3) > 0) labels = R"("zone":"z)" + std::to_string(below(2)) + R"(")";
        if (below(3) > 0) labels += (labels.empty() ? "" : ",") + (R"("rack":"r)" + std::to_string(below(3))) + R"(")";
        const std::string images =
            R"(,"images":[{"names":[")" + std::string(below(2) == 0 ? "web:1" : "db:1") + R"("]}])";
        server_.put(node_of(name, R"({"cpu":")" + std::to_string(below(9)) + R"("})", "{" + labels + "}", images));
    }

    void deliver_event() {
        const auto event = server_.next_event();
        if (!event) return;
        if (event->node != nullptr) {
            const std::string name = event->node->metadata.name;
            event->is_deleted ? cache_->remove_node(name) : cache_->set_node(event->node);
            event->is_deleted ? void(list_.nodes.erase(name)) : void(list_.nodes[name] = event->node);
            return;
        }
        const auto pod = std::make_shared<const pod_info>(event->pod);
        if (event->is_deleted) {
            cache_->remove_pod(pod->namespace_(), pod->name(), pod->uid());
            list_.deleted(*pod);
            pending_.erase(std::string(pod->name()));
        } else {
            cache_->set_pod(pod);
            list_.event(pod);
            known(pod);
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
        const std::string note = below(4) == 0 ? std::to_string(below(9)) : std::string();
        dict<text> annotations;
        if (!note.empty()) annotations["note"] = note;
        const bool may = list_.nodes.contains(node) && list_.find(*pod) == list_.pods.end();
        const auto decision = cache_->assume(pod, node, annotations);
        REQUIRE(static_cast<bool>(decision) == may);
        if (!may) return;
        list_.assumed(pod, node, decision, note);
        if (below(8) == 0) {  // a gang that does not fit as a whole
            REQUIRE(cache_->roll_back(decision));
            list_.forgotten(decision);
        } else {
            server_.requests.push_back({decision, node, annotations});
        }
    }
    void deliver_answer() {
        const auto one = server_.any_answer();
        if (!one) return;
        switch (one->how) {
        case simulated_server::outcome::bound:
            cache_->confirm(one->of);
            list_.confirmed(one->of);
            return;
        case simulated_server::outcome::refused:
            cache_->forget(one->of);
            list_.forgotten(one->of);
            return;
        default: server_.ask_for(one->of);
        }
    }
    void deliver_read() {
        const auto one = server_.any_read();
        if (!one) return;
        if (one->found == nullptr) {
            cache_->forget(one->of);
            list_.forgotten(one->of);
            return;
        }
        const auto found = std::make_shared<const pod_info>(one->found);
        cache_->settle(one->of, found);
        list_.settled(one->of, found);
    }

    void restart() {
        server_.cut_off(12);
        pending_.clear();
        list_ = {};
        cache_ = std::make_unique<cache>();
        for (const auto& [name, pod] : server_.pods) {
            const auto made = std::make_shared<const pod_info>(pod);
            cache_->set_pod(made);
            list_.event(made);
            known(made);
        }
        for (const auto& [name, node] : server_.nodes) cache_->set_node(node);
        list_.nodes = server_.nodes;
    }

    std::vector<std::shared_ptr<const core::pod_spec>> specs_;
    std::uint64_t uids_ = 0;
    simulated_server server_;
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
