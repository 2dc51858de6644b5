#include <kcontrol/testing/random_cluster.hpp>
#include <kcontrol/testing/sim_context.hpp>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace kcontrol::inline v0_1::testing {
namespace {

const char* const zone_label = "topology.kubernetes.io/zone";
const char* const hostname_label = "kubernetes.io/hostname";
const char* const gpu_resource = "nvidia.com/gpu";

json::object named_object(const char* version, const char* kind, const std::string& name) {
    json::object out;
    out["apiVersion"] = version;
    out["kind"] = kind;
    out["metadata"] = json::object{{"name", name}};
    return out;
}

std::string with_number(const char* word, std::uint64_t number) { return word + std::to_string(number); }

/// The parts of a cluster, each with its own share of chance.
class cluster_maker {
public:
    cluster_maker(std::uint64_t seed, const random_cluster_options& options) : random_(seed), options_(options) {}

    random_cluster make() {
        random_cluster out;
        for (const char* name : {"random-a", "random-b"}) {
            json::object one = named_object("v1", "Namespace", name);
            one["metadata"].as_object()["labels"] = json::object{{"team", name}};
            out.namespaces.emplace_back(std::move(one));
        }
        for (const auto& [name, value] : {std::pair("random-low", 10), std::pair("random-high", 1000)}) {
            json::object one = named_object("scheduling.k8s.io/v1", "PriorityClass", name);
            one["value"] = value;
            out.priority_classes.emplace_back(std::move(one));
        }
        const auto spread = static_cast<std::uint64_t>(std::max(0, options_.most_nodes() - options_.least_nodes()));
        const auto nodes = static_cast<std::uint64_t>(options_.least_nodes()) + random_.below(spread + 1);
        for (std::uint64_t i = 0; i < nodes; ++i) out.nodes.push_back(make_node(i));
        for (int i = 0; i < options_.pods(); ++i) out.pods.push_back(make_pod(i));
        for (int i = 0; i < options_.gangs(); ++i) make_gang(i, out.pods);
        return out;
    }

private:
    const char* pick(std::initializer_list<const char*> all) {
        return all.begin()[random_.below(all.size())];  // NOLINT: within the list
    }
    std::string zone() { return with_number("zone-", random_.below(3)); }

    json::value make_node(std::uint64_t number) {
        const std::string name = with_number("node-", number);
        json::object node = named_object("v1", "Node", name), labels, spec, room;
        labels[hostname_label] = name;
        if (random_.chance(85)) labels[zone_label] = zone();
        if (random_.chance(60)) labels["disk"] = pick({"ssd", "hdd"});
        room["cpu"] = random_.chance(30) ? std::to_string(1500 + random_.below(4000)) + "m"
                                         : std::to_string(2 + random_.below(15));
        room["memory"] = std::to_string(4 + random_.below(29)) + "Gi";
        room["ephemeral-storage"] = std::to_string(20 + random_.below(80)) + "Gi";
        room["pods"] = std::to_string(3 + random_.below(10));
        if (random_.chance(35)) {
            const std::uint64_t gpus = 1ULL << random_.below(4);
            room[gpu_resource] = std::to_string(gpus);
            labels["gpus"] = std::to_string(gpus);
        }
        json::array taints;
        if (random_.chance(20)) taints.push_back(taint("dedicated", pick({"gpu", "batch"}), "NoSchedule"));
        if (random_.chance(10)) taints.push_back(taint("spot", "yes", "PreferNoSchedule"));
        if (random_.chance(5)) taints.push_back(taint("broken", "", "NoExecute"));
        if (!taints.empty()) spec["taints"] = std::move(taints);
        if (random_.chance(8)) spec["unschedulable"] = true;
        json::array images;
        for (const char* image : {"web:1", "train:2"}) {
            if (!random_.chance(40)) continue;
            json::object one;
            one["names"] = json::array{image};
            one["sizeBytes"] = static_cast<std::int64_t>(100 + random_.below(900)) * 1024 * 1024;
            images.emplace_back(std::move(one));
        }
        json::object status;
        status["capacity"] = room;
        status["allocatable"] = std::move(room);
        if (!images.empty()) status["images"] = std::move(images);
        node["metadata"].as_object()["labels"] = std::move(labels);
        node["spec"] = std::move(spec);
        node["status"] = std::move(status);
        return json::value(std::move(node));
    }

