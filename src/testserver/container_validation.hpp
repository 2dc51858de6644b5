// What is wrong with one container of a pod.
#pragma once

#include <kcontrol/values/quantity.hpp>

#include "testserver/field_validator.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1::testing::detail {

inline const json::value& member_of(const json::value& of, std::string_view name) {
    static const json::value empty("");
    const json::value* found = json::find(of, {name});
    return found == nullptr ? empty : *found;
}
inline std::string text_of(const json::value& of, std::string_view name) {
    return std::string(json::get_string(of, {name}));
}

// The name of a volume or a container.
inline void validate_label(validator& v, const json::value& of, const std::string& at) {
    const std::string name = text_of(of, "name");
    if (name.empty()) {
        v.required(at + ".name");
    } else if (!is_dns_label(name)) {
        v.invalid(at + ".name", &member_of(of, "name"), label_rule);
    }
}

// Source of order and messages: pkg/apis/core/validation/validation.go of Kubernetes 1.36
class container_validator {
public:
    using names = std::set<std::string>;
    using volumes = std::map<std::string, bool>;  ///< by name: whether a container may have it as a device

    container_validator(validator& v, const volumes& there) : v_(v), volumes_(there) {}

    void container(const json::value& one, const std::string& at) {
        validate_label(v_, one, at);
        image(one, at);
        ports(one, at);
        validator::each(one, "env", at, [&](const json::value& v, const std::string& where) { variable(v, where); });
        validator::each(one, "envFrom", at, [&](const json::value& v, const std::string&) {
            if (json::find(v, {"configMapRef"}) != nullptr || json::find(v, {"secretRef"}) != nullptr) return;
            const json::value nothing("");
            v_.invalid(at + ".envFrom", &nothing, "must specify one of: `configMapRef` or `secretRef`");
        });
        mounts(one, at);
        devices(one, at);
        const std::string pull = text_of(one, "imagePullPolicy");
        if (!pull.empty() && pull != "Always" && pull != "IfNotPresent" && pull != "Never") {
            v_.unsupported(at + ".imagePullPolicy", pull, R"("Always", "IfNotPresent", "Never")");
        }
        resources(one, at);
    }

