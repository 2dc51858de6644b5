// A plugin that does at each point what a test says, and notes its calls.
#pragma once

#include <kcontrol/runtime/make_ready.hpp>
#include <kcontrol/scheduling/plugin.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::test {

/// What such plugins share with the test.
struct plugin_script {
    using point = scheduling::plugin_point;
    std::map<std::pair<char, point>, std::function<scheduling::status()>> answers;  // else success
    std::map<std::string, std::int64_t> scores;                                     // by node
    std::vector<std::string> calls;                                                 // "A Filter"

    scheduling::status call(char plugin, point at) {
        calls.push_back(std::string(1, plugin) + " " + std::string(scheduling::name_of(at)));
        const auto found = answers.find({plugin, at});
        return found == answers.end() ? scheduling::status() : found->second();
    }
    std::size_t count(const std::string& call) const {
        return static_cast<std::size_t>(std::count(calls.begin(), calls.end(), call));
    }
};

template <char Letter>
class scripted_plugin {
    static constexpr char letters[] = {Letter, '\0'};

public:
    using point = scheduling::plugin_point;
    using status = scheduling::status;
    using pod_info = scheduling::pod_info;
    using node_info = scheduling::node_info;

    static constexpr std::string_view name = letters;
    /// Whose state it is: each member looks whether it got the state of its pod.
    struct state {
        std::string pod;
        std::string reserved_on;
    };

    explicit scripted_plugin(plugin_script& script) : script_(&script) {}

    static std::vector<scheduling::event_kind> events() { return {}; }
    status pre_enqueue(const pod_info&) const { return script_->call(Letter, point::pre_enqueue); }
    status pre_filter(state& of, const pod_info& pod, const scheduling::snapshot&) const {
        of.pod = std::string(pod.name());
        of.reserved_on.clear();
        return script_->call(Letter, point::pre_filter);
    }
    status filter(const state& of, const pod_info& pod, const node_info&) const {
        CHECK(of.pod == pod.name());
        return script_->call(Letter, point::filter);
    }
    status pre_score(state& of, const pod_info& pod, const scheduling::snapshot&,
                     std::span<const node_info* const>) const {
        CHECK(of.pod == pod.name());
        return script_->call(Letter, point::pre_score);
    }
    std::int64_t score(const state&, const pod_info&, const node_info& node) const {
        script_->call(Letter, point::score);
        const auto found = script_->scores.find(std::string(node.name()));
        return found == script_->scores.end() ? 0 : found->second;
    }
    void normalize_score(std::span<std::int64_t>) const { script_->call(Letter, point::normalize_score); }
    status reserve(state& of, scheduling::placement& on, const node_info& node) {
        CHECK(node.name() == on.node());
        of.reserved_on = on.node();
        on.annotate(std::string("reserved-by-") + Letter, on.node());
        return script_->call(Letter, point::reserve);
    }
    void unreserve(state& of, const scheduling::placement& on) {
        CHECK(of.pod == on.pod().name());
        script_->call(Letter, point::unreserve);
    }
    awaitable<status> permit(state& of, scheduling::placement& on) { return later(of, on, point::permit); }
    awaitable<status> pre_bind(state& of, scheduling::placement& on) { return later(of, on, point::pre_bind); }
    awaitable<status> bind(state& of, const scheduling::placement& on) { return later(of, on, point::bind); }
    void post_bind(const state& of, const scheduling::placement& on) {
        CHECK(of.reserved_on == on.node());
        script_->call(Letter, point::post_bind);
    }

private:
    awaitable<status> later(const state& of, const scheduling::placement& on, point at) {
        CHECK(of.pod == on.pod().name());
        CHECK(of.reserved_on == on.node());
        co_return script_->call(Letter, at);
    }

    plugin_script* script_;
};

}  // namespace kcontrol::test
