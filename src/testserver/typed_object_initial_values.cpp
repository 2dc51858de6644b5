#include <kcontrol/base/base64.hpp>
#include <kcontrol/base/fnv1a.hpp>

#include "testserver/deletion.hpp"
#include "testserver/object_members.hpp"
#include "testserver/typed_object.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

constexpr std::string_view template_generation = "deprecated.daemonset.template.generation";

// A Job marks its pods with its uid, and itself.
void label_job(json::object& object) {
    const json::value* manual = json::find(object["spec"], {"manualSelector"});
    if (manual != nullptr && *manual == true) return;
    const std::string uid = text_at(metadata_of(object), "uid"), name = text_at(metadata_of(object), "name");
    const auto mark = [&](json::object& metadata) {
        json::value& labels = metadata["labels"];
        if (!labels.is_object()) labels = json::object();
        for (const char* prefix : {"batch.kubernetes.io/", ""}) {
            labels.get_object()[std::string(prefix) + "controller-uid"] = uid;
            labels.get_object()[std::string(prefix) + "job-name"] = name;
        }
    };
    mark(metadata_of(object));
    json::object& spec = object["spec"].get_object();
    json::object labels;
    labels["batch.kubernetes.io/controller-uid"] = uid;
    spec["selector"].emplace_object()["matchLabels"] = std::move(labels);
    json::value& pods = spec["template"];
    if (!pods.is_object()) pods = json::object();
    mark(metadata_of(pods.get_object()));
}

// Addresses and ports come from the uid, so that equal seeds give equal ones.
std::uint64_t hash_of(std::string_view text) { return fnv1a().add(text).value() >> 7; }

void give_address(const std::string& uid, json::object& spec) {
    const std::string type = text_at(spec, "type");
    if (type == "ExternalName") return;
    const std::uint64_t number = hash_of(uid);
    if (text_at(spec, "clusterIP").empty()) {
        spec["clusterIP"] = "10.96." + std::to_string(number % 256) + "." + std::to_string(1 + number / 256 % 254);
    }
    set_missing(spec, "clusterIPs", json::array({spec["clusterIP"]}));
    set_missing(spec, "ipFamilies", json::array({"IPv4"}));
    set_missing(spec, "ipFamilyPolicy", "SingleStack");
    if (type == "LoadBalancer" && text_at(spec, "externalTrafficPolicy") == "Local") {
        set_missing(spec, "healthCheckNodePort", 30000 + static_cast<int>((number + 1384) % 2768));
    }
    json::array* ports = array_at(spec, "ports");
    if (ports == nullptr || (type != "NodePort" && type != "LoadBalancer")) return;
    const json::value* wanted = spec.if_contains("allocateLoadBalancerNodePorts");
    if (type == "LoadBalancer" && wanted != nullptr && *wanted == false) return;
    std::uint64_t next = number;
    for (auto& port : *ports) {
        if (port.is_object()) set_missing(port.get_object(), "nodePort", 30000 + static_cast<int>(next++ % 2768));
    }
}

std::string class_of_pod(json::object& spec) {
    bool guaranteed = true, any = false;
    for (const std::string_view list : {"containers", "initContainers"}) {
        json::array* containers = array_at(spec, list);
        if (containers == nullptr) continue;
        for (auto& container : *containers) {
            json::object* resources = container.is_object() ? object_at(container.get_object(), "resources") : nullptr;
            json::object* limits = resources == nullptr ? nullptr : object_at(*resources, "limits");
            json::object* requests = resources == nullptr ? nullptr : object_at(*resources, "requests");
            for (const std::string_view name : {"cpu", "memory"}) {
                const bool limited = limits != nullptr && limits->contains(name);
                const bool requested = requests != nullptr && requests->contains(name);
                any = any || limited || requested;
                guaranteed = guaranteed && limited && requested && (*limits)[name] == (*requests)[name];
            }
        }
    }
    return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
}

void add_tolerations(json::object& spec) {
    json::value& tolerations = spec["tolerations"];
    if (!tolerations.is_array()) tolerations = json::array();
    for (const char* taint : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
        const auto tolerates = [taint](const json::value& t) {
            const std::string_view key = json::get_string(t, {"key"}), effect = json::get_string(t, {"effect"});
            return (key.empty() || key == taint) && (effect.empty() || effect == "NoExecute");
        };
        auto& all = tolerations.get_array();
        if (std::any_of(all.begin(), all.end(), tolerates)) continue;
        json::object toleration;
        toleration["key"] = taint;
        toleration["operator"] = "Exists";
        toleration["effect"] = "NoExecute";
        toleration["tolerationSeconds"] = 300;
        all.push_back(std::move(toleration));
    }
}