    static json::value taint(const char* key, const char* value, const char* effect) {
        json::object out{{"key", key}, {"effect", effect}};
        if (*value != '\0') out["value"] = value;
        return json::value(std::move(out));
    }

    json::value make_container(const std::string& name, std::uint64_t most_cpu) {
        json::object out{{"name", name}, {"image", pick({"web:1", "train:2", "other:3"})}}, requests, limits;
        if (random_.chance(85)) requests["cpu"] = std::to_string(50 + 50 * random_.below(most_cpu)) + "m";
        if (random_.chance(75)) requests["memory"] = std::to_string(64 + 64 * random_.below(48)) + "Mi";
        if (random_.chance(10)) requests["ephemeral-storage"] = std::to_string(1 + random_.below(20)) + "Gi";
        if (random_.chance(10)) limits["cpu"] = "4";
        json::object resources;
        if (!requests.empty()) resources["requests"] = std::move(requests);
        if (!limits.empty()) resources["limits"] = std::move(limits);
        if (!resources.empty()) out["resources"] = std::move(resources);
        return json::value(std::move(out));
    }

    json::value make_pod(int number) {
        const std::string name = "pod-" + std::to_string(number);
        json::object pod = named_object("v1", "Pod", name), spec;
        json::object& metadata = pod["metadata"].as_object();
        metadata["namespace"] = random_.chance(70) ? "random-a" : "random-b";
        metadata["labels"] = json::object{{"app", pick({"a", "b", "c", "d"})}};
        spec["schedulerName"] = options_.scheduler_name();
        json::array containers{make_container("main", 40)};
        if (random_.chance(25)) containers.push_back(make_container("second", 10));
        json::object& main = containers.front().as_object();
        if (random_.chance(20)) {
            json::value& resources = main["resources"];
            if (!resources.is_object()) resources.emplace_object();
            json::value& limits = resources.as_object()["limits"];
            if (!limits.is_object()) limits.emplace_object();
            limits.as_object()[gpu_resource] = std::to_string(1ULL << random_.below(3));
        }
        if (random_.chance(12)) {
            json::object port{{"containerPort", 80}, {"hostPort", 8000 + static_cast<int>(random_.below(2))}};
            port["protocol"] = pick({"TCP", "UDP"});
            if (random_.chance(30)) port["hostIP"] = "127.0.0.1";
            main["ports"] = json::array{std::move(port)};
        }
        spec["containers"] = std::move(containers);
        add_init_containers(spec);
        add_node_choice(spec);
        add_pod_affinity(spec);
        add_spread(spec);
        if (random_.chance(25)) {
            const bool high = random_.chance(50);
            spec["priorityClassName"] = high ? "random-high" : "random-low";
            spec["priority"] = high ? 1000 : 10;
        }
        pod["spec"] = std::move(spec);
        return json::value(std::move(pod));
    }

    void add_init_containers(json::object& spec) {
        json::array all;
        if (random_.chance(10)) {
            json::value sidecar = make_container("sidecar", 8);
            sidecar.as_object()["restartPolicy"] = "Always";
            all.push_back(std::move(sidecar));
        }
        if (random_.chance(10)) all.push_back(make_container("init", 60));
        if (!all.empty()) spec["initContainers"] = std::move(all);
    }

    void add_node_choice(json::object& spec) {
        if (random_.chance(12)) spec["nodeSelector"] = json::object{{"disk", pick({"ssd", "hdd"})}};
        json::object affinity;
        if (random_.chance(15)) {
            json::array terms{node_term()};
            if (random_.chance(30)) terms.push_back(node_term());
            affinity["requiredDuringSchedulingIgnoredDuringExecution"] =
                json::object{{"nodeSelectorTerms", std::move(terms)}};
        }
        if (random_.chance(15)) {
            json::object preferred{{"weight", 1 + static_cast<int>(random_.below(100))}};
            preferred["preference"] = node_term();
            affinity["preferredDuringSchedulingIgnoredDuringExecution"] = json::array{std::move(preferred)};
        }
        if (!affinity.empty()) spec["affinity"].emplace_object()["nodeAffinity"] = std::move(affinity);
        json::array tolerations;
        if (random_.chance(30)) {
            tolerations.push_back(json::object{{"key", "dedicated"}, {"operator", "Equal"}, {"value", "gpu"}});
        }
        if (random_.chance(8)) tolerations.push_back(json::object{{"operator", "Exists"}});
        if (!tolerations.empty()) spec["tolerations"] = std::move(tolerations);
    }

