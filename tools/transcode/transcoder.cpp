#include "transcoder.hpp"

#include <kcontrol/api/kinds.hpp>
#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/known_fields.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/documents/strict.hpp>
#include <kcontrol/documents/value.hpp>

#include "compare.hpp"

namespace transcode {
namespace {

namespace json = kcontrol::json;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

std::string text_of(json::node value) { return value.is_string() ? std::string(value.as_string()) : std::string(); }

kcontrol::group_version_kind gvk_of(const std::string& api_version, const std::string& kind) {
    const auto slash = api_version.find('/');
    if (slash == std::string::npos) return {"", api_version, kind};
    return {api_version.substr(0, slash), api_version.substr(slash + 1), kind};
}

const kcontrol::protobuf_message* message_of(const kcontrol::resource_info& info) {
    return kcontrol::api::find_protobuf(info.gvk.group, info.gvk.version, info.gvk.kind);
}

/// What says nothing in Go, or has no field number there: the version and kind of an object inside another.
void drop_zeros(json::value& from, bool claim = false) {
    if (auto* list = from.if_array()) {
        for (auto& each : *list) drop_zeros(each, claim);
        return;
    }
    auto* members = from.if_object();
    if (members == nullptr) return;
    std::vector<std::string> gone;
    for (auto& member : *members) {
        auto& value = member.value();
        drop_zeros(value, member.key() == "volumeClaimTemplates");
        const bool empty = (value.is_string() && value.get_string().empty()) || value == json::value(false) ||
                           value == json::value(0) || (value.is_array() && value.get_array().empty());
        if (empty || (claim && (member.key() == "apiVersion" || member.key() == "kind"))) {
            gone.emplace_back(member.key());
        }
    }
    for (const auto& name : gone) members->erase(name);
}

result<void> compare(json::node object, const std::string& encoded, const std::string& what) {
    json::document document;
    const auto again = document.parse(encoded);
    if (!again) return again.error().with_context("what was encoded");
    const auto lost = lost_between(object, *again);
    if (lost.empty()) return {};
    std::string paths;
    for (const auto& path : lost) paths += (paths.empty() ? "" : ", ") + path;
    return error(errc::decode_failed, what + paths);
}

}  // namespace

std::string name_of(json::node object, const type_name& implied) {
    if (!object.is_object()) return "a document that is not an object";
    const json::node meta = object["metadata"];
    std::string name = meta.is_object() ? text_of(meta["name"]) : std::string();
    const std::string ns = meta.is_object() ? text_of(meta["namespace"]) : std::string();
    if (!ns.empty()) name.insert(0, ns + "/");
    const auto either = [&](const char* member, const std::string& other) {
        const std::string own = text_of(object[member]);
        return own.empty() ? other : own;
    };
    std::string shown = either("apiVersion", implied.api_version);
    for (const std::string& part : {either("kind", implied.kind), name}) {
        if (!part.empty()) shown += (shown.empty() ? "" : " ") + part;
    }
    return kcontrol::escape_control(shown.empty() ? "an object without a name" : shown);
}

transcoder::transcoder(const options& o) : options_(o) {
    for (const auto* info : kcontrol::api::builtin_kinds()) {
        kinds_.emplace(std::pair(info->gvk.api_version(), info->gvk.kind), info);
    }
}

result<std::string> transcoder::run(json::node object, const type_name& implied) {
    if (!object.is_object()) return error(errc::decode_failed, "expected an object with apiVersion and kind");
    std::string api_version = text_of(object["apiVersion"]);
    std::string kind = text_of(object["kind"]);
    if (api_version.empty()) api_version = implied.api_version;
    if (kind.empty()) kind = implied.kind;
    if (api_version.empty() || kind.empty()) {
        return error(errc::decode_failed, std::string(api_version.empty() ? "apiVersion" : "kind") +
                                              ": expected a string that is not empty");
    }
    if (options_.strict) {
        const auto strict = json::check_strict(object);
        if (!strict) return strict.error();
    }
    if (options_.as == form::dynamic) {
        return through(kcontrol::dynamic_resource(gvk_of(api_version, kind), "", kcontrol::resource_scope::namespaced,
                                                  kcontrol::managed_fields::kept),
                       object);
    }
    if (options_.as == form::metadata) {
        return through(kcontrol::metadata_resource(gvk_of(api_version, kind), ""), object);
    }
    const auto known = kinds_.find({api_version, kind});
    if (known == kinds_.end()) {
        return error(errc::invalid_argument, "no type for this is compiled in; --as dynamic takes any kind");
    }
    return through(*known->second, object);
}

result<std::string> transcoder::through(const kcontrol::resource_info& info, json::node object) const {
    if (options_.strict && info.type != nullptr) {
        const auto fields = kcontrol::check_known_fields(*info.type, object, true);
        if (!fields) return fields.error();
    }
    const auto decoded = info.decode(object);
    if (!decoded) return decoded.error();
    auto written = info.encode(*decoded);
    if (!written) return written.error();
    if (options_.check) {
        const auto whole = check(info, object, *written);
        if (!whole) return whole.error();
    }
    if (options_.output == encoding::json) return std::move(*written);
    const auto* message = message_of(info);
    if (message == nullptr) {
        return error(errc::invalid_argument, "no Protocol Buffers of this are known; leave out --output protobuf");
    }
    return kcontrol::protobuf_kind_codec(info, *message).encode(*decoded);
}

result<void> transcoder::check(const kcontrol::resource_info& info, json::node object,
                               const std::string& encoded) const {
    auto done = compare(object, encoded, "did not survive: ");
    const auto* message = message_of(info);
    if (!done || message == nullptr) return done;
    // The same through Protocol Buffers, which can't say what is zero where Go has no pointer: to bytes, from there to
    // JSON, and from there into the type.
    const auto bytes = kcontrol::json_to_protobuf(*message, object);
    if (!bytes) return bytes.error().with_context("as Protocol Buffers");
    const auto text = kcontrol::protobuf_to_json(*message, *bytes, info.gvk.api_version(), info.gvk.kind);
    if (!text) return text.error().with_context("from Protocol Buffers");
    auto said = json::parse(object.to_json());
    if (!said) return said.error();
    drop_zeros(*said);
    json::document document;
    const auto wanted = document.parse(json::serialize(*said));
    if (!wanted) return wanted.error();
    done = compare(*wanted, *text, "did not survive Protocol Buffers: ");
    if (!done) return done;
    const auto again = kcontrol::protobuf_kind_codec(info, *message).decode(*bytes);
    if (!again) return again.error().with_context("from Protocol Buffers");
    const auto typed = info.encode(*again);
    if (!typed) return typed.error();
    const auto direct = document.parse(*text);
    if (!direct) return direct.error();
    return compare(*direct, *typed, "did not survive reading Protocol Buffers: ");
}

}  // namespace transcode
