// The tables of api/protobuf.hpp.
#include "code.hpp"
#include "naming.hpp"
#include "protobuf_fields.hpp"

#include <algorithm>
#include <optional>

namespace kcontrol_gen {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

const std::string meta = "k8s.io.apimachinery.pkg.apis.meta.v1.";
const std::string crds = "k8s.io.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

/// Messages whose JSON is not an object of their fields. What is in them the library knows.
const std::map<std::string, std::string> special = {
    {meta + "Time", "time"},
    {meta + "MicroTime", "micro_time"},
    {meta + "FieldsV1", "json"},
    {"k8s.io.apimachinery.pkg.api.resource.Quantity", "quantity"},
    {"k8s.io.apimachinery.pkg.util.intstr.IntOrString", "int_or_string"},
    {"k8s.io.apimachinery.pkg.runtime.RawExtension", "json"},
    {crds + "JSON", "json"},
    {crds + "JSONSchemaPropsOrBool", "schema_or_bool"},
    {crds + "JSONSchemaPropsOrArray", "schema_or_list"},
    {crds + "JSONSchemaPropsOrStringArray", "schema_or_texts"},
};
/// The message of a list of strings as a value of a map, which Go has no struct for.
const std::string texts = "ExtraValue";
/// For lists of objects of which only the metadata is sent.
const std::string partial = meta + "PartialObjectMetadata";

struct shape_of_go {
    const char* type = "message";
    const char* form = "value";
    std::string message;  // empty: none
};

std::optional<shape_of_go> understand(std::string go) {
    shape_of_go out;
    if (go == "map[string][]string") return shape_of_go{"message", "map", texts};
    if (go.starts_with("*")) {
        out.form = "pointer";
        go.erase(0, 1);
    } else if (go.starts_with("map[string]")) {
        out.form = "map";
        go.erase(0, 11);
    } else if (go.starts_with("[]") && go != "[]byte") {
        out.form = "list";
        go.erase(0, 2);
    }
    static const std::map<std::string, const char*> scalars = {{"string", "string"},  {"bool", "boolean"},
                                                               {"int32", "int32"},    {"int64", "int64"},
                                                               {"float64", "number"}, {"[]byte", "bytes"}};
    if (const auto scalar = scalars.find(go); scalar != scalars.end()) {
        out.type = scalar->second;
    } else if (go.find('.') == std::string::npos || go.find_first_of("*[]") != std::string::npos) {
        return std::nullopt;
    } else {
        out.message = go;
    }
    return out;
}

class tables {
public:
    tables(const protobuf_lines& fields, const schema& kinds) : fields_(fields), kinds_(kinds) {}

