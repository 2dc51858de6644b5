#include "testserver/typed_object.hpp"

#include "testserver/go_time.hpp"
#include "testserver/scalar_text.hpp"

#include <algorithm>
#include <cmath>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

// "core.v1.PodSpec" as Go's errors give it: "v1.PodSpec".
std::string go_type_name(std::string_view name) {
    const std::size_t last = name.rfind('.');
    const std::size_t before = last == std::string_view::npos ? last : name.rfind('.', last - 1);
    return std::string(before == std::string_view::npos ? name : name.substr(before + 1));
}

std::string go_type(std::string_view form) {
    if (form.front() == '[') return "[]" + go_type(element_form(form));
    if (form.front() == '{') return "map[string]" + go_type(element_form(form));
    if (const schema_type* type = builtin_schema::get().type_of(form)) return go_type_name(type->name);
    switch (form.front()) {
    case 'b': return "bool";
    case 'i': return "int32";
    case 'l': return "int64";
    case 'n': return "float64";
    case 'y': return "[]uint8";
    default: return "string";
    }
}

// What Go has of a null in a list or a map: the zero value.
json::value zero_element(std::string_view form) {
    switch (form.front()) {
    case '#': return json::object();
    case 'b': return false;
    case 'i':
    case 'l':
    case 'n':
    case 'x': return 0;
    case 'q': return "0";
    case 's':
    case 'y': return "";
    default: return {};
    }
}

class typed_reader {
public:
    typed_reading out;

    // `shown` has the places in lists, `go` has not: unknown fields and errors are told differently.
    void read_object(const schema_type& type, json::object& object, const std::string& shown, const std::string& go) {
        std::vector<std::string> gone;
        for (auto& member : object) {
            const std::string name(member.key());
            const std::string at = shown.empty() ? name : std::string(shown).append(".").append(name);
            const schema_field* field = type.find(name);
            if (field == nullptr) {
                out.unknown.push_back("unknown field \"" + at + "\"");
                gone.push_back(name);
                continue;
            }
            struct_ = type.go_name();
            read_value(field->form, member.value(), at, go.empty() ? name : std::string(go).append(".").append(name));
            if (out.problem) return;
        }
        for (const auto& name : gone) object.erase(name);
    }

private:
    void refuse(std::string_view form, const json::value& v, const std::string& go) {
        std::string what(json_type_of(v));
        if (v.is_double()) what += " " + json::serialize(v);
        out.problem = "json: cannot unmarshal " + what + " into Go struct field " + std::string(struct_) + "." + go +
                      " of type " + go_type(form);
    }
    static std::string_view json_type_of(const json::value& v) {
        if (v.is_string()) return "string";
        if (v.is_number()) return "number";
        if (v.is_bool()) return "bool";
        return v.is_array() ? "array" : "object";
    }

    void read_value(std::string_view form, json::value& v, const std::string& shown, const std::string& go) {
        if (v.is_null() || out.problem) return;
        if (form.front() == '[') return read_list(form, v, shown, go);
        if (form.front() == '{') return read_map(form, v, shown, go);
        if (const schema_type* type = builtin_schema::get().type_of(form)) {
            if (!v.is_object()) return refuse(form, v, go);
            return read_object(*type, v.get_object(), shown, go);
        }
        read_scalar(form, v, go);
    }
    void read_list(std::string_view form, json::value& v, const std::string& shown, const std::string& go) {
        if (!v.is_array()) return refuse(form, v, go);
        std::size_t index = 0;
        const std::string_view own = struct_;
        for (auto& item : v.get_array()) {
            struct_ = own;
            if (item.is_null()) item = zero_element(element_form(form));
            read_value(element_form(form), item, shown + "[" + std::to_string(index++) + "]", go);
        }
    }
    void read_map(std::string_view form, json::value& v, const std::string& shown, const std::string& go) {
        if (!v.is_object()) return refuse(form, v, go);
        const std::string_view own = struct_;
        for (auto& member : v.get_object()) {
            struct_ = own;
            if (member.value().is_null()) member.value() = zero_element(element_form(form));
            read_value(element_form(form), member.value(), std::string(shown).append(".").append(member.key()), go);
        }
    }
    void read_scalar(std::string_view form, json::value& v, const std::string& go) {
        const char letter = form.front();
        const bool whole = v.is_int64() || v.is_uint64();
        switch (letter) {
        case 'b':
            if (!v.is_bool()) refuse(form, v, go);
            return;
        case 'i':
        case 'l':
            if (!whole) refuse(form, v, go);
            return;
        case 'n':
            if (!v.is_number()) refuse(form, v, go);
            return;
        case 'x':
            if (!v.is_string() && !whole) refuse("i", v, go);
            return;
        case 'q':
        case 't':
        case 'u':
        case 'y': return read_text(letter, v, go);
        case 'r': return;
        default:
            if (!v.is_string()) refuse(form, v, go);
        }
    }
    // Texts that Go parses are from then on what it would write, so that the same in other words is the same.
    void read_text(char letter, json::value& v, const std::string& go) {
        if (!v.is_string() && letter != 'q') return refuse(letter == 'y' ? "y" : "s", v, go);
        const std::string text = v.is_string() ? std::string(v.get_string()) : json::serialize(v);
        scalar_text read = letter == 'q' ? read_quantity(text) : letter == 'y' ? read_bytes(text) : scalar_text();
        if (letter == 't' || letter == 'u') {
            go_time time = read_go_time(text, letter == 'u');
            read.text = std::move(time.shown);
            read.problem = std::move(time.problem);
            if (!read.problem && read.text.empty()) {
                v = nullptr;
                return;
            }
        }
        out.problem = std::move(read.problem);
        if (!out.problem) v = read.text;
    }

