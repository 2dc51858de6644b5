#include "jobs/observe_by_rule.hpp"

#include <kcontrol/codec/codec.hpp>

#include "jobs/conditions.hpp"
#include "jobs/gpus.hpp"

#include <algorithm>
#include <map>

namespace training_monitor {
namespace {

using kcontrol::json::node;

std::vector<job_condition> conditions_of(const kind_rule& rule, node object) {
    std::vector<job_condition> out;
    const node list = rule.conditions.first(object);
    if (!list.is_array()) return out;
    for (const node element : list.elements()) {
        job_condition one;
        if (kcontrol::decode(kcontrol::describe<job_condition>(), element, &one)) out.push_back(std::move(one));
    }
    return out;
}

// An object while it is read.
struct reading {
    const kind_rule& rule;
    const kcontrol::object_meta& meta;
    node object;
    std::vector<job_condition> conditions;
};

bool field_fits(const state_rule& rule, node object) {
    bool out = false;
    rule.field.each(object, [&](node value) {
        if (rule.values.empty()) {
            out = out || says_yes(value);
        } else {
            out = out || std::find(rule.values.begin(), rule.values.end(), scalar_text(value)) != rule.values.end();
        }
    });
    return out;
}

// The condition that a rule asks for, as it says.
const job_condition* deciding(const state_rule& rule, const std::vector<job_condition>& conditions) {
    const auto* found = rule.condition.empty() ? nullptr : find_condition(conditions, rule.condition);
    return found && found->status == rule.status ? found : nullptr;
}

bool fits(const state_rule& rule, const reading& in) {
    if (!rule.condition.empty() && !deciding(rule, in.conditions)) return false;
    if (!rule.field.empty() && !field_fits(rule, in.object)) return false;
    // Where it is asked to be so, and not only was so before.
    return rule.state != job_state::suspended || in.rule.suspend.empty() || says_yes(in.rule.suspend.first(in.object));
}

// Returns the rule that decided, or null.
const state_rule* derive_state(job_view& view, const reading& in) {
    for (const auto& rule : in.rule.states) {
        if (!fits(rule, in)) continue;
        job_condition why;
        if (const auto* condition = deciding(rule, in.conditions)) {
            why = *condition;
        } else {
            why.reason = in.rule.reason.text(in.object);
            why.message = in.rule.message.text(in.object);
        }
        if (rule.state == job_state::suspended) {
            decide_suspended(view, in.meta, why);
        } else {
            decide(view, rule.state, why);
        }
        return &rule;
    }
    view.state = in.rule.otherwise;
    if (view.state == job_state::unknown) {
        view.reason = "NoConditions";
        view.message = "its operator has written no condition yet";
    } else {
        view.reason = in.rule.reason.text(in.object);
        view.message = in.rule.message.text(in.object);
    }
    return nullptr;
}

// Where nothing says so, a job starts when it is created, or when it was last resumed.
std::string start_of(const reading& in, job_state state) {
    if (!in.rule.start_time.empty()) return in.rule.start_time.text(in.object);
    if (state == job_state::created || state == job_state::queued || state == job_state::suspended) return {};
    const auto* suspended = find_condition(in.conditions, "Suspended");
    if (suspended && suspended->status == "False" && !suspended->last_transition_time.empty()) {
        return suspended->last_transition_time;
    }
    return in.meta.creation_timestamp.str();
}

std::string end_of(const reading& in, const state_rule* decided) {
    auto said = in.rule.completion_time.text(in.object);
    if (!said.empty() || !decided) return said;
    const auto* condition = deciding(*decided, in.conditions);
    return condition ? condition->last_transition_time : std::string();
}

// Calls take(name, value) for each of a map, or of a list whose elements have their names at `name`.
template <class Take>
void each_named(const field_path& items, const std::string& name, node object, Take take) {
    const node all = items.first(object);
    if (all.is_object()) {
        for (const auto member : all.members()) take(std::string(member.name), member.value);
    } else if (all.is_array()) {
        for (const node element : all.elements()) {
            if (element.is_object()) take(name.empty() ? std::string() : scalar_text(element[name]), element);
        }
    }
}

void count(const replica_rule& rule, node from, replica_counts& to) {
    to.active = rule.active.sum(from, 0);
    to.succeeded = rule.succeeded.sum(from, 0);
    to.failed = rule.failed.sum(from, 0);
}

void add_replicas(const replica_rule& rule, node object, std::map<std::string, replica_counts>& to) {
    if (rule.items.empty()) {
        auto& line = to[rule.type];
        line.desired = rule.desired.sum(object, rule.desired_otherwise);
        return count(rule, object, line);
    }
    each_named(rule.items, rule.name, object, [&](const std::string& name, node item) {
        to[name].desired = rule.desired.sum(item, rule.desired_otherwise);
    });
    each_named(rule.counts, rule.name, object,
               [&](const std::string& name, node counts) { count(rule, counts, to[name]); });
}

std::int64_t gpus_of(const gpu_rule& rule, node from) {
    node found;
    for (const auto& place : rule.templates) {
        if (found.is_null()) found = place.first(from);
    }
    gpu_pod_template pods;
    if (found.is_null() || !kcontrol::decode(kcontrol::describe<gpu_pod_template>(), found, &pods)) return 0;
    std::int64_t out = training_monitor::gpus_of(pods);
    for (std::size_t i = 0; i < rule.times.size(); ++i) {
        const bool last = i + 1 == rule.times.size();
        out = gpus_of_pods(rule.times[i].sum(from, 1) - (last ? rule.less : 0), out);
    }
    return out;
}

std::int64_t all_gpus(const kind_rule& rule, node object) {
    std::int64_t out = 0;
    for (const auto& one : rule.gpus) {
        if (one.items.empty()) {
            out = gpus_together(out, gpus_of(one, object));
        } else {
            each_named(one.items, {}, object,
                       [&](const std::string&, node item) { out = gpus_together(out, gpus_of(one, item)); });
        }
    }
    return out;
}

}  // namespace

observed_job observe(const ruled_kind& kind, const ruled_kind::version& version, const kcontrol::dynamic_object& object,
                     std::string_view cluster) {
    observed_job out = observe_metadata(object.metadata, kind.rule.name, version.api_version, cluster);
    kcontrol::json::document document;
    const auto root = document.parse(object.content.to_json());
    if (!root) return out;  // it came from a decoder
    reading in{kind.rule, object.metadata, *root, conditions_of(kind.rule, *root)};
    job_view& view = out.view;
    const auto* decided = derive_state(view, in);
    view.start_time = parse_rfc3339_seconds(start_of(in, view.state));
    if (is_final(view.state)) view.completion_time = parse_rfc3339_seconds(end_of(in, decided));
    view.gpus = all_gpus(kind.rule, *root);
    std::map<std::string, replica_counts> replicas;
    for (const auto& rule : kind.rule.replicas) add_replicas(rule, *root, replicas);
    for (auto& [type, counts] : replicas) {
        counts.type = type;
        view.replicas.push_back(std::move(counts));
    }
    return out;
}

job_details details_of(const ruled_kind& kind, const kcontrol::dynamic_object& object) {
    job_details out;
    kcontrol::json::document document;
    const auto root = document.parse(object.content.to_json());
    if (!root) return out;
    for (auto& c : conditions_of(kind.rule, *root)) {
        out.conditions.push_back({c.type, c.status, c.reason, c.message, c.last_transition_time});
    }
    return out;
}

}  // namespace training_monitor
