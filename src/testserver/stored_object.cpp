#include "testserver/stored_object.hpp"

#include "testserver/resource_version.hpp"

namespace kcontrol::inline v0_1::testing {
namespace detail {

/// The text of a whole object behind what is there, from its text without apiVersion and kind.
void append_object_text(const std::string& bare, const resource_type& type, std::string_view api_version,
                        std::string& to) {
    // Names of kinds and versions need no escapes: they came through a registration.
    to.append(R"({"apiVersion":")").append(api_version).append(R"(","kind":")").append(type.kind).append("\"");
    if (bare.size() > 2) to.push_back(',');
    to.append(bare, 1);
}

}  // namespace detail

stored_object::stored_object(json::object content, std::string written_in) : written_in_(std::move(written_in)) {
    content.erase("apiVersion");
    content.erase("kind");
    const json::value whole(std::move(content));
    text_ = json::serialize(whole);
    version_ = detail::parse_version(json::get_string(whole, {"metadata", "resourceVersion"})).value_or(0);
    uid_ = json::get_string(whole, {"metadata", "uid"});
    terminating_ = json::find(whole, {"metadata", "deletionTimestamp"}) != nullptr;
    managed_ = json::find(whole, {"metadata", "managedFields"}) != nullptr;
    const json::value* labels = json::find(whole, {"metadata", "labels"});
    if (labels == nullptr || !labels->is_object()) return;
    for (const auto& label : labels->get_object()) {
        if (label.value().is_string()) labels_.emplace(label.key(), label.value().get_string());
    }
}

json::object stored_object::content() const { return std::move(json::parse(text_).value().as_object()); }

std::string stored_object::text(const resource_type& type, std::string_view api_version) const {
    std::string out;
    out.reserve(text_.size() + api_version.size() + type.kind.size() + 32);
    detail::append_object_text(text_, type, api_version, out);
    return out;
}

json::value stored_object::value(const resource_type& type, std::string_view api_version) const {
    return json::parse(text(type, api_version)).value();
}

json::object& metadata_of(json::object& content) {
    json::value& metadata = content["metadata"];
    if (!metadata.is_object()) metadata = json::object();
    return metadata.get_object();
}

void set_resource_version(json::object& content, std::uint64_t version) {
    metadata_of(content)["resourceVersion"] = std::to_string(version);
}

}  // namespace kcontrol::testing
