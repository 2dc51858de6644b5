// The columns of nodes, namespaces, volumes, configuration, roles and events.
#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/trim.hpp>

#include "testserver/cell_parts.hpp"

namespace kcontrol::inline v0_1::testing::detail {

inline std::string node_roles(const json::value& node) {
    constexpr std::string_view prefix = "node-role.kubernetes.io/";
    std::set<std::string> roles;
    const json::value& labels = value_in(node, {"metadata", "labels"});
    if (labels.is_object()) {
        for (const auto& label : labels.get_object()) {
            const std::string_view key = label.key();
            if (key.starts_with(prefix) && key.size() > prefix.size()) roles.emplace(key.substr(prefix.size()));
            if (key == "kubernetes.io/role" && label.value().is_string() && !label.value().get_string().empty()) {
                roles.emplace(label.value().get_string());
            }
        }
    }
    return roles.empty() ? "<none>" : joined({roles.begin(), roles.end()});
}

inline std::string node_address(const json::value& node, std::string_view type) {
    for (const auto& one : list_in(node, {"status", "addresses"})) {
        if (json::get_string(one, {"type"}) == type) return text_in(one, {"address"});
    }
    return "<none>";
}

inline json::array node_cells(const json::value& o, wall_time now) {
    const std::string ready = state_of_condition(o, "Ready");
    std::string state = ready.empty() ? "Unknown" : ready == "True" ? "Ready" : "NotReady";
    if (flag_in(o, {"spec", "unschedulable"})) state += ",SchedulingDisabled";
    const auto info = [&o](std::string_view member, std::string_view otherwise) {
        return text_in(o, {"status", "nodeInfo", member}, otherwise);
    };
    const std::string architecture = info("architecture", "");
    return {name_in(o),
            state,
            node_roles(o),
            age_of(o, now),
            info("kubeletVersion", ""),
            node_address(o, "InternalIP"),
            node_address(o, "ExternalIP"),
            info("osImage", "<unknown>"),
            info("kernelVersion", "<unknown>") + (architecture.empty() ? "" : " (" + architecture + ")"),
            info("containerRuntimeVersion", "<unknown>")};
}

inline json::array namespace_cells(const json::value& o, wall_time now) {
    return {name_in(o), text_in(o, {"status", "phase"}), age_of(o, now)};
}

inline json::array secret_cells(const json::value& o, wall_time now) {
    return {name_in(o), text_in(o, {"type"}), size_in(o, {"data"}), age_of(o, now)};
}

inline json::array config_map_cells(const json::value& o, wall_time now) {
    return {name_in(o), size_in(o, {"data"}) + size_in(o, {"binaryData"}), age_of(o, now)};
}

inline json::array plain_cells(const json::value& o, wall_time now) { return {name_in(o), age_of(o, now)}; }

// Of kinds that nobody has written columns for.
inline json::array created_cells(const json::value& o, wall_time) {
    return {name_in(o), text_in(o, {"metadata", "creationTimestamp"})};
}

inline std::string access_modes(const json::value& object, cell_path path) {
    constexpr std::pair<std::string_view, const char*> modes[] = {
        {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};
    std::vector<std::string> out;
    for (const auto& [mode, shown] : modes) {
        for (const auto& one : list_in(object, path)) {
            if (one != json::value(mode)) continue;
            out.emplace_back(shown);
            break;
        }
    }
    return joined(out);
}

inline std::string storage_class_of(const json::value& object) {
    return text_in(object, {"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"},
                   json::get_string(object, {"spec", "storageClassName"}));
}

inline std::string volume_phase(const json::value& object) {
    if (json::find(object, {"metadata", "deletionTimestamp"}) != nullptr) return "Terminating";
    return text_in(object, {"status", "phase"});
}

inline json::array volume_cells(const json::value& o, wall_time now) {
    const json::value& claim = value_in(o, {"spec", "claimRef"});
    return {name_in(o),
            shown_amount(value_in(o, {"spec", "capacity", "storage"}), "0"),
            access_modes(o, {"spec", "accessModes"}),
            text_in(o, {"spec", "persistentVolumeReclaimPolicy"}),
            volume_phase(o),
            claim.is_object() ? text_in(claim, {"namespace"}) + "/" + text_in(claim, {"name"}) : "",
            storage_class_of(o),
            text_in(o, {"spec", "volumeAttributesClassName"}, "<unset>"),
            text_in(o, {"status", "reason"}),
            age_of(o, now),
            text_in(o, {"spec", "volumeMode"}, "<unset>")};
}

inline json::array claim_cells(const json::value& o, wall_time now) {
    const std::string volume = text_in(o, {"spec", "volumeName"});
    const bool bound = !volume.empty();
    return {name_in(o),
            volume_phase(o),
            volume,
            bound ? shown_amount(value_in(o, {"status", "capacity", "storage"}), "0") : "",
            bound ? access_modes(o, {"status", "accessModes"}) : "",
            storage_class_of(o),
            text_in(o, {"spec", "volumeAttributesClassName"}, "<unset>"),
            age_of(o, now),
            text_in(o, {"spec", "volumeMode"}, "<unset>")};
}

inline json::array storage_class_cells(const json::value& o, wall_time now) {
    return {name_in(o),
            text_in(o, {"provisioner"}),
            text_in(o, {"reclaimPolicy"}, "Delete"),
            text_in(o, {"volumeBindingMode"}, "Immediate"),
            flag_in(o, {"allowVolumeExpansion"}),
            age_of(o, now)};
}

inline bool is_default_class(const json::value& o) {
    return json::get_string(o, {"metadata", "annotations", "storageclass.kubernetes.io/is-default-class"}) == "true" ||
           json::get_string(o, {"metadata", "annotations", "storageclass.beta.kubernetes.io/is-default-class"}) ==
               "true";
}

inline json::array definition_cells(const json::value& o, wall_time) {
    std::vector<std::string> versions, short_names;
    for (const auto& one : list_in(o, {"spec", "versions"})) {
        if (!flag_in(one, {"served"})) continue;
        versions.push_back(text_in(one, {"name"}) + (flag_in(one, {"storage"}) ? "(storage)" : ""));
    }
    std::sort(versions.begin(), versions.end());
    for (const auto& one : list_in(o, {"spec", "names", "shortNames"})) {
        if (one.is_string()) short_names.emplace_back(one.get_string());
    }
    return {name_in(o),
            text_in(o, {"spec", "scope"}),
            joined(versions),
            text_in(o, {"metadata", "creationTimestamp"}),
            text_in(o, {"spec", "group"}),
            text_in(o, {"spec", "names", "kind"}),
            joined(short_names),
            state_of_condition(o, "Established") == "True"};
}

inline json::array lease_cells(const json::value& o, wall_time now) {
    return {name_in(o), text_in(o, {"spec", "holderIdentity"}), age_of(o, now)};
}

inline json::array priority_class_cells(const json::value& o, wall_time now) {
    return {name_in(o), number_in(o, {"value"}), flag_in(o, {"globalDefault"}), age_of(o, now),
            text_in(o, {"preemptionPolicy"})};
}

inline json::array binding_cells(const json::value& o, wall_time now) {
    std::vector<std::string> users, groups, accounts;
    for (const auto& subject : list_in(o, {"subjects"})) {
        const std::string name = text_in(subject, {"name"});
        const std::string_view kind = json::get_string(subject, {"kind"});
        if (kind == "User") users.push_back(name);
        if (kind == "Group") groups.push_back(name);
        if (kind == "ServiceAccount") accounts.push_back(text_in(subject, {"namespace"}) + "/" + name);
    }
    return {name_in(o),           text_in(o, {"roleRef", "kind"}) + "/" + text_in(o, {"roleRef", "name"}),
            age_of(o, now),       joined(users, ", "),
            joined(groups, ", "), joined(accounts, ", ")};
}

// Of both APIs: what one calls involvedObject, message and source, the other calls regarding, note and
// deprecatedSource.
inline json::array event_cells(const json::value& o, wall_time now) {
    const auto either = [&o](std::string_view a, std::string_view b) -> const json::value& {
        const json::value& first = value_in(o, {a});
        return first.is_null() ? value_in(o, {b}) : first;
    };
    const auto time = [now](const json::value& v) {
        return v.is_string() ? age_text(v.get_string(), now) : std::string("<unknown>");
    };
    const json::value& first_time = either("firstTimestamp", "deprecatedFirstTimestamp");
    const std::string first = time(first_time.is_string() ? first_time : value_in(o, {"eventTime"}));
    const json::value& last_time = either("lastTimestamp", "deprecatedLastTimestamp");
    std::string last = last_time.is_string() ? time(last_time) : first;
    const json::value& counted = either("count", "deprecatedCount");
    std::int64_t count = counted.is_int64() && counted.get_int64() != 0 ? counted.get_int64() : 1;
    if (const json::value& series = value_in(o, {"series"}); series.is_object()) {
        last = time(value_in(series, {"lastObservedTime"}));
        count = number_in(series, {"count"});
    }
    const json::value& about = either("involvedObject", "regarding");
    const json::value& source = either("source", "deprecatedSource");
    const std::string name = text_in(about, {"name"});
    std::string reporter = text_in(source, {"component"},
                                   text_in(o, {"reportingComponent"}, json::get_string(o, {"reportingController"})));
    const std::string instance = text_in(source, {"host"}, json::get_string(o, {"reportingInstance"}));
    if (!instance.empty()) reporter += ", " + instance;
    const json::value& said = either("message", "note");
    std::string message(said.is_string() ? trim_blanks(said.get_string()) : std::string_view());
    return {last,
            text_in(o, {"type"}),
            text_in(o, {"reason"}),
            ascii_lower(text_in(about, {"kind"})) + (name.empty() ? "" : "/" + name),
            text_in(about, {"fieldPath"}),
            reporter,
            message,
            first,
            count,
            name_in(o)};
}

}  // namespace kcontrol::testing::detail