    std::string_view struct_;  // whose field is being read
};

}  // namespace

bool is_zero(const json::value& v) {
    if (v.is_string()) return v.get_string().empty();
    if (v.is_bool()) return !v.get_bool();
    if (v.is_int64()) return v.get_int64() == 0;
    if (v.is_uint64()) return v.get_uint64() == 0;
    if (v.is_double()) return std::fpclassify(v.get_double()) == FP_ZERO;
    if (v.is_array()) return v.get_array().empty();
    return v.is_null() || (v.is_object() && v.get_object().empty());
}

namespace {

void show_zeros_below(std::string_view form, json::value& v) {
    if (const schema_type* type = builtin_schema::get().type_of(form)) {
        if (v.is_object()) show_zeros(*type, v.get_object());
    } else if (form.front() == '[' && v.is_array()) {
        for (auto& item : v.get_array()) show_zeros_below(element_form(form), item);
    } else if (form.front() == '{' && v.is_object()) {
        for (auto& member : v.get_object()) show_zeros_below(element_form(form), member.value());
    }
}

// What an absent member is shown as; nothing if it is not.
std::optional<json::value> shown_zero(const schema_type& type, const schema_field& field) {
    const char letter = field.form.front();
    const bool is_metadata = type.name == "apimachinery.pkg.apis.meta.v1.ObjectMeta";
    if (const schema_type* own = builtin_schema::get().type_of(field.form); own != nullptr && !field.pointer) {
        json::object below;
        show_zeros(*own, below);
        return json::value(std::move(below));
    }
    if ((letter == 't' || letter == 'u') && !field.pointer && !is_metadata) return json::value();
    if (!field.always) return std::nullopt;
    if (field.pointer || letter == '[' || letter == '{' || letter == 'r' || letter == '#') return json::value();
    if (letter == 'b') return json::value(false);
    if (letter == 'i' || letter == 'l' || letter == 'n' || letter == 'x') return json::value(0);
    return json::value(letter == 'q' ? "0" : "");
}

void forget_below(std::string_view form, json::value& v) {
    if (const schema_type* type = builtin_schema::get().type_of(form)) {
        if (v.is_object()) forget_empty_lists(*type, v.get_object());
    } else if (form.front() == '[' && v.is_array()) {
        for (auto& item : v.get_array()) forget_below(element_form(form), item);
    } else if (form.front() == '{' && v.is_object()) {
        for (auto& member : v.get_object()) forget_below(element_form(form), member.value());
    }
}

}  // namespace
}  // namespace detail

typed_reading read_typed(const schema_type& type, json::object& object) {
    detail::typed_reader reader;
    reader.read_object(type, object, "", "");
    return std::move(reader.out);
}

void show_zeros(const schema_type& type, json::object& object) {
    for (const auto& field : type.fields) {
        if (field.name == "apiVersion" || field.name == "kind") continue;
        json::value* there = object.if_contains(field.name);
        if (there != nullptr) {
            detail::show_zeros_below(field.form, *there);
            const bool is_struct = field.form.front() == '#';
            const bool kept =
                is_struct || field.form.front() == 'r' || field.always || (field.pointer && !there->is_null());
            if (there->is_null() || (!kept && detail::is_zero(*there))) {
                object.erase(field.name);
                there = nullptr;
            }
        }
        if (there != nullptr) continue;
        if (auto zero = detail::shown_zero(type, field)) object[field.name] = std::move(*zero);
    }
}

void forget_empty_lists(const schema_type& type, json::object& object) {
    for (const auto& field : type.fields) {
        json::value* there = object.if_contains(field.name);
        if (there == nullptr) continue;
        const bool is_empty = field.form.front() == '[' && there->is_array() && there->get_array().empty();
        if (is_empty && field.always && !field.pointer) {
            *there = json::value();
        } else {
            detail::forget_below(field.form, *there);
        }
    }
}

}  // namespace kcontrol::testing
