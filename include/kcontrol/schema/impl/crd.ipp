#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/base64.hpp>
#include <kcontrol/json/members.hpp>
#include <kcontrol/schema/crd.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

inline void write_crd_member(json::writer& out, std::string_view name, std::string_view value) {
    if (!value.empty()) out.member(name, value);
}

template <class Texts>
void write_crd_texts(json::writer& out, std::string_view name, const Texts& texts) {
    if (texts.empty()) return;
    write_values(out, name, texts);
}

inline void write_crd_map(json::writer& out, std::string_view name, const std::map<std::string, std::string>& map) {
    if (map.empty()) return;
    begin_object(out, name);
    for (const auto& [key, value] : map) out.member(key, value);
    out.end_object();
}

inline void write_crd_names(json::writer& out, const resource_name& name, const crd_options& options) {
    begin_object(out, "names");
    out.member("plural", name.plural);
    out.member("singular", options.singular().empty() ? ascii_lower(name.kind) : std::string(options.singular()));
    write_crd_texts(out, "shortNames", options.short_names());
    out.member("kind", name.kind);
    out.member("listKind",
               options.list_kind().empty() ? std::string(name.kind) + "List" : std::string(options.list_kind()));
    write_crd_texts(out, "categories", options.categories());
    out.end_object();
}

inline void write_crd_subresources(json::writer& out, const crd_options& options) {
    if (!options.has_status() && options.scale_spec().empty()) return;
    begin_object(out, "subresources");
    if (options.has_status()) out.key("status"), out.raw("{}");
    if (!options.scale_spec().empty()) {
        begin_object(out, "scale");
        out.member("specReplicasPath", options.scale_spec().json_path());
        out.member("statusReplicasPath", options.scale_status().json_path());
        write_crd_member(out, "labelSelectorPath", options.scale_selector().json_path());
        out.end_object();
    }
    out.end_object();
}

inline void write_crd_columns(json::writer& out, const crd_options& options) {
    if (options.columns().empty()) return;
    begin_array(out, "additionalPrinterColumns");
    for (const printer_column& column : options.columns()) {
        out.begin_object();
        out.member("name", column.name);
        out.member("type", column.type);
        write_crd_member(out, "format", column.format_);
        write_crd_member(out, "description", column.description_);
        if (column.priority_ != 0) out.member("priority", column.priority_);
        out.member("jsonPath", column.path.json_path());
        out.end_object();
    }
    out.end_array();
}

inline void write_crd_version(json::writer& out, const custom_resource_definition::version& version, bool storage) {
    const crd_options& options = version.options;
    out.begin_object();
    out.member("name", version.name.version);
    out.member("served", options.is_served());
    out.member("storage", storage);
    if (options.is_deprecated()) out.member("deprecated", true);
    write_crd_member(out, "deprecationWarning", options.deprecation_warning());
    begin_object(out, "schema");
    out.key("openAPIV3Schema");
    out.raw(version.schema);
    out.end_object();
    write_crd_subresources(out, options);
    write_crd_columns(out, options);
    if (!options.selectable_fields().empty()) {
        begin_array(out, "selectableFields");
        for (const crd_path& path : options.selectable_fields()) {
            out.begin_object();
            out.member("jsonPath", path.json_path());
            out.end_object();
        }
        out.end_array();
    }
    out.end_object();
}

inline void write_converter(json::writer& out, const std::string& url, const std::string& ns,
                            const std::string& service, const std::string& path, const std::string& ca_pem) {
    out.begin_object();
    out.member("strategy", "Webhook");
    begin_object(out, "webhook");
    begin_object(out, "clientConfig");
    if (!ca_pem.empty()) out.member("caBundle", encode_base64(ca_pem));
    if (!url.empty()) {
        out.member("url", url);
    } else {
        begin_object(out, "service");
        out.member("namespace", ns);
        out.member("name", service);
        out.member("path", path);
        out.end_object();
    }
    out.end_object();
    out.key("conversionReviewVersions");
    out.raw(R"(["v1"])");
    out.end_object();
    out.end_object();
}

KCONTROL_DECL result<custom_resource_definition> make_crd(std::vector<crd_source> sources) {
    std::vector<custom_resource_definition::version> versions;
    versions.reserve(sources.size());
    for (const crd_source& source : sources) {
        auto schema = write_schema(*source.type, true);
        if (!schema) {
            return schema.error().with_context(std::string(source.name.kind) + " " + std::string(source.name.version));
        }
        versions.emplace_back(source.name, source.options, std::move(*schema));
    }
    return custom_resource_definition(std::move(versions));
}

}  // namespace detail

KCONTROL_DECL std::string custom_resource_definition::to_json() const {
    const auto stored = std::ranges::find_if(versions_, [](const version& v) { return v.options.is_storage(); });
    const std::size_t storage = stored == versions_.end() ? 0 : static_cast<std::size_t>(stored - versions_.begin());
    json::writer out;
    out.begin_object();
    out.member("apiVersion", "apiextensions.k8s.io/v1");
    out.member("kind", "CustomResourceDefinition");
    begin_object(out, "metadata");
    out.member("name", name());
    detail::write_crd_map(out, "labels", labels_);
    detail::write_crd_map(out, "annotations", annotations_);
    out.end_object();
    begin_object(out, "spec");
    out.member("group", first().group);
    detail::write_crd_names(out, first(), versions_.front().options);
    out.member("scope", first().scope == resource_scope::namespaced ? "Namespaced" : "Cluster");
    begin_array(out, "versions");
    for (std::size_t i = 0; i < versions_.size(); ++i) detail::write_crd_version(out, versions_[i], i == storage);
    out.end_array();
    out.key("conversion");
    if (converter_.empty() && converter_url_.empty()) {
        out.raw(R"({"strategy":"None"})");
    } else {
        detail::write_converter(out, converter_url_, converter_ns_, converter_, converter_path_, converter_ca_);
    }
    out.end_object();
    out.end_object();
    return out.take();
}

}  // namespace kcontrol
