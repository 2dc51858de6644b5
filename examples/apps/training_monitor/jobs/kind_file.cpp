#include "jobs/kind_file.hpp"

#include <kcontrol/base/in_quotes.hpp>

#include "strict_yaml.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace training_monitor {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::field;
using kcontrol::fields;
using kcontrol::in_quotes;

constexpr std::size_t most_kinds = 64, most_versions = 2;

// The file, field by field.
struct state_section {
    std::string state, condition, status, field;
    std::vector<std::string> values;
    static constexpr auto kcontrol_fields() {
        using self = state_section;
        return fields(kcontrol::field("state", &self::state), kcontrol::field("condition", &self::condition),
                      kcontrol::field("status", &self::status), kcontrol::field("field", &self::field),
                      kcontrol::field("values", &self::values));
    }
};

struct replica_section {
    std::string type, items, name, desired, counts, active, succeeded, failed;
    std::optional<std::int64_t> otherwise;
    static constexpr auto kcontrol_fields() {
        using self = replica_section;
        return fields(field("type", &self::type), field("items", &self::items), field("name", &self::name),
                      field("desired", &self::desired), field("otherwise", &self::otherwise),
                      field("counts", &self::counts), field("active", &self::active),
                      field("succeeded", &self::succeeded), field("failed", &self::failed));
    }
};

struct gpu_section {
    std::string items;
    std::vector<std::string> templates, times;
    std::int64_t less = 0;
    static constexpr auto kcontrol_fields() {
        using self = gpu_section;
        return fields(field("items", &self::items), field("templates", &self::templates), field("times", &self::times),
                      field("less", &self::less));
    }
};

struct pod_section {
    std::string label, type, index;
    static constexpr auto kcontrol_fields() {
        using self = pod_section;
        return fields(field("label", &self::label), field("type", &self::type), field("index", &self::index));
    }
};

struct kind_section {
    std::string group, kind, plural, name, otherwise, conditions, reason, message, suspend, start_time, completion_time;
    std::vector<std::string> versions;
    std::vector<state_section> states;
    std::vector<replica_section> replicas;
    bool replicas_are_pods = true;
    std::vector<gpu_section> gpus;
    std::optional<pod_section> pods;
    static constexpr auto kcontrol_fields() {
        using self = kind_section;
        return fields(field("group", &self::group), field("versions", &self::versions), field("kind", &self::kind),
                      field("plural", &self::plural), field("name", &self::name), field("states", &self::states),
                      field("otherwise", &self::otherwise), field("conditions", &self::conditions),
                      field("reason", &self::reason), field("message", &self::message),
                      field("suspend", &self::suspend), field("startTime", &self::start_time),
                      field("completionTime", &self::completion_time), field("replicas", &self::replicas),
                      field("replicasArePods", &self::replicas_are_pods), field("gpus", &self::gpus),
                      field("pods", &self::pods));
    }
};

struct file_section {
    std::vector<kind_section> kinds;
    static constexpr auto kcontrol_fields() { return fields(field("kinds", &file_section::kinds)); }
};

error bad(std::string text) { return error(errc::invalid_config, std::move(text)); }

std::string indexed(std::string_view name, std::size_t i) { return std::string(name) + "[" + std::to_string(i) + "]"; }

