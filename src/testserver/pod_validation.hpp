// What is wrong with pods and pod templates: names that are there twice, references to what is not there, numbers and
// choices. Source of order and messages: pkg/apis/core/validation/validation.go of Kubernetes 1.36
#pragma once

#include "testserver/container_validation.hpp"
#include "testserver/field_validator.hpp"
#include "testserver/kind_validation.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

class pod_validator {
public:
    explicit pod_validator(validator& v) : v_(v) {}

    void pods(const json::value* pod_template, const std::string& at) {
        if (pod_template == nullptr) return;
        if (const json::value* labels = json::find(*pod_template, {"metadata", "labels"})) {
            v_.label_map(*labels, at + ".metadata.labels", true);
        }
        pod_spec(json::find(*pod_template, {"spec"}), at + ".spec");
    }
    void pod_spec(const json::value* spec, const std::string& at) {
        if (spec == nullptr || !spec->is_object()) return;
        volumes_.clear();
        volumes(*spec, at);
        validate_unique(v_, *spec, "resourceClaims", at, "name");
        containers(*spec, at);
        init_containers(*spec, at);
        const std::string_view policy = json::get_string(*spec, {"restartPolicy"});
        if (policy != "Always" && policy != "OnFailure" && policy != "Never") {
            v_.unsupported(at + ".restartPolicy", policy, R"("Always", "OnFailure", "Never")");
        }
        const std::string dns = text_of(*spec, "dnsPolicy");
        if (!dns.empty() && dns != "ClusterFirstWithHostNet" && dns != "ClusterFirst" && dns != "Default" &&
            dns != "None") {
            v_.unsupported(at + ".dnsPolicy", dns, R"("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")");
        }
        const json::value* nodes = json::find(*spec, {"nodeSelector"});
        if (nodes != nullptr) v_.label_map(*nodes, at + ".nodeSelector", true);
        gates(*spec, at);
        host_network(*spec, at);
        spread(*spec, at);
        const json::value* deadline = json::find(*spec, {"activeDeadlineSeconds"});
        if (deadline != nullptr && deadline->is_int64() && deadline->get_int64() < 1) {
            v_.invalid(at + ".activeDeadlineSeconds", deadline, "must be between 1 and 2147483647, inclusive");
        }
        tolerations(*spec, at);
        validator::each(*spec, "hostAliases", at, [&](const json::value& one, const std::string& where) {
            v_.ip(member_of(one, "ip"), where + ".ip");
        });
    }

private:
    using names = container_validator::names;

    // Only volumes without a fault count: another one of that name is no duplicate, and mounts do not find them.
    void volumes(const json::value& spec, const std::string& at) {
        validator::each(spec, "volumes", at, [&](const json::value& volume, const std::string& where) {
            const std::size_t before = v_.problems.size();
            sources(volume, where);
            validate_label(v_, volume, where);
            const std::string name = text_of(volume, "name");
            if (volumes_.contains(name)) v_.duplicate(where + ".name", member_of(volume, "name"));
            if (v_.problems.size() == before) volumes_.emplace(name, is_block_source(volume));
        });
    }
    void sources(const json::value& volume, const std::string& at) {
        bool any = false;
        for (const std::string_view kind : volume_sources) {
            if (json::find(volume, {kind}) == nullptr) continue;
            if (any) v_.forbidden(at + "." + std::string(kind), "may not specify more than 1 volume type");
            any = true;
        }
        const json::value* claim = json::find(volume, {"persistentVolumeClaim"});
        if (claim != nullptr && text_of(*claim, "claimName").empty()) {
            v_.required(at + ".persistentVolumeClaim.claimName");
        }
        const json::value* config = json::find(volume, {"configMap"});
        if (config != nullptr && text_of(*config, "name").empty()) v_.required(at + ".configMap.name");
        const json::value* secret = json::find(volume, {"secret"});
        if (secret != nullptr && text_of(*secret, "secretName").empty()) v_.required(at + ".secret.secretName");
        files(volume, at);
    }
    // Volumes whose items name files, and those that put several such volumes together.
    void files(const json::value& volume, const std::string& at) {
        for (const std::string_view kind : {"configMap", "secret"}) {
            const json::value* source = json::find(volume, {kind});
            if (source != nullptr) items(*source, at + "." + std::string(kind));
        }
        const json::value* projected = json::find(volume, {"projected"});
        if (projected == nullptr) return;
        names paths;
        validator::each(
            *projected, "sources", at + ".projected", [&](const json::value& one, const std::string& where) {
                for (const std::string_view kind : {"secret", "configMap"}) {
                    const json::value* source = json::find(one, {kind});
                    if (source == nullptr) continue;
                    items(*source, where + "." + std::string(kind));
                    validator::each(*source, "items", {}, [&](const json::value& item, const std::string&) {
                        const std::string path = text_of(item, "path");
                        if (path.empty() || paths.insert(path).second) return;
                        v_.invalid(at + ".projected", &member_of(*source, "name"), "conflicting duplicate paths");
                    });
                }
            });
    }
    void items(const json::value& source, const std::string& at) {
        validator::each(source, "items", at, [&](const json::value& item, const std::string& where) {
            const std::string path = text_of(item, "path");
            const json::value& shown = member_of(item, "path");
            if (text_of(item, "key").empty()) v_.required(where + ".key");
            if (path.empty()) v_.required(where + ".path");
            v_.relative_path(shown, where + ".path");
            if (path.starts_with("..") && !path.starts_with("../")) {
                v_.invalid(where + ".path", &shown, "must not start with '..'");
            }
        });
    }
    static bool is_block_source(const json::value& volume) {
        return json::find(volume, {"persistentVolumeClaim"}) != nullptr || json::find(volume, {"ephemeral"}) != nullptr;
    }

