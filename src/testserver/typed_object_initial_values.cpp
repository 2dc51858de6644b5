#include <kcontrol/base/fnv1a.hpp>

#include "testserver/deletion.hpp"
#include "testserver/object_members.hpp"
#include "testserver/typed_object.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

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
    waits["reason"] = "SchedulingGated";
    waits["message"] = "Scheduling is blocked due to non-empty scheduling gates";
    status.get_object()["conditions"] = json::array({std::move(waits)});
}

std::string base64_of(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < text.size(); i += 3) {
        std::uint32_t block = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            block = (block << 8) | (i + j < text.size() ? static_cast<unsigned char>(text[i + j]) : 0U);
        }
        for (std::size_t j = 0; j < 4; ++j) {
            out.push_back(i + j > text.size() ? '=' : digits[(block >> (18 - 6 * j)) & 63]);
        }
    }
    return out;
}

}  // namespace
}  // namespace detail

void set_initial_values(const resource_type& type, json::object& object) {
    const std::string id = type.id().text();
    if (id == "persistentvolumeclaims" || id == "persistentvolumes") {
        object["status"].emplace_object()["phase"] = "Pending";
    }
    if (id == "daemonsets.apps") {
        json::value& notes = metadata_of(object)["annotations"];
        if (!notes.is_object()) notes = json::object();
        notes.get_object()["deprecated.daemonset.template.generation"] = "1";
    }
    // Even a look by operator[] may move what an object holds, so `spec` is looked up last.
    const std::string uid = detail::text_at(metadata_of(object), "uid");
    if (id == "jobs.batch" && detail::object_at(object, "spec") != nullptr) return detail::label_job(object);
    json::object* spec = detail::object_at(object, "spec");
    if (spec == nullptr) return;
    if (id == "services") detail::give_address(uid, *spec);
    if (id == "pods") detail::admit_pod(object, *spec);
}

void keep_initial_values(const resource_type& type, json::object& object, const json::object& before) {
    if (type.id().text() != "pods") return;
    const json::value was(before);
    json::object* spec = detail::object_at(object, "spec");
    if (spec == nullptr) return;
    for (const std::string_view name : {"priority", "preemptionPolicy"}) {
        const json::value* old = json::find(was, {"spec", name});
        if (old != nullptr && !spec->contains(name)) (*spec)[name] = *old;
    }
    detail::add_tolerations(*spec);
}

void take_string_data(json::object& secret) {
    json::object* given = detail::object_at(secret, "stringData");
    if (given == nullptr) return;
    const json::object texts = *given;
    json::value& data = secret["data"];
    if (!data.is_object()) data = json::object();
    for (const auto& text : texts) {
        if (!text.value().is_string()) continue;
        data.get_object()[text.key()] = detail::base64_of(std::string_view(text.value().get_string()));
    }
    secret.erase("stringData");
}

}  // namespace kcontrol::testing