// Makes sense of the sections, and collects what is wrong with them.
class reader {
public:
    kind_rule read(const kind_section& from) {
        kind_rule out;
        read_names(from, out);
        for (std::size_t i = 0; i < from.states.size(); ++i) {
            within(indexed("states", i), [&] { out.states.push_back(read_state(from.states[i])); });
        }
        if (from.states.empty()) add("states", "there is none; say which condition or field means which state");
        if (!from.otherwise.empty()) out.otherwise = state("otherwise", from.otherwise);
        out.conditions = path("conditions", from.conditions.empty() ? "status.conditions" : from.conditions);
        out.reason = path("reason", from.reason);
        out.message = path("message", from.message);
        out.suspend = path("suspend", from.suspend);
        out.start_time = path("startTime", from.start_time);
        out.completion_time = path("completionTime", from.completion_time);
        for (std::size_t i = 0; i < from.replicas.size(); ++i) {
            within(indexed("replicas", i), [&] { out.replicas.push_back(read_replicas(from.replicas[i])); });
        }
        out.replicas_are_pods = from.replicas_are_pods;
        for (std::size_t i = 0; i < from.gpus.size(); ++i) {
            within(indexed("gpus", i), [&] { out.gpus.push_back(read_gpus(from.gpus[i])); });
        }
        if (from.pods) out.pods = read_pods(*from.pods);
        return out;
    }

    template <class Action>
    void within(const std::string& step, Action action) {
        const std::size_t length = at_.size();
        at_ += at_.empty() ? step : "." + step;
        action();
        at_.resize(length);
    }

    void add(std::string_view name, std::string_view what) {
        found_ += (found_.empty() ? "" : "\n") + at_ + (at_.empty() ? "" : ".");
        found_.append(name).append(": ").append(what);
    }

    const std::string& found() const noexcept { return found_; }

private:
    static bool is_lower_name(std::string_view text) {
        return !text.empty() &&
               text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string_view::npos;
    }

    static bool is_word(std::string_view text) {
        constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        return !text.empty() && text.size() <= 63 && text.find_first_not_of(letters) == std::string_view::npos;
    }

    void read_names(const kind_section& from, kind_rule& out) {
        if (!is_lower_name(from.group))
            add("group", in_quotes(from.group) + " is no API group, such as batch.volcano.sh");
        if (from.versions.empty() || from.versions.size() > most_versions) {
            add("versions", "name one or two, such as [v1, v1beta1]; the first that a cluster serves is read");
        }
        for (const auto& version : from.versions) {
            if (!is_lower_name(version)) add("versions", in_quotes(version) + " is no version, such as v1 or v1alpha1");
        }
        if (!is_word(from.kind)) add("kind", in_quotes(from.kind) + " is no kind, such as JobSet");
        if (!is_lower_name(from.plural))
            add("plural", in_quotes(from.plural) + " is no resource's name, such as jobsets");
        if (!from.name.empty() && !is_word(from.name)) {
            add("name", in_quotes(from.name) + " has more than letters and digits, or more than 63; or leave it out");
        }
        out.group = from.group;
        out.versions = from.versions;
        out.kind = from.kind;
        out.plural = from.plural;
        out.name = from.name.empty() ? from.kind : from.name;
    }

    job_state state(std::string_view name, std::string_view said) {
        if (const auto found = parse_job_state(said)) return *found;
        std::string all;
        for (const auto each : job_state_names) all.append(all.empty() ? "" : ", ").append(each);
        add(name, in_quotes(said) + " is not one of " + all);
        return job_state::unknown;
    }

    field_path path(std::string_view name, std::string_view said) {
        if (said.empty()) return {};
        auto parsed = field_path::parse(said);
        if (parsed) return std::move(*parsed);
        add(name, parsed.error().message());
        return {};
    }

    std::vector<field_path> paths(std::string_view name, const std::vector<std::string>& said) {
        std::vector<field_path> out;
        for (std::size_t i = 0; i < said.size(); ++i) {
            if (said[i].empty()) {
                add(indexed(name, i), "it is empty; give a path, such as replicas");
            } else {
                out.push_back(path(indexed(name, i), said[i]));
            }
        }
        return out;
    }