    json::value node_term() {
        json::object expression;
        switch (random_.below(5)) {
        case 0:
            expression = {{"key", zone_label}, {"operator", "In"}};
            expression["values"] = json::array{zone(), "zone-9"};
            break;
        case 1:
            expression = {{"key", "disk"}, {"operator", "NotIn"}};
            expression["values"] = json::array{"hdd"};
            break;
        case 2: expression = {{"key", "gpus"}, {"operator", "Exists"}}; break;
        case 3: expression = {{"key", "gpus"}, {"operator", "DoesNotExist"}}; break;
        default:
            expression = {{"key", "gpus"}, {"operator", pick({"Gt", "Lt"})}};
            expression["values"] = json::array{"2"};
        }
        json::object out;
        out["matchExpressions"] = json::array{std::move(expression)};
        return json::value(std::move(out));
    }

    json::value app_selector() {
        json::object out;
        out["matchLabels"] = json::object{{"app", pick({"a", "b", "c", "d"})}};
        return json::value(std::move(out));
    }
    const char* topology_key() { return pick({zone_label, hostname_label}); }

    json::value pod_term() {
        json::object out{{"topologyKey", topology_key()}};
        out["labelSelector"] = app_selector();
        if (random_.chance(20)) {
            out["namespaceSelector"] = json::object{{"matchLabels", json::object{{"team", "random-b"}}}};
        } else if (random_.chance(20)) {
            out["namespaces"] = json::array{"random-a", "random-b"};
        }
        return json::value(std::move(out));
    }

    void add_pod_affinity(json::object& spec) {
        json::object near, apart;
        if (random_.chance(8)) near["requiredDuringSchedulingIgnoredDuringExecution"] = json::array{pod_term()};
        if (random_.chance(10)) near["preferredDuringSchedulingIgnoredDuringExecution"] = json::array{weighted_term()};
        if (random_.chance(12)) apart["requiredDuringSchedulingIgnoredDuringExecution"] = json::array{pod_term()};
        if (random_.chance(10)) apart["preferredDuringSchedulingIgnoredDuringExecution"] = json::array{weighted_term()};
        if (near.empty() && apart.empty()) return;
        json::value& affinity = spec["affinity"];
        if (!affinity.is_object()) affinity.emplace_object();
        if (!near.empty()) affinity.as_object()["podAffinity"] = std::move(near);
        if (!apart.empty()) affinity.as_object()["podAntiAffinity"] = std::move(apart);
    }

    json::value weighted_term() {
        json::object out{{"weight", 1 + static_cast<int>(random_.below(100))}};
        out["podAffinityTerm"] = pod_term();
        return json::value(std::move(out));
    }

    void add_spread(json::object& spec) {
        if (!random_.chance(15)) return;
        json::object out{{"maxSkew", 1 + static_cast<int>(random_.below(2))}, {"topologyKey", topology_key()}};
        out["whenUnsatisfiable"] = pick({"DoNotSchedule", "ScheduleAnyway"});
        out["labelSelector"] = app_selector();
        if (out["whenUnsatisfiable"] == "DoNotSchedule" && random_.chance(20)) out["minDomains"] = 2;
        if (random_.chance(20)) out["nodeTaintsPolicy"] = "Honor";
        if (random_.chance(20)) out["nodeAffinityPolicy"] = "Ignore";
        spec["topologySpreadConstraints"] = json::array{std::move(out)};
    }

    // The next of the pods, in the order of their names, become members; each gang has one namespace.
    void make_gang(int number, std::vector<json::value>& pods) {
        const std::size_t size = 2 + random_.below(4);
        if (pods.size() - in_gangs_ < size) return;
        const std::string name = "gang-" + std::to_string(number);
        for (std::size_t i = 0; i < size; ++i) {
            json::object& metadata = pods[in_gangs_ + i].as_object()["metadata"].as_object();
            metadata["namespace"] = "random-a";
            metadata["labels"].as_object()["scheduling.kcontrol.dev/gang"] = name;
            metadata["annotations"] = json::object{{"scheduling.kcontrol.dev/gang-size", std::to_string(size)}};
        }
        in_gangs_ += size;
    }

    sim_random random_;
    const random_cluster_options& options_;
    std::size_t in_gangs_ = 0;
};

}  // namespace

random_cluster make_random_cluster(std::uint64_t seed, const random_cluster_options& options) {
    return cluster_maker(seed, options).make();
}

}  // namespace kcontrol::testing
