#include "fault_plan.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/values/api_duration.hpp>

#include <algorithm>
#include <optional>

namespace kcontrol_apiserver {

const char* const stale_replica = "stale";

namespace {

namespace json = kcontrol::json;
namespace testing = kcontrol::testing;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::size_t max_bytes = std::size_t{1} << 20;

// Reads an object member by member; what is left at the end is unknown.
class members {
public:
    members(std::string where, const json::value& v) : where_(std::move(where)) {
        if (v.is_object()) {
            object_ = &v.get_object();
        } else {
            refuse("", "is " + json::serialize(v).substr(0, 60) + ", not an object; write it with members");
        }
    }

    const json::value* take(std::string_view name) {
        known_.emplace_back(name);
        return object_ == nullptr ? nullptr : object_->if_contains(name);
    }
    void text(std::string_view name, std::string& to) {
        const json::value* v = take(name);
        if (v == nullptr) return;
        if (!v->is_string()) return refuse(name, wrong(*v, "a text"));
        to = v->get_string();
    }
    void flag(std::string_view name, bool& to) {
        const json::value* v = take(name);
        if (v == nullptr) return;
        if (!v->is_bool()) return refuse(name, wrong(*v, "true or false"));
        to = v->get_bool();
    }
    // A number from 0 on.
    void count(std::string_view name, std::uint64_t& to) {
        const json::value* v = take(name);
        if (v == nullptr) return;
        if (!v->is_int64() || v->get_int64() < 0) return refuse(name, wrong(*v, "a number from 0 on"));
        to = static_cast<std::uint64_t>(v->get_int64());
    }
    std::optional<std::size_t> position(std::string_view name) {
        if (take(name) == nullptr) return std::nullopt;
        std::uint64_t out = 0;
        count(name, out);
        return static_cast<std::size_t>(out);
    }
    void share(std::string_view name, double& to) {
        const json::value* v = take(name);
        if (v == nullptr) return;
        const bool number = v->is_double() || v->is_int64();
        const double given = v->is_double() ? v->get_double() : v->is_int64() ? double(v->get_int64()) : -1;
        if (!number || given < 0 || given > 1) return refuse(name, wrong(*v, "a number from 0 to 1"));
        to = given;
    }
    void length(std::string_view name, kcontrol::duration& to) {
        const json::value* v = take(name);
        if (v == nullptr) return;
        const auto parsed = v->is_string() ? kcontrol::parse_duration(std::string_view(v->get_string()))
                                           : result<std::chrono::nanoseconds>(error(errc::invalid_argument));
        if (!parsed || parsed->count() < 0) return refuse(name, wrong(*v, "a length of time such as 200ms or 1m30s"));
        to = std::chrono::duration_cast<kcontrol::duration>(*parsed);
    }
    void texts(std::string_view name, std::vector<std::string>& to) {
        const json::value* v = take(name);
        if (v == nullptr) return;
        if (!v->is_array()) return refuse(name, wrong(*v, "a list of texts"));
        for (const auto& one : v->get_array()) {
            if (!one.is_string()) return refuse(name, wrong(one, "a list of texts"));
            to.emplace_back(one.get_string());
        }
    }
    void refuse(std::string_view name, const std::string& why) {
        if (problem_.empty()) problem_ = where_ + (name.empty() ? "" : "." + std::string(name)) + " " + why;
    }
    // What is wrong, or nothing.
    std::optional<error> end() {
        if (object_ != nullptr) {
            for (const auto& member : *object_) {
                if (std::find(known_.begin(), known_.end(), member.key()) != known_.end()) continue;
                std::string names;
                for (const auto& name : known_) names += (names.empty() ? "" : ", ") + name;
                refuse("",
                       "has an unknown member \"" + kcontrol::escape_control(member.key()) + "\"; known are " + names);
            }
        }
        if (problem_.empty()) return std::nullopt;
        return error(errc::decode_failed, problem_);
    }

private:
    static std::string wrong(const json::value& v, const std::string& wanted) {
        return "is " + json::serialize(v).substr(0, 60) + "; write " + wanted;
    }