    state_rule read_state(const state_section& from) {
        state_rule out;
        if (from.state.empty()) {
            add("state", "it is missing; give one, such as Failed");
        } else {
            out.state = state("state", from.state);
        }
        if (from.condition.empty() && from.field.empty()) {
            add("condition", "neither it nor field is there; say when the job is in this state");
        }
        if (!from.status.empty() && from.condition.empty()) add("status", "it is a condition's; give condition, too");
        if (from.status != "" && from.status != "True" && from.status != "False" && from.status != "Unknown") {
            add("status", in_quotes(from.status) + " is not one of \"True\", \"False\", \"Unknown\" (in quotes)");
        }
        if (!from.values.empty() && from.field.empty()) add("values", "they are a field's; give field, too");
        out.condition = from.condition;
        if (!from.status.empty()) out.status = from.status;
        out.field = path("field", from.field);
        out.values = from.values;
        return out;
    }

    replica_rule read_replicas(const replica_section& from) {
        replica_rule out;
        if (from.type.empty() == from.items.empty()) {
            add("type", "give either type, what this one line is called, or items, where there are many");
        }
        if (from.desired.empty()) add("desired", "it is missing; say where the wanted number stands");
        if (from.active.empty()) add("active", "it is missing; say where the number that runs stands");
        if (from.otherwise && (*from.otherwise < 0 || *from.otherwise > 1'000'000)) {
            add("otherwise", std::to_string(*from.otherwise) + " is not from 0 to 1000000");
        }
        if (!from.items.empty() && from.counts.empty()) {
            add("counts", "it is missing; say where the numbers of these items stand, by the same names");
        }
        if (from.items.empty() && !from.counts.empty()) add("counts", "it belongs to items; leave it out");
        out.type = from.type;
        out.items = path("items", from.items);
        out.name = from.name;
        out.desired = path("desired", from.desired);
        out.desired_otherwise = from.otherwise.value_or(1);
        out.counts = path("counts", from.counts);
        out.active = path("active", from.active);
        out.succeeded = path("succeeded", from.succeeded);
        out.failed = path("failed", from.failed);
        return out;
    }

    gpu_rule read_gpus(const gpu_section& from) {
        gpu_rule out;
        out.items = path("items", from.items);
        if (from.templates.empty()) add("templates", "there is none; say where the template of the pods stands");
        out.templates = paths("templates", from.templates);
        out.times = paths("times", from.times);
        out.less = from.less;
        if (from.less < 0 || from.less > 1'000'000)
            add("less", std::to_string(from.less) + " is not from 0 to 1000000");
        if (from.less != 0 && from.times.empty()) add("less", "it is taken from the last of times; give times, too");
        return out;
    }

    pod_rule read_pods(const pod_section& from) {
        const auto check = [&](std::string_view name, std::string_view said) {
            if (said.find_first_of(" ,=!()\t\r\n") == std::string_view::npos) return;
            add(name, in_quotes(said) + " is no label's name, such as volcano.sh/job-name");
        };
        within("pods", [&] {
            if (from.label.empty()) add("label", "it is missing; name the label whose value is the job's name");
            check("label", from.label);
            check("type", from.type);
            check("index", from.index);
        });
        return {from.label, from.type, from.index};
    }

    std::string at_, found_;
};

}  // namespace

kcontrol::result<std::vector<kind_rule>> read_kind_file(std::string_view text) {
    const auto file = read_strict_yaml<file_section>(text, "kinds", "docs/training_monitor/kinds.md");
    if (!file) return file.error();
    reader in;
    if (file->kinds.empty()) in.add("kinds", "there is none; write at least one");
    if (file->kinds.size() > most_kinds) in.add("kinds", "more than " + std::to_string(most_kinds));
    std::vector<kind_rule> out;
    for (std::size_t i = 0; i < file->kinds.size(); ++i) {
        in.within(indexed("kinds", i), [&] {
            auto made = in.read(file->kinds[i]);
            const bool twice =
                std::any_of(out.begin(), out.end(), [&](const kind_rule& other) { return other.name == made.name; });
            if (twice) in.add("name", in_quotes(made.name) + " is there twice; give one of the two another name");
            out.push_back(std::move(made));
        });
    }
    if (!in.found().empty()) return bad(in.found());
    return out;
}

}  // namespace training_monitor
