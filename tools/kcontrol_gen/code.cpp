#include "code.hpp"

#include <kcontrol/version.hpp>

#include "naming.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kcontrol_gen {

std::string reopened(const std::string& name_space) {
    constexpr std::string_view library = "kcontrol::";
    if (!name_space.starts_with(library)) return name_space;
    return fmt::format("{}inline v{}_{}::{}", library, KCONTROL_VERSION_MAJOR, KCONTROL_VERSION_MINOR,
                       name_space.substr(library.size()));
}

void namespace_writer::enter(const std::string& name_space, bool inline_part) {
    if (current_ == name_space) return;
    leave();
    current_ = name_space;
    const auto last = name_space.rfind("::");
    if (inline_part && last != std::string::npos) {
        out_ += "namespace " + name_space.substr(0, last) + " {\ninline namespace " + name_space.substr(last + 2) +
                " {\n\n";
        opened_ = 2;
    } else {
        out_ += "namespace " + name_space + " {\n\n";
        opened_ = 1;
    }
}

void namespace_writer::leave() {
    if (opened_ == 0) return;
    const auto last = current_.rfind("::");
    if (opened_ == 2) {
        out_ +=
            "}  // namespace " + current_.substr(last + 2) + "\n}  // namespace " + current_.substr(0, last) + "\n\n";
    } else {
        out_ += "}  // namespace " + current_ + "\n\n";
    }
    opened_ = 0;
    current_.clear();
}

namespace {

void write_resource(const kind& k, std::string& out) {
    out += "    static constexpr kcontrol::resource_name kcontrol_resource{" + literal(k.group) + ", " +
           literal(k.version) + ", " + literal(k.name) + ", " + literal(k.plural) +
           (k.namespaced ? "};\n" : ", kcontrol::resource_scope::cluster};\n");
    out += "    kcontrol::object_meta metadata;\n";
}

void write_equality(const planned_type& type, std::string& out) {
    const bool hidden = std::ranges::any_of(type.members, [&](const auto& m) { return m.name == type.name; });
    const auto name = hidden ? type.full_name() : type.name;
    out += "\n    bool operator==(const " + name + "&) const = default;\n";
}

/// `part` is the number of the member's table among the type's parts; empty: it has no table of its own.
void write_entry(const std::string& owner, std::string_view json_name, const std::string& member, bool required,
                 const std::string& part, std::string& out) {
    out += part.empty() ? "    KCONTROL_GENERATED_FIELD(" : "    KCONTROL_GENERATED_PART(" + part + ", ";
    out += owner + ", " + literal(json_name) + ", " + member;
    out += required ? ", .required = true),\n" : "),\n";
}

/// `part` says which of the type's parts a member is, or nothing.
template <class PartOf>
void write_entries(const planned_type& type, std::string& out, PartOf part) {
    const auto owner = type.full_name();
    if (type.of_kind != nullptr) write_entry(owner, "metadata", "metadata", false, {}, out);
    for (const auto& m : type.members) {
        write_entry(owner, m.source->json_name, m.name, m.source->required, part(m), out);
    }
}

struct handle_part {
    std::string_view kind;  ///< of type_kind; empty: something else
    std::string element;
};

/// A list, dict or boxed of a type that the header defines.
handle_part part_of(const std::string& full_type, const std::set<std::string>& written) {
    static constexpr std::pair<std::string_view, std::string_view> handles[] = {
        {"kcontrol::list<", "list"}, {"kcontrol::dict<", "map"}, {"kcontrol::boxed<", "optional"}};
    for (const auto& [prefix, kind] : handles) {
        if (!full_type.starts_with(prefix)) continue;
        auto element = full_type.substr(prefix.size(), full_type.size() - prefix.size() - 1);
        if (written.contains(element)) return {kind, std::move(element)};
    }
    return {};
}

}  // namespace