    std::string where_;
    const json::object* object_ = nullptr;
    std::vector<std::string> known_;
    std::string problem_;
};

std::optional<error> read_answer(const std::string& where, const json::value& from, testing::fault& to) {
    members m(where, from);
    std::uint64_t code = 0, retry_after = 0;
    std::string reason, message = "a fault that was asked for";
    m.count("code", code);
    m.text("reason", reason);
    m.text("message", message);
    const bool says_when = json::find(from, {"retryAfter"}) != nullptr;
    m.count("retryAfter", retry_after);
    if (code < 200 || code > 599) m.refuse("code", "must be a status from 200 to 599, such as 410, 429 or 500");
    if (reason.empty()) {
        if (code == 404) reason = "NotFound";
        if (code == 409) reason = "Conflict";
        if (code == 410) reason = "Expired";
        if (code == 429) reason = "TooManyRequests";
        if (code == 500) reason = "InternalError";
        if (code == 503) reason = "ServiceUnavailable";
        if (code == 504) reason = "Timeout";
    }
    to.status(static_cast<int>(code), reason, message, says_when ? static_cast<int>(retry_after) : -1);
    return m.end();
}

std::optional<error> read_watch(const std::string& where, const json::value& from, testing::fault& to) {
    members m(where, from);
    int given = 0;
    const auto at = [&](std::string_view name, auto set) {
        if (const auto n = m.position(name)) ++given, set(*n);
    };
    at("cutAfterEvents", [&](std::size_t n) { to.cut_after_events(n); });
    at("endAfterEvents", [&](std::size_t n) { to.end_after_events(n); });
    at("truncateEvent", [&](std::size_t n) { to.truncate_event(n); });
    at("garbageBeforeEvent", [&](std::size_t n) { to.garbage_before_event(n); });
    at("loseEvent", [&](std::size_t n) { to.lose_event(n); });
    at("expireAtEvent",
       [&](std::size_t n) { to.error_at_event(n, testing::failure::expired("too old resource version: 1 (2)")); });
    if (given != 1) m.refuse("", "must have exactly one member");
    return m.end();
}

std::optional<error> read_match(const std::string& where, const json::value& from, fault_rule& to) {
    members m(where, from);
    m.texts("verbs", to.verbs);
    m.texts("resources", to.resources);
    m.texts("namespaces", to.namespaces);
    m.texts("methods", to.methods);
    m.text("path", to.path);
    for (const auto& verb : to.verbs) {
        constexpr std::string_view verbs[] = {"get",    "list",  "watch",  "create",
                                              "update", "patch", "delete", "deletecollection"};
        if (std::find(std::begin(verbs), std::end(verbs), verb) == std::end(verbs)) {
            m.refuse("verbs", "has \"" + kcontrol::escape_control(verb) +
                                  "\"; use get, list, watch, create, update, patch, delete, deletecollection");
        }
    }
    return m.end();
}

std::optional<error> read_rule(const std::string& where, const json::value& from, fault_rule& to) {
    members m(where, from);
    m.count("skip", to.skip);
    m.count("times", to.times);
    m.share("probability", to.probability);
    kcontrol::duration delay{};
    bool drops = false, loses = false, hangs = false;
    std::uint64_t rate = 0;
    m.length("delay", delay);
    m.length("jitter", to.jitter);
    m.flag("drop", drops);
    m.flag("loseAnswer", loses);
    m.flag("hang", hangs);
    m.flag("staleReplica", to.stale);
    m.count("bytesPerSecond", rate);
    const auto cut = m.position("cutAfterBytes");
    to.what.delay(delay).bytes_per_second(static_cast<std::size_t>(rate));
    if (drops) to.what.drop();
    if (loses) to.what.drop_response();
    if (hangs) to.what.hang();
    if (to.stale) to.what.replica(stale_replica);
    if (cut) to.what.cut_after_bytes(*cut);
    const json::value* match = m.take("match");
    const json::value* answer = m.take("answer");
    const json::value* watch = m.take("watch");
    if (watch != nullptr && cut) m.refuse("watch", "and cutAfterBytes exclude each other; leave one out");
    if (const auto wrong = m.end()) return wrong;
    if (match != nullptr) {
        if (auto wrong = read_match(where + ".match", *match, to)) return wrong;
    }
    if (answer != nullptr) {
        if (auto wrong = read_answer(where + ".answer", *answer, to.what)) return wrong;
    }
    return watch == nullptr ? std::nullopt : read_watch(where + ".watch", *watch, to.what);
}

bool is_among(const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

bool is_about(const fault_rule& rule, const kcontrol::http::server_request& request,
              const testing::request_info& info) {
    if (!is_among(rule.methods, request.method) || !info.path.starts_with(rule.path)) return false;
    if (!is_among(rule.verbs, info.verb) || !is_among(rule.namespaces, info.namespace_)) return false;
    if (rule.resources.empty()) return true;
    if (!info.is_resource) return false;
    std::string plain = info.resource, full = info.id().text();
    if (!info.subresource.empty()) {
        plain += "/" + info.subresource;
        full += "/" + info.subresource;
    }
    return is_among(rule.resources, plain) || is_among(rule.resources, full);
}

}  // namespace

result<fault_plan> fault_plan::parse(std::string_view text) {
    const auto documents = json::parse_yaml(text, max_bytes);
    if (!documents) return documents.error();
    if (documents->size() != 1) {
        return error(errc::decode_failed, "faults: there are " + std::to_string(documents->size()) +
                                              " documents; write one, with the member faults");
    }
    fault_plan out;
    out.source_ = documents->front();
    members m("the document", out.source_);
    m.count("seed", out.seed_);
    const json::value* rules = m.take("faults");
    if (const auto wrong = m.end()) return *wrong;
    if (rules == nullptr || !rules->is_array()) {
        return error(errc::decode_failed, "the document.faults must be a list of rules, such as [{delay: 1s}]");
    }
    for (const auto& one : rules->get_array()) {
        fault_rule rule;
        const std::string where = "faults[" + std::to_string(out.rules_.size()) + "]";
        if (const auto wrong = read_rule(where, one, rule)) return *wrong;
        out.rules_.push_back(std::move(rule));
    }
    out.seen_.resize(out.rules_.size());
    out.hit_.resize(out.rules_.size());
    return out;
}

// splitmix64, where a seed was given: the same requests then meet the same faults.
std::uint64_t fault_plan::next_random(kcontrol::environment& env) {
    if (seed_ == 0) return env.random();
    std::uint64_t z = seed_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

testing::fault fault_plan::decide(const kcontrol::http::server_request& request, kcontrol::environment& env) {
    const auto info = testing::parse_request(request);
    if (!info) return {};
    const auto share = [&] { return static_cast<double>(next_random(env) >> 11) * 0x1.0p-53; };
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        const fault_rule& rule = rules_[i];
        if (!is_about(rule, request, *info)) continue;
        if (seen_[i]++ < rule.skip || hit_[i] >= rule.times) continue;
        if (rule.probability < 1 && share() >= rule.probability) continue;
        ++hit_[i];
        testing::fault out = rule.what;
        if (rule.jitter > kcontrol::duration::zero()) {
            out.delay(out.delay() + std::chrono::duration_cast<kcontrol::duration>(rule.jitter * share()));
        }
        return out;
    }
    return {};
}

std::string fault_plan::shown() const {
    json::object out = source_.is_object() ? source_.get_object() : json::object();
    if (!out.contains("faults")) out["faults"] = json::array();
    json::array hits;
    for (const auto count : hit_) hits.push_back(json::value(count));
    out["hits"] = std::move(hits);
    return json::serialize(json::value(std::move(out)));
}

}  // namespace kcontrol_apiserver