    void containers(const json::value& spec, const std::string& at) {
        const json::value* list = json::find(spec, {"containers"});
        if (list == nullptr || !list->is_array() || list->get_array().empty()) {
            return v_.required(at + ".containers");
        }
        container_validator check(v_, volumes_);
        validator::each(spec, "containers", at, [&](const json::value& one, const std::string& where) {
            check.container(one, where);
            if (!names_.insert(text_of(one, "name")).second) v_.duplicate(where + ".name", member_of(one, "name"));
            check.probes(one, where);
        });
        names used;
        validator::each(spec, "containers", at,
                        [&](const json::value& one, const std::string& where) { check.host_ports(one, where, used); });
    }
    void init_containers(const json::value& spec, const std::string& at) {
        container_validator check(v_, volumes_);
        validator::each(spec, "initContainers", at, [&](const json::value& one, const std::string& where) {
            check.container(one, where);
            if (!names_.insert(text_of(one, "name")).second) v_.duplicate(where + ".name", member_of(one, "name"));
            // One after the other, they may use the same.
            names used;
            check.host_ports(one, where, used);
        });
        names_.clear();
    }

    void tolerations(const json::value& spec, const std::string& at) {
        validator::each(spec, "tolerations", at, [&](const json::value& one, const std::string& where) {
            const std::string kind = text_of(one, "operator");
            if (kind == "Exists" && !text_of(one, "value").empty()) {
                v_.invalid(where + ".operator", &member_of(one, "value"),
                           "value must be empty when `operator` is 'Exists'");
            } else if (!kind.empty() && kind != "Equal" && kind != "Exists") {
                v_.unsupported(where + ".operator", kind, R"("Equal", "Exists")");
            }
        });
    }
    // On the host's network a container has the host's ports.
    void host_network(const json::value& spec, const std::string& at) {
        const json::value* on = json::find(spec, {"hostNetwork"});
        if (on == nullptr || *on != true) return;
        validator::each(spec, "containers", at, [&](const json::value& one, const std::string& where) {
            validator::each(one, "ports", where, [&](const json::value& port, const std::string& place) {
                const json::value *host = json::find(port, {"hostPort"}), *own = json::find(port, {"containerPort"});
                if (host == nullptr || (own != nullptr && *host == *own)) return;
                v_.invalid(place + ".hostPort", host, "must match `containerPort` when `hostNetwork` is true");
            });
        });
    }
    void gates(const json::value& spec, const std::string& at) {
        names used;
        validator::each(spec, "schedulingGates", at, [&](const json::value& gate, const std::string& where) {
            if (!used.insert(text_of(gate, "name")).second) v_.duplicate(where, member_of(gate, "name"));
        });
    }
    // Each of a pair shows the other one, at the place of the first.
    void spread(const json::value& spec, const std::string& at) {
        std::vector<std::pair<std::string, std::string>> all;  // pair and place
        validator::each(spec, "topologySpreadConstraints", at, [&](const json::value& one, const std::string& where) {
            std::string pair = "{" + text_of(one, "topologyKey") + ", " + text_of(one, "whenUnsatisfiable") + "}";
            const auto same = [&pair](const auto& other) { return other.first == pair; };
            const auto first = std::find_if(all.begin(), all.end(), same);
            if (first != all.end()) {
                v_.duplicate(first->second + ".{topologyKey, whenUnsatisfiable}", json::value(pair));
            }
            all.emplace_back(std::move(pair), where);
        });
    }

    static constexpr std::string_view volume_sources[] = {"emptyDir",
                                                          "hostPath",
                                                          "gitRepo",
                                                          "gcePersistentDisk",
                                                          "awsElasticBlockStore",
                                                          "secret",
                                                          "nfs",
                                                          "iscsi",
                                                          "glusterfs",
                                                          "flexVolume",
                                                          "persistentVolumeClaim",
                                                          "rbd",
                                                          "cinder",
                                                          "cephfs",
                                                          "flocker",
                                                          "downwardAPI",
                                                          "fc",
                                                          "azureFile",
                                                          "configMap",
                                                          "vsphereVolume",
                                                          "quobyte",
                                                          "azureDisk",
                                                          "storageos",
                                                          "portworxVolume",
                                                          "scaleIO",
                                                          "projected",
                                                          "csi",
                                                          "ephemeral",
                                                          "image"};

    validator& v_;
    container_validator::volumes volumes_;
    names names_;  // of the containers so far
};

}  // namespace kcontrol::testing::detail