void write_struct(const planned_type& type, std::string& out) {
    if (type.of_kind != nullptr) {
        const auto& k = *type.of_kind;
        out += "/// " + comment_text(k.name) + " of " +
               comment_text(k.group.empty() ? k.version : k.group + "/" + k.version);
        out += k.namespaced ? ".\n" : ", cluster-wide.\n";
    }
    out += "struct " + type.name + " {\n    using kcontrol_generated = void;\n";
    if (type.of_kind != nullptr) write_resource(*type.of_kind, out);
    for (const auto& m : type.members) {
        out += "    " + m.type + " " + m.name;
        out += m.initializer;
        out += ';';
        if (!m.remark.empty()) out += "  // " + m.remark;
        out += '\n';
    }
    write_equality(type, out);
    out += "};\n\n";
}

void write_table_declaration(const planned_type& type, std::string& out) {
    out += "template <>\nconst kcontrol::type_descriptor kcontrol::detail::generated_type<" + type.full_name() +
           ">::value;\n";
}

void write_table(const planned_type& type, std::string& out) {
    const auto owner = type.full_name();
    const auto entries = type.name_space + "::kcontrol_tables";
    const bool any = !type.members.empty() || type.of_kind != nullptr;
    if (any) {
        out += "namespace " + reopened(entries) + " {\ninline constexpr kcontrol::field_descriptor " + type.name +
               "[] = {\n";
        write_entries(type, out, [](const planned_member&) { return std::string(); });
        out += "};\n}\n";
    }
    out += "template <>\nKCONTROL_DECL constinit const kcontrol::type_descriptor kcontrol::detail::generated_type<" +
           owner + ">::value =\n    generated_structure<" + owner + ">(" +
           (any ? "::" + entries + "::" + type.name : "") + ");\n\n";
}

void write_inline_table(const planned_type& type, const std::set<std::string>& written, std::string& out) {
    const auto owner = type.full_name();
    const bool any = !type.members.empty() || type.of_kind != nullptr;
    std::string parts;
    std::string fields;
    std::size_t count = 0;
    write_entries(type, fields, [&](const planned_member& m) {
        const auto part = part_of(m.full_type, written);
        if (part.kind.empty()) return std::string();
        parts += "    KCONTROL_GENERATED_HANDLE(" + std::string(part.kind) + ", " + part.element + "),\n";
        return std::to_string(count++);
    });
    const auto define = [&](const std::string& type_name, const std::string& what, const std::string& entries) {
        out += "template <>\ninline constexpr kcontrol::" + type_name + " kcontrol::detail::" + what + '<' + owner +
               ">[] = {\n" + entries + "};\n";
    };
    if (!parts.empty()) define("type_descriptor", "generated_parts", parts);
    if (any) define("field_descriptor", "generated_fields", fields);
    out += "template <>\ninline constinit const kcontrol::type_descriptor kcontrol::detail::generated_type<" + owner +
           ">::value =\n    generated_structure<" + owner + ">(" + (any ? "generated_fields<" + owner + '>' : "") +
           ");\n\n";
}

void write_early_handles(const std::vector<planned_type>& types, const std::set<std::string>& written,
                         std::string& out) {
    std::set<std::string> handles;
    for (const auto& type : types) {
        for (const auto& m : type.members) {
            if (!part_of(m.full_type, written).kind.empty()) handles.insert(m.full_type);
        }
    }
    out +=
        "// Instantiated here, at global scope: inside a namespace of so many names each would cost the compiler a "
        "walk\n"
        "// over all of them.\n";
    for (const auto& handle : handles) out += "static_assert(sizeof(" + handle + ") > 0);\n";
    out += '\n';
}

void write_includes(const std::set<std::string>& headers, std::string& out) {
    const auto own = [](const std::string& header) { return header.starts_with("kcontrol/"); };
    for (const bool wanted : {true, false}) {
        bool any = false;
        for (const auto& header : headers) {
            if (own(header) != wanted) continue;
            out += "#include <" + header + ">\n";
            any = true;
        }
        if (any) out += '\n';
    }
}

void write_remarks(const std::vector<remark>& remarks, std::string& out) {
    if (remarks.empty()) return;
    out += "//\n// What the types do not say:\n";
    for (const auto& each : remarks) {
        auto path = comment_text(each.path);
        if (path.empty()) path = "(a member whose name is not plain)";
        out += "//   " + path + ": " + comment_text(each.reason) + '\n';
    }
}

}  // namespace kcontrol_gen
