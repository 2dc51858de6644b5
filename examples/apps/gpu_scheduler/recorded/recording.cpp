#include "recorded/recording.hpp"

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/values/time.hpp>

#include "recorded/pseudonyms.hpp"

namespace gpu_scheduler {

namespace core = kcontrol::api::core::v1;
namespace json = kcontrol::json;

namespace {

template <class T>
result<void> list_into(const kcontrol::blocking_client& from, recorded<T>& to) {
    auto all = from.list<T>();
    if (!all && all.error() == kcontrol::api_errc::not_found) return {};
    if (!all) return all.error().with_context(std::string(T::kcontrol_resource.plural));
    for (const auto& each : *all) {
        auto copy = *each;
        copy.metadata.annotations.erase("kubectl.kubernetes.io/last-applied-configuration");
        if constexpr (std::is_same_v<T, core::pod>) {
            for (auto* containers : {&copy.spec.containers, &copy.spec.init_containers}) {
                for (auto& one : *containers) {
                    one.env = {};
                    one.env_from = {};
                }
            }
            copy.spec.ephemeral_containers = {};
        }
        to.push_back(std::make_shared<const T>(std::move(copy)));
    }
    return {};
}

// Takes an object if it is a T. Nothing: it is none.
template <class T>
std::optional<result<void>> take(const json::value& object, recorded<T>& to) {
    const auto& info = kcontrol::resource_of<T>();
    if (json::get_string(object, {"kind"}) != info.gvk.kind ||
        json::get_string(object, {"apiVersion"}) != info.gvk.api_version()) {
        return {};
    }
    auto read = kcontrol::from_json<T>(json::serialize(object));
    if (!read)
        return result<void>(read.error().with_context(std::string(json::get_string(object, {"metadata", "name"}))));
    to.push_back(std::make_shared<const T>(std::move(*read)));
    return result<void>();
}

std::string text_in(const json::object& at, std::string_view name) {
    const auto* found = at.if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

}  // namespace

result<recording> record_cluster(const kcontrol::blocking_client& from, kcontrol::wall_time now, recorded_flags flags) {
    recording out;
    out.time = now;
    out.flags = std::move(flags);
    result<void> done;
    std::apply([&](auto&... to) { static_cast<void>(((done = list_into(from, to)) && ...)); }, out.objects);
    if (!done) return done.error();
    return out;
}

std::string write_recording(const recording& of) {
    json::writer out;
    out.begin_object();
    out.member("v", 1);
    out.member("time", kcontrol::format_time(of.time));
    out.member("schedulerName", of.flags.scheduler_name);
    out.member("config", of.flags.configuration);
    out.member("nodeSelector", of.flags.node_selector);
    out.member("tenants", of.flags.has_tenants);
    json::begin_array(out, "objects");
    const auto write_all = [&out](const auto& all) {
        for (const auto& each : all) out.raw(kcontrol::to_json(*each));
    };
    std::apply([&](const auto&... all) { (write_all(all), ...); }, of.objects);
    out.end_array();
    json::begin_array(out, "decisions");
    for (const auto& each : of.decisions) {
        out.begin_object();
        out.member("pod", each.pod);
        out.member("node", each.node);
        out.member("allocation", each.allocation);
        out.member("message", each.message);
        out.end_object();
    }
    out.end_array();
    out.end_object();
    return out.take() + "\n";
}

result<recording> read_recording(const std::string& file, std::string_view text) {
    const auto parsed = json::parse(text);
    if (!parsed) return bad_value(file + ": " + parsed.error().message());
    const auto* top = parsed->if_object();
    const auto* version = top == nullptr ? nullptr : top->if_contains("v");
    const auto* objects = top == nullptr ? nullptr : top->if_contains("objects");
    const auto* decisions = top == nullptr ? nullptr : top->if_contains("decisions");
    if (version == nullptr || *version != json::value(1) || objects == nullptr || !objects->is_array() ||
        decisions == nullptr || !decisions->is_array()) {
        return bad_value(file + ": this is no file of gpu_scheduler snapshot, or one of another version");
    }
    recording out;
    const auto time = kcontrol::parse_time(text_in(*top, "time"));
    if (!time) return bad_value(file + ": time: " + in_quotes(text_in(*top, "time")) + " is no time");
    out.time = *time;
    out.flags = {text_in(*top, "schedulerName"), text_in(*top, "config"), text_in(*top, "nodeSelector"),
                 top->at("tenants") == json::value(true)};
    for (const auto& each : objects->as_array()) {
        std::optional<result<void>> taken;
        std::apply([&](auto&... to) { static_cast<void>(((taken = take(each, to)) || ...)); }, out.objects);
        if (!taken) return bad_value(file + ": kind " + in_quotes(json::get_string(each, {"kind"})) + " is not known");
        if (!*taken) return bad_value(file + ": " + taken->error().message());
    }
    for (const auto& each : decisions->as_array()) {
        const auto* at = each.if_object();
        if (at == nullptr) return bad_value(file + ": decisions: an object is expected");
        out.decisions.push_back(
            {text_in(*at, "pod"), text_in(*at, "node"), text_in(*at, "allocation"), text_in(*at, "message")});
    }
    return out;
}

result<recording> anonymize(const recording& of) {
    auto copy = of;
    copy.decisions.clear();
    auto parsed = json::parse(write_recording(copy));
    if (!parsed) return parsed.error();
    pseudonyms names;
    for (auto& each : parsed->at("objects").as_array()) names.replace(each);
    auto selector = names.selector(of.flags.node_selector);
    if (!selector) return selector.error();
    parsed->at("nodeSelector") = *selector;
    return read_recording("snapshot", json::serialize(*parsed));
}

}  // namespace gpu_scheduler