// What admission plugins that are on by default add to a Pod.
void admit_pod(json::object& object, json::object& spec) {
    add_tolerations(spec);
    const json::value* grace = spec.if_contains("terminationGracePeriodSeconds");
    if (grace != nullptr && grace->is_int64() && grace->get_int64() < 0) spec["terminationGracePeriodSeconds"] = 1;
    set_missing(spec, "priority", 0);
    set_missing(spec, "preemptionPolicy", "PreemptLowerPriority");
    std::string quality = class_of_pod(spec);
    const json::array* gates = array_at(spec, "schedulingGates");
    const bool gated = gates != nullptr && !gates->empty();
    json::value& status = object["status"];  // may move what `spec` refers to
    if (!status.is_object()) status = json::object();
    status.get_object()["qosClass"] = std::move(quality);
    if (!gated) return;
    json::object waits;
    waits["type"] = "PodScheduled";
    waits["status"] = "False";
    waits["lastProbeTime"] = json::value();
    waits["lastTransitionTime"] = text_at(metadata_of(object), "creationTimestamp");
    waits["reason"] = "SchedulingGated";
    waits["message"] = "Scheduling is blocked due to non-empty scheduling gates";
    status.get_object()["conditions"] = json::array({std::move(waits)});
}

// A definition that nobody has looked at yet: it has no names.
void begin_definition(json::object& object) {
    json::array stored;
    const json::value content(object);
    if (const json::value* versions = json::find(content, {"spec", "versions"});
        versions != nullptr && versions->is_array()) {
        for (const auto& version : versions->get_array()) {
            const json::value* storage = json::find(version, {"storage"});
            if (storage != nullptr && *storage == true) stored.emplace_back(json::get_string(version, {"name"}));
        }
    }
    json::object& status = object["status"].emplace_object();
    status["conditions"] = json::value();
    status["acceptedNames"] = json::parse(R"({"plural":"","kind":""})").value();
    status["storedVersions"] = std::move(stored);
}

}  // namespace
}  // namespace detail

void set_initial_values(const resource_type& type, json::object& object) {
    const std::string id = type.id().text();
    if (id == "persistentvolumeclaims" || id == "persistentvolumes") {
        object["status"].emplace_object()["phase"] = "Pending";
    }
    if (id == "persistentvolumes") {
        const std::string now = detail::text_at(metadata_of(object), "creationTimestamp");
        object["status"].get_object()["lastPhaseTransitionTime"] = now;
    }
    if (id == "customresourcedefinitions.apiextensions.k8s.io") detail::begin_definition(object);
    if (id == "daemonsets.apps") {
        json::value& notes = metadata_of(object)["annotations"];
        if (!notes.is_object()) notes = json::object();
        notes.get_object()[detail::template_generation] = "1";
    }
    // Even a look by operator[] may move what an object holds, so `spec` is looked up last.
    const std::string uid = detail::text_at(metadata_of(object), "uid");
    if (id == "jobs.batch" && detail::object_at(object, "spec") != nullptr) return detail::label_job(object);
    json::object* spec = detail::object_at(object, "spec");
    if (spec == nullptr) return;
    if (id == "services") detail::give_address(uid, *spec);
    if (json::object* taint = detail::object_at(*spec, "taint");
        taint != nullptr && id == "devicetaintrules.resource.k8s.io") {
        detail::set_missing(*taint, "timeAdded",
                            json::value(detail::text_at(metadata_of(object), "creationTimestamp")));
    }
    if (id == "pods") detail::admit_pod(object, *spec);
}