    void probes(const json::value& one, const std::string& at) {
        for (const std::string_view hook : {"postStart", "preStop"}) {
            const json::value* found = json::find(one, {"lifecycle", hook});
            if (found != nullptr) handler(*found, at + ".lifecycle." + std::string(hook));
        }
        for (const std::string_view name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
            const json::value* probe = json::find(one, {name});
            if (probe == nullptr || !probe->is_object()) continue;
            const std::string where = at + "." + std::string(name);
            handler(*probe, where);
            for (const std::string_view number :
                 {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"}) {
                v_.not_negative(*probe, number, where);
            }
            const json::value* successes = json::find(*probe, {"successThreshold"});
            if (name == "readinessProbe" || successes == nullptr || *successes == 1) continue;
            v_.invalid(where + ".successThreshold", successes, "must be 1");
        }
    }

    // Those of all containers share the host.
    void host_ports(const json::value& one, const std::string& at, names& used) {
        validator::each(one, "ports", at, [&](const json::value& port, const std::string& where) {
            const json::value* host = json::find(port, {"hostPort"});
            if (host == nullptr || !host->is_int64()) return;
            const std::string shown =
                text_of(port, "protocol") + "/" + text_of(port, "hostIP") + "/" + std::to_string(host->get_int64());
            if (!used.insert(shown).second) v_.duplicate(where + ".hostPort", json::value(shown));
        });
    }

private:
    void image(const json::value& one, const std::string& at) {
        const std::string name = text_of(one, "image"), policy = text_of(one, "terminationMessagePolicy");
        if (name.empty()) v_.required(at + ".image");
        if (!name.empty() && (name.front() == ' ' || name.back() == ' ')) {
            v_.invalid(at + ".image", &member_of(one, "image"), "must not have leading or trailing whitespace");
        }
        if (!policy.empty() && policy != "File" && policy != "FallbackToLogsOnError") {
            v_.unsupported(at + ".terminationMessagePolicy", policy, R"("File", "FallbackToLogsOnError")");
        }
    }

    // What a probe or a hook does: one thing.
    void handler(const json::value& of, const std::string& at) {
        bool any = false;
        for (const std::string_view kind : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
            const json::value* found = json::find(of, {kind});
            if (found == nullptr) continue;
            const std::string where = at + "." + std::string(kind);
            if (any) {
                v_.forbidden(where, "may not specify more than 1 handler type");
            } else if (kind == "httpGet" || kind == "tcpSocket" || kind == "grpc") {
                v_.port(json::find(*found, {"port"}), where + ".port");
            }
            any = true;
        }
        if (!any) v_.required(at, "must specify a handler type");
    }

    void ports(const json::value& one, const std::string& at) {
        names used;
        validator::each(one, "ports", at, [&](const json::value& port, const std::string& where) {
            const std::string name = text_of(port, "name");
            const std::string wrong = wrong_with_port_name(name);
            if (!wrong.empty()) {
                v_.invalid(where + ".name", &member_of(port, "name"), wrong);
            } else if (!name.empty() && !used.insert(name).second) {
                v_.duplicate(where + ".name", member_of(port, "name"));
            }
            v_.port(json::find(port, {"containerPort"}), where + ".containerPort");
            if (const json::value* host = json::find(port, {"hostPort"})) v_.port(host, where + ".hostPort");
            v_.protocol(port, where);
        });
    }
    void resources(const json::value& one, const std::string& at) {
        const json::value* requests = json::find(one, {"resources", "requests"});
        for (const std::string_view list : {"limits", "requests"}) {
            const json::value* amounts = json::find(one, {"resources", list});
            if (amounts == nullptr || !amounts->is_object()) continue;
            for (const auto& [name, amount] : amounts->get_object()) {
                const std::string field = at + ".resources." + std::string(list) + "[" + std::string(name) + "]";
                resource_name(name, field);
                const auto read = quantity_of(&amount);
                if (!read) continue;
                if (read->sign() < 0) v_.invalid(field, &amount, "must be greater than or equal to 0");
                if (!may_overcommit(name) && *read != quantity(*read).round_up(0)) {
                    v_.invalid(field, &amount, "must be an integer");
                }
            }
        }
        if (requests == nullptr || !requests->is_object()) return;
        for (const auto& [name, amount] : requests->get_object()) {
            const json::value* limit = json::find(one, {"resources", "limits", name});
            const auto wanted = quantity_of(&amount), most = quantity_of(limit);
            if (limit == nullptr && !may_overcommit(name)) {
                v_.required(at + ".resources.limits", "Limit must be set for non overcommitable resources");
            }
            if (!wanted || !most) continue;
            if (!may_overcommit(name) && *wanted != *most) {
                v_.invalid(at + ".resources.requests", &amount,
                           "must be equal to " + std::string(name) + " limit of " + most->text());
            }
            if (*wanted <= *most) continue;
            v_.invalid(at + ".resources.requests", &amount,
                       "must be less than or equal to " + std::string(name) + " limit of " + most->text());
        }
    }
    void resource_name(std::string_view name, const std::string& field) {
        if (name.find('/') != std::string_view::npos) return;
        const json::value shown(name);
        const bool of_containers =
            name == "cpu" || name == "memory" || name == "ephemeral-storage" || name.starts_with("hugepages-");
        if (!of_containers && name != "storage") {
            v_.invalid(field, &shown, "must be a standard resource type or fully qualified");
        }
        if (!of_containers) v_.invalid(field, &shown, "must be a standard resource for containers");
    }
    // Whether containers may ask for less than their limit: of Kubernetes' own, but for huge pages.
    static bool may_overcommit(std::string_view name) {
        const std::size_t slash = name.find('/');
        const bool own = slash == std::string_view::npos || name.substr(0, slash).ends_with("kubernetes.io");
        return own && !name.starts_with("hugepages-");
    }
    static std::optional<quantity> quantity_of(const json::value* v) {
        if (v == nullptr || !v->is_string()) return std::nullopt;
        const auto read = quantity::parse(std::string_view(v->get_string()));
        return read ? std::optional<quantity>(*read) : std::nullopt;
    }

    void variable(const json::value& one, const std::string& at) {
        const std::string name = text_of(one, "name");
        const auto is_printable = [](char c) { return c >= ' ' && c <= '~' && c != '='; };
        if (name.empty()) {
            v_.required(at + ".name");
        } else if (!std::all_of(name.begin(), name.end(), is_printable)) {
            v_.invalid(at + ".name", &member_of(one, "name"),
                       "a valid environment variable name must consist only of printable ASCII characters other than "
                       "'='");
        }
        const json::value* from = json::find(one, {"valueFrom"});
        if (from == nullptr || !from->is_object()) return;
        const json::value nothing("");
        if (const json::value* field = json::find(*from, {"fieldRef"})) pod_field(*field, at + ".valueFrom.fieldRef");
        if (from->get_object().empty()) {
            v_.invalid(at + ".valueFrom", &nothing, no_variable_source);
        } else if (!text_of(one, "value").empty()) {
            v_.invalid(at + ".valueFrom", &nothing, "may not be specified when `value` is not empty");
        }
        if (from->get_object().size() > 1) {
            v_.invalid(at + ".valueFrom", &nothing, "may not have more than one field specified at a time");
        }
    }

    // Of the pod, for a variable. Source: validateObjectFieldSelector, ConvertDownwardAPIFieldLabel
    void pod_field(const json::value& of, const std::string& at) {
        const std::string path = text_of(of, "fieldPath");
        if (path.empty()) return v_.required(at + ".fieldPath");
        constexpr std::string_view choices =
            R"("metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", )"
            R"("status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs")";
        if (choices.find("\"" + path + "\"") != std::string_view::npos || path == "spec.host") return;
        const bool subscripted = path.starts_with("metadata.labels['") || path.starts_with("metadata.annotations['");
        if (subscripted && path.ends_with("']")) return;
        const bool known = path == "metadata.labels" || path == "metadata.annotations" ||
                           path == "spec.restartPolicy" || path == "spec.schedulerName" || path == "status.phase";
        if (known) return v_.unsupported(at + ".fieldPath", path, choices);
        v_.invalid(at + ".fieldPath", &member_of(of, "fieldPath"),
                   "error converting fieldPath: field label not supported: " + path);
    }

    static bool has_item(const json::value& of, std::string_view list, std::string_view name, const std::string& text) {
        const json::value* items = json::find(of, {list});
        if (items == nullptr || !items->is_array() || text.empty()) return false;
        const auto& all = items->get_array();
        return std::any_of(all.begin(), all.end(), [&](const json::value& v) { return text_of(v, name) == text; });
    }

    void mounts(const json::value& one, const std::string& at) {
        names paths;
        validator::each(one, "volumeMounts", at, [&](const json::value& mount, const std::string& where) {
            const std::string name = text_of(mount, "name"), path = text_of(mount, "mountPath");
            if (name.empty()) v_.required(where + ".name");
            if (!volumes_.contains(name)) v_.not_found(where + ".name", name);
            if (path.empty()) v_.required(where + ".mountPath");
            if (!paths.insert(path).second) {
                v_.invalid(where + ".mountPath", &member_of(mount, "mountPath"), "must be unique");
            }
            if (has_item(one, "volumeDevices", "name", name)) {
                v_.invalid(where + ".name", &member_of(mount, "name"), "must not already exist in volumeDevices");
            }
            if (has_item(one, "volumeDevices", "devicePath", path)) {
                v_.invalid(where + ".mountPath", &member_of(mount, "mountPath"),
                           "must not already exist as a path in volumeDevices");
            }
            // Without the index, there as well.
            v_.relative_path(member_of(mount, "subPath"), at + ".volumeMounts.subPath");
            if (!text_of(mount, "subPath").empty() && !text_of(mount, "subPathExpr").empty()) {
                v_.invalid(where + ".subPathExpr", &member_of(mount, "subPathExpr"),
                           "subPathExpr and subPath are mutually exclusive");
            }
            v_.relative_path(member_of(mount, "subPathExpr"), at + ".volumeMounts.subPathExpr");
        });
    }

    void devices(const json::value& one, const std::string& at) {
        names used, paths;
        validator::each(one, "volumeDevices", at, [&](const json::value& device, const std::string& where) {
            const std::string name = text_of(device, "name"), path = text_of(device, "devicePath");
            const json::value &shown = member_of(device, "name"), &shown_path = member_of(device, "devicePath");
            const auto volume = volumes_.find(name);
            if (name.empty()) v_.required(where + ".name");
            if (!name.empty() && !used.insert(name).second) v_.invalid(where + ".name", &shown, "must be unique");
            if (volume == volumes_.end()) {
                v_.not_found(where + ".name", name);
            } else if (!volume->second) {
                v_.invalid(where + ".name", &shown,
                           "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
            }
            if (path.empty()) v_.required(where + ".devicePath");
            if (!paths.insert(path).second) v_.invalid(where + ".devicePath", &shown_path, "must be unique");
            if (has_item(one, "volumeMounts", "name", name)) {
                v_.invalid(where + ".name", &shown, "must not already exist in volumeMounts");
            }
            if (has_item(one, "volumeMounts", "mountPath", path)) {
                v_.invalid(where + ".devicePath", &shown_path, "must not already exist as a path in volumeMounts");
            }
        });
    }

    static constexpr std::string_view no_variable_source =
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";

    validator& v_;
    const volumes& volumes_;
};

}  // namespace kcontrol::testing::detail
