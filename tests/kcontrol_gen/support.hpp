// Small schemas for the generator's tests.
#pragma once

#include <kcontrol_gen/emit.hpp>
#include <kcontrol_gen/input.hpp>
#include <string>

namespace kcontrol_test {

/// A CRD of kind Widget, version v1, whose spec has these properties (YAML in flow style).
inline std::string widget_crd(const std::string& spec_properties, const std::string& more_of_spec = "") {
    return "apiVersion: apiextensions.k8s.io/v1\n"
           "kind: CustomResourceDefinition\n"
           "metadata: {name: widgets.example.com}\n"
           "spec:\n"
           "  group: example.com\n"
           "  scope: Namespaced\n"
           "  names: {kind: Widget, plural: widgets, listKind: WidgetList, singular: widget}\n"
           "  versions:\n"
           "  - name: v1\n"
           "    served: true\n"
           "    storage: true\n"
           "    subresources: {status: {}}\n"
           "    schema:\n"
           "      openAPIV3Schema:\n"
           "        type: object\n"
           "        properties:\n"
           "          apiVersion: {type: string}\n"
           "          kind: {type: string}\n"
           "          metadata: {type: object}\n"
           "          spec: {type: object, " +
           (more_of_spec.empty() ? "" : more_of_spec + ", ") + "properties: {" + spec_properties + "}}\n";
}

inline kcontrol::result<kcontrol_gen::schema> read_schema(const std::string& text) {
    kcontrol_gen::input in;
    const auto done = in.add_text(text, "test.yaml", true);
    if (!done) return done.error();
    return in.finish();
}

inline std::string error_of(const std::string& text) {
    const auto made = read_schema(text);
    return made ? "" : made.error().message();
}

/// The header of a schema, in namespace `ns`.
inline std::string header_of(const std::string& text, std::vector<kcontrol_gen::remark>* remarks = nullptr) {
    std::vector<kcontrol_gen::remark> found;
    const auto made = read_schema(text);
    if (!made) return "error: " + made.error().message();
    auto out = kcontrol_gen::emit_header(*made, kcontrol_gen::compact_dialect(), "ns", found);
    if (remarks != nullptr) *remarks = found;
    return out;
}

inline std::string header_of_spec(const std::string& spec_properties,
                                  std::vector<kcontrol_gen::remark>* remarks = nullptr) {
    return header_of(widget_crd(spec_properties), remarks);
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace kcontrol_test