    result<std::string> write() {
        index_.emplace(partial, 0);
        for (const auto& [name, lines] : fields_) {
            index_.emplace(name, 0);
            for (const auto& line : lines) note(line);
        }
        std::size_t next = 0;
        for (auto& [name, index] : index_) index = next++;
        std::string fields;
        std::string messages;
        std::size_t begin = 0;
        for (const auto& [name, index] : index_) {
            const auto lines = lines_of(name);
            if (!lines.empty()) fields += "    // " + comment_text(name) + '\n';
            for (const auto& line : lines) {
                const auto text = field(name, line);
                if (!text) return text.error();
                fields += *text;
            }
            const auto meaning = special.find(name);
            const std::string is = name == texts ? "texts" : meaning != special.end() ? meaning->second : "fields";
            messages += "    {" + literal(short_name(name)) + ", " +
                        (lines.empty() ? "nullptr" : "fields + " + std::to_string(begin)) + ", " +
                        std::to_string(lines.size()) + ", protobuf_meaning::" + is + "},\n";
            begin += lines.size();
        }
        std::string out;
        out += "struct protobuf_tables {\n    static const protobuf_field fields[" + std::to_string(begin) +
               "];\n    static const protobuf_message messages[" + std::to_string(index_.size()) +
               "];\n    static const protobuf_kind kinds[" + std::to_string(kinds_.kinds.size()) + "];\n};\n\n";
        out += "KCONTROL_DECL constinit const protobuf_field protobuf_tables::fields[" + std::to_string(begin) +
               "] = {\n" + fields + "};\n\n";
        out += "KCONTROL_DECL constinit const protobuf_message protobuf_tables::messages[" +
               std::to_string(index_.size()) + "] = {\n" + messages + "};\n\n";
        out += "KCONTROL_DECL constinit const protobuf_kind protobuf_tables::kinds[" +
               std::to_string(kinds_.kinds.size()) + "] = {\n";
        for (const auto& each : kinds_.kinds) {
            const auto found = index_.find(protobuf_message_of(each.type));
            if (found == index_.end()) return error(errc::decode_failed, "no fields of the kind " + each.name);
            out += "    {" + literal(each.group) + ", " + literal(each.version) + ", " + literal(each.name) +
                   ", messages + " + std::to_string(found->second) + "},\n";
        }
        out += "};\n\n";
        for (const auto& [function, message] :
             {std::pair{"delete_options", meta + "DeleteOptions"}, std::pair{"list_metadata", meta + "ListMeta"},
              std::pair{"partial_object", partial}, std::pair{"status", meta + "Status"}}) {
            const auto found = index_.find(message);
            if (found == index_.end()) return error(errc::decode_failed, "no fields of " + message);
            out += std::string("inline const protobuf_message& protobuf_") + function +
                   "_table() {\n    return protobuf_tables::messages[" + std::to_string(found->second) + "];\n}\n";
        }
        return out;
    }

private:
    static std::string short_name(const std::string& name) {
        const auto dot = name.rfind('.');
        return dot == std::string::npos ? name : name.substr(dot + 1);
    }

    void note(const protobuf_line& line) {
        const auto known = understand(line.go_type);
        if (known && !known->message.empty()) index_.emplace(known->message, 0);
    }
    /// What is inside a special message is known to the library, but for the schema.
    std::vector<protobuf_line> lines_of(const std::string& name) const {
        if (name == partial) return {{"metadata", 1, "bytes", meta + "ObjectMeta", false}};
        const auto found = fields_.find(name);
        if (found == fields_.end()) return {};
        auto lines = found->second;
        const auto meaning = special.find(name);
        if (meaning == special.end()) return lines;
        std::erase_if(lines,
                      [](const auto& line) { return line.go_type.find("JSONSchemaProps") == std::string::npos; });
        return lines;
    }

    result<std::string> field(const std::string& owner, const protobuf_line& line) const {
        const auto known = understand(line.go_type);
        if (!known) {
            return error(errc::decode_failed, printable(owner) + "." + printable(line.json_name) + ": the Go type " +
                                                  printable(line.go_type) + " is not known");
        }
        const auto message =
            known->message.empty() ? std::string("nullptr") : "messages + " + std::to_string(index_.at(known->message));
        return "    {" + literal(line.json_name) + ", " +
               (known->message.empty() ? message : "protobuf_tables::" + message) + ", " + std::to_string(line.number) +
               ", protobuf_type::" + known->type + ", protobuf_form::" + known->form + ", " +
               (line.shown ? "true" : "false") + "},\n";
    }

    const protobuf_lines& fields_;
    const schema& kinds_;
    std::map<std::string, std::size_t> index_;
};

}  // namespace

result<std::map<std::string, std::string>> emit_protobuf(const protobuf_lines& fields, const schema& kinds) {
    auto written = tables(fields, kinds).write();
    if (!written) return written.error();
    std::string out = "// The tables of protobuf.hpp.\n// Generated by kcontrol-gen from the Protocol Buffers of " +
                      comment_text(kinds.origin) +
                      ". Do not edit.\n// clang-format off\n#pragma once\n\n"
                      "#include <kcontrol/codec/protobuf_schema.hpp>\n#include <kcontrol/config.hpp>\n\n"
                      "namespace " +
                      reopened("kcontrol::api::detail") + " {\n\n" + *written +
                      "\n}  // namespace kcontrol::api::detail\n";
    return std::map<std::string, std::string>{{"include/kcontrol/api/impl/protobuf_tables.ipp", std::move(out)}};
}

}  // namespace kcontrol_gen
