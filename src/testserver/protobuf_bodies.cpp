#include "testserver/protobuf_bodies.hpp"

#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/codec/protobuf_stream.hpp>
#include <kcontrol/json/reader.hpp>

#include "testserver/header_text.hpp"
#include "testserver/rendering.hpp"

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

const protobuf_message* find_message(std::string_view api_version, std::string_view kind) {
    if (kind == "Status" && api_version == "v1") return &api::protobuf_status();
    if (kind == "DeleteOptions") return &api::protobuf_delete_options();
    if (kind == "PartialObjectMetadata") return &api::protobuf_partial_object();
    const auto slash = api_version.find('/');
    if (slash == std::string_view::npos) return api::find_protobuf("", api_version, kind);
    return api::find_protobuf(api_version.substr(0, slash), api_version.substr(slash + 1), kind);
}

std::optional<std::string> protobuf_list_of(json::node list, const protobuf_message& item) {
    auto metadata = list["metadata"].is_object() ? json_to_protobuf(api::protobuf_list_metadata(), list["metadata"])
                                                 : result<std::string>(std::string());
    if (!metadata) return std::nullopt;
    std::string out;
    append_protobuf_member(out, 1, *metadata);
    for (const json::node each : list["items"].elements()) {
        const auto message = json_to_protobuf(item, each);
        if (!message) return std::nullopt;
        append_protobuf_member(out, 2, *message);
    }
    return out;
}

std::optional<std::string> protobuf_of_node(json::node object) {
    if (!object.is_object() || !object["apiVersion"].is_string() || !object["kind"].is_string()) return std::nullopt;
    protobuf_envelope envelope;
    envelope.api_version = object["apiVersion"].as_string();
    envelope.kind = object["kind"].as_string();
    std::string bytes;
    if (object["items"].is_array() && envelope.kind.ends_with("List")) {
        const auto* item = find_message(envelope.api_version, envelope.kind.substr(0, envelope.kind.size() - 4));
        auto list = item != nullptr ? protobuf_list_of(object, *item) : std::nullopt;
        if (!list) return std::nullopt;
        bytes = std::move(*list);
    } else {
        const auto* message = find_message(envelope.api_version, envelope.kind);
        if (message == nullptr) return std::nullopt;
        auto written = json_to_protobuf(*message, object);
        if (!written) return std::nullopt;
        bytes = std::move(*written);
    }
    envelope.message = bytes;
    return close_protobuf(envelope);
}

}  // namespace
}  // namespace detail

accepted_forms::accepted_forms(std::string_view accept, bool available) {
    bool decided = false;
    while (!accept.empty()) {
        std::string_view range = detail::cut(accept, ',');
        std::string_view rest = range;
        const std::string_view type = detail::cut(rest, ';');
        std::string shown(range);
        if (type == protobuf_media_type) {
            shown = available ? "application/json" + shown.substr(type.size()) : "application/unavailable";
            // A table has no form in Protocol Buffers.
            const auto form = detail::shape_of_media_range(shown);
            if (form == shape::table) shown = "application/unavailable";
        }
        if (!decided && detail::shape_of_media_range(shown)) {
            decided = true;
            protobuf_ = type == protobuf_media_type;
        }
        in_json_ += (in_json_.empty() ? "" : ",") + shown;
    }
}

std::optional<std::string> protobuf_of_json(std::string_view text) {
    json::document document;
    const auto root = document.parse(text);
    return root ? detail::protobuf_of_node(*root) : std::nullopt;
}

std::string protobuf_event_of_json(std::string event) {
    json::document document;
    const auto root = document.parse(event);
    if (!root || !root->is_object() || !(*root)["type"].is_string()) return event;
    const auto object = detail::protobuf_of_node((*root)["object"]);
    return object ? protobuf_watch_frame((*root)["type"].as_string(), *object) : event;
}

outcome<std::string> json_of_protobuf(std::string_view body) {
    const std::string unreadable = "the object provided is unrecognized: ";
    const auto opened = open_protobuf(body);
    if (!opened) return failure::bad_request(unreadable + opened.error().message());
    const auto* message = detail::find_message(opened->api_version, opened->kind);
    if (message == nullptr) {
        return failure::bad_request("no kind \"" + std::string(opened->kind) + "\" is registered for version \"" +
                                    std::string(opened->api_version) + "\"");
    }
    auto text = protobuf_to_json(*message, opened->message, opened->api_version, opened->kind);
    if (!text) return failure::bad_request(unreadable + text.error().message());
    return std::move(*text);
}

}  // namespace kcontrol::testing