namespace detail {
namespace {

// The annotation counts the templates of a DaemonSet.
void keep_template_generation(json::object& object, const json::value& was) {
    const json::value* old = json::find(was, {"metadata", "annotations", template_generation});
    const json::value* then = json::find(was, {"spec", "template"});
    const json::value now(object);
    const json::value* pods = json::find(now, {"spec", "template"});
    if (old == nullptr || !old->is_string() || then == nullptr || pods == nullptr) return;
    std::uint64_t count = 0;
    for (const char c : old->get_string()) count = count * 10 + static_cast<std::uint64_t>(c - '0');
    if (!json::equal(*then, *pods)) ++count;
    json::value& notes = metadata_of(object)["annotations"];
    if (!notes.is_object()) notes = json::object();
    notes.get_object()[template_generation] = std::to_string(count);
}

// What a Namespace has that only its subresources change.
void keep_namespace(json::object& object, const json::value& was) {
    json::value& labels = metadata_of(object)["labels"];
    if (!labels.is_object()) labels = json::object();
    labels.get_object()["kubernetes.io/metadata.name"] = text_at(metadata_of(object), "name");
    if (const json::value* spec = json::find(was, {"spec"})) object["spec"] = *spec;
}

bool has_address(std::string_view type) { return type == "ClusterIP" || type == "NodePort" || type == "LoadBalancer"; }
bool has_node_ports(std::string_view type) { return type == "NodePort" || type == "LoadBalancer"; }

// Ports keep those of the nodes by their names, unless another one has it now.
void keep_node_ports(json::object& spec, const json::value& was) {
    json::array* ports = array_at(spec, "ports");
    const json::value* old = json::find(was, {"spec", "ports"});
    if (ports == nullptr || old == nullptr || !old->is_array()) return;
    std::map<std::string, json::value> by_name;
    std::set<std::int64_t> used;
    for (const auto& port : old->get_array()) {
        const json::value* number = json::find(port, {"nodePort"});
        if (number != nullptr) by_name[std::string(json::get_string(port, {"name"}))] = *number;
    }
    for (const auto& port : *ports) {
        const json::value* number = json::find(port, {"nodePort"});
        if (number != nullptr && number->is_int64()) used.insert(number->get_int64());
    }
    for (auto& port : *ports) {
        if (!port.is_object() || port.get_object().contains("nodePort")) continue;
        const auto found = by_name.find(std::string(json::get_string(port, {"name"})));
        if (found == by_name.end() || !used.insert(found->second.to_number<std::int64_t>()).second) continue;
        port.get_object()["nodePort"] = found->second;
    }
}

// What only the old type of a Service needs goes, if the update leaves it as it is. Source: dropTypeDependentFields
void drop_of_old_type(json::object& spec, const json::value& was) {
    const std::string type = text_at(spec, "type");
    const std::string_view old_type = json::get_string(was, {"spec", "type"});
    const auto drop = [&](std::string_view name) {
        const json::value* old = json::find(was, {"spec", name});
        const json::value* now = spec.if_contains(name);
        if (old != nullptr && now != nullptr && json::equal(*old, *now)) spec.erase(name);
    };
    if (has_address(old_type) && !has_address(type)) {
        for (const std::string_view name : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) drop(name);
    }
    if (old_type == "LoadBalancer" && type != "LoadBalancer") {
        drop("healthCheckNodePort");
        drop("allocateLoadBalancerNodePorts");
    }
    if (!has_node_ports(old_type) || has_node_ports(type)) return;
    drop("externalTrafficPolicy");
    std::set<std::int64_t> old_ports, new_ports;
    const auto collect = [](const json::value* ports, std::set<std::int64_t>& to) {
        if (ports == nullptr || !ports->is_array()) return;
        for (const auto& port : ports->get_array()) {
            const json::value* number = json::find(port, {"nodePort"});
            if (number != nullptr && number->is_int64()) to.insert(number->get_int64());
        }
    };
    collect(json::find(was, {"spec", "ports"}), old_ports);
    collect(spec.if_contains("ports"), new_ports);
    if (new_ports.empty() || old_ports != new_ports) return;
    for (auto& port : spec["ports"].as_array()) port.as_object().erase("nodePort");
}

// What was allocated for a Service, and an update does not say. Source: patchAllocatedValues of the service registry
void keep_allocated(json::object& spec, const json::value& was) {
    const std::string type = text_at(spec, "type");
    const std::string_view old_type = json::get_string(was, {"spec", "type"});
    const auto keep = [&](std::string_view name) {
        const json::value* old = json::find(was, {"spec", name});
        if (old != nullptr) set_missing(spec, name, *old);
    };
    if (has_address(type) && has_address(old_type)) {
        keep("clusterIP");
        for (const std::string_view name : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
            if (text_at(spec, "clusterIP") == json::get_string(was, {"spec", "clusterIP"})) keep(name);
        }
    }
    if (!has_node_ports(type) || !has_node_ports(old_type)) return;
    keep_node_ports(spec, was);
    if (type == "LoadBalancer" && text_at(spec, "externalTrafficPolicy") == "Local") keep("healthCheckNodePort");
}

}  // namespace
}  // namespace detail

void keep_initial_values(const resource_type& type, json::object& object, const json::object& before) {
    const std::string id = type.id().text();
    const bool keeps = id == "pods" || id == "services" || id == "namespaces" || id == "daemonsets.apps";
    if (!keeps) return;
    const json::value was(before);
    if (id == "namespaces") return detail::keep_namespace(object, was);
    if (id == "daemonsets.apps") return detail::keep_template_generation(object, was);
    json::object* spec = detail::object_at(object, "spec");
    if (spec == nullptr) return;
    if (id == "services") {
        detail::drop_of_old_type(*spec, was);
        detail::keep_allocated(*spec, was);
        return detail::give_address(std::string(json::get_string(was, {"metadata", "uid"})), *spec);
    }
    for (const std::string_view name : {"priority", "preemptionPolicy"}) {
        const json::value* old = json::find(was, {"spec", name});
        if (old != nullptr && !spec->contains(name)) (*spec)[name] = *old;
    }
    detail::add_tolerations(*spec);
}

void date_phase(json::object& volume, const json::object& before, const std::string& now) {
    json::object* status = detail::object_at(volume, "status");
    const json::value was(before);
    if (status == nullptr || detail::text_at(*status, "phase") == json::get_string(was, {"status", "phase"})) return;
    (*status)["lastPhaseTransitionTime"] = now;
}

void take_string_data(json::object& secret) {
    json::object* given = detail::object_at(secret, "stringData");
    if (given == nullptr) return;
    const json::object texts = *given;
    json::value& data = secret["data"];
    if (!data.is_object()) data = json::object();
    for (const auto& text : texts) {
        if (!text.value().is_string()) continue;
        data.get_object()[text.key()] = encode_base64(std::string_view(text.value().get_string()));
    }
    secret.erase("stringData");
}

}  // namespace kcontrol::testing
