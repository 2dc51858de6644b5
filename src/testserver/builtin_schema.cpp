#include "testserver/builtin_schema.hpp"

#include "testserver/builtin_table.hpp"

#include <algorithm>
#include <charconv>

namespace kcontrol::inline v0_1::testing {
namespace detail {

// Cuts the part up to `separator` off the front.
std::string_view next_part(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return part;
}

namespace {

// "-" stands for an empty list.
std::vector<std::string_view> table_list(std::string_view text) {
    std::vector<std::string_view> out;
    if (text == "-") return out;
    while (!text.empty()) out.push_back(next_part(text, ','));
    return out;
}

builtin_subresource read_subresource(std::string_view text) {
    builtin_subresource out;
    for (std::string_view* part : {&out.name, &out.group, &out.version, &out.kind, &out.verbs}) {
        *part = next_part(text, ':');
    }
    return out;
}

schema_field read_schema_field(std::string_view text) {
    schema_field out;
    std::string_view head = next_part(text, '|');
    out.name = next_part(head, '=');
    out.form = head;
    while (!text.empty()) {
        // A default comes last and may hold anything.
        const std::string_view flag = text.starts_with("d:") ? text : text.substr(0, text.find('|'));
        text.remove_prefix(std::min(flag.size() + 1, text.size()));
        const std::string_view value = flag.substr(std::min<std::size_t>(2, flag.size()));
        switch (flag.front()) {
        case 'z': out.always = true; break;
        case 'p': out.pointer = true; break;
        case 'r': out.required = true; break;
        case 'a': out.atomic = true; break;
        case 's': out.set = true; break;
        case 'R': out.retain_keys = true; break;
        case 'm': out.list_keys = value; break;
        case 'e': out.choices = value; break;
        case 'd': out.by_default = value; break;
        case 'M':
            out.patch_merge = true;
            out.patch_key = value;
            break;
        default: break;
        }
    }
    return out;
}

}  // namespace
}  // namespace detail

const schema_field* schema_type::find(std::string_view field) const noexcept {
    const auto before = [](const schema_field& f, std::string_view wanted) { return f.name < wanted; };
    const auto at = std::lower_bound(fields.begin(), fields.end(), field, before);
    return at != fields.end() && at->name == field ? &*at : nullptr;
}

const builtin_schema& builtin_schema::get() {
    static const builtin_schema table;
    return table;
}

builtin_schema::builtin_schema() {
    for (std::string_view part : detail::builtin_table) {
        while (!part.empty()) read_line(detail::next_part(part, '\n'));
    }
    for (std::size_t i = 0; i < kinds_.size(); ++i) kinds_[i].type = type_of(roots_[i]);
}

void builtin_schema::read_line(std::string_view line) {
    const std::string_view what = detail::next_part(line, ' ');
    if (what == "T") {
        schema_type& type = types_.emplace_back();
        type.name = detail::next_part(line, ' ');
        type.atomic = detail::next_part(line, ' ') == "a";
        while (!line.empty()) type.fields.push_back(detail::read_schema_field(detail::next_part(line, ' ')));
        std::sort(type.fields.begin(), type.fields.end(),
                  [](const schema_field& a, const schema_field& b) { return a.name < b.name; });
        return;
    }
    if (what != "K") return;
    builtin_kind& kind = kinds_.emplace_back();
    kind.group = detail::next_part(line, ' ');
    if (kind.group == "-") kind.group = {};
    kind.version = detail::next_part(line, ' ');
    kind.plural = detail::next_part(line, ' ');
    kind.singular = detail::next_part(line, ' ');
    kind.kind = detail::next_part(line, ' ');
    kind.namespaced = detail::next_part(line, ' ') == "N";
    kind.verbs = detail::next_part(line, ' ');
    kind.short_names = detail::table_list(detail::next_part(line, ' '));
    kind.categories = detail::table_list(detail::next_part(line, ' '));
    for (const std::string_view below : detail::table_list(detail::next_part(line, ' '))) {
        kind.subresources.push_back(detail::read_subresource(below));
    }
    kind.storage_hash = detail::next_part(line, ' ');
    roots_.push_back(line);
}

const schema_type* builtin_schema::type_of(std::string_view form) const noexcept {
    if (form.starts_with('#')) form.remove_prefix(1);
    std::size_t index = 0;
    const auto [end, problem] = std::from_chars(form.data(), form.data() + form.size(), index);
    if (problem != std::errc() || end != form.data() + form.size() || index >= types_.size()) return nullptr;
    return &types_[index];
}

const builtin_kind* builtin_schema::find(std::string_view group, std::string_view version,
                                         std::string_view kind) const noexcept {
    for (const auto& one : kinds_) {
        if (one.group == group && one.version == version && one.kind == kind) return &one;
    }
    return nullptr;
}

}  // namespace kcontrol::testing
