#include "jobs/field_path.hpp"

#include <kcontrol/base/in_quotes.hpp>

#include <algorithm>

namespace training_monitor {
namespace {

using kcontrol::json::node;

constexpr std::int64_t most = std::int64_t{1} << 31;

kcontrol::error bad(std::string_view text) {
    return kcontrol::error(kcontrol::errc::invalid_config,
                           kcontrol::in_quotes(text) +
                               " is no path; write names with dots between them, such as status.conditions, [] "
                               "behind a list or map to take all of it, and \\. for a dot in a name");
}

}  // namespace

kcontrol::result<field_path> field_path::parse(std::string_view text) {
    field_path out;
    step next;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || text[i] == '.') {
            if (next.name.empty()) return bad(text);
            out.steps_.push_back(std::move(next));
            next = {};
        } else if (next.all) {
            return bad(text);
        } else if (text[i] == '\\') {
            if (++i == text.size() || text[i] != '.') return bad(text);
            next.name += '.';
        } else if (text.substr(i, 2) == "[]") {
            ++i;
            next.all = true;
        } else if (text[i] == '[' || text[i] == ']' || static_cast<unsigned char>(text[i]) <= ' ') {
            return bad(text);
        } else {
            next.name += text[i];
        }
    }
    return out;
}

node field_path::first(node from) const {
    node out;
    each(from, [&](node value) {
        if (out.is_null()) out = value;
    });
    return out;
}

std::string field_path::text(node from) const { return empty() ? std::string() : scalar_text(first(from)); }

std::int64_t field_path::sum(node from, std::int64_t otherwise) const {
    std::int64_t out = 0;
    bool any = false;
    if (!empty()) {
        each(from, [&](node value) {
            std::int64_t number = 0;
            if (!value.get_int64(number)) return;
            any = true;
            out = std::min(out + std::clamp<std::int64_t>(number, 0, most), most);
        });
    }
    return any ? out : otherwise;
}

std::string scalar_text(node value) {
    switch (value.kind()) {
    case kcontrol::json::kind::string: return std::string(value.as_string());
    case kcontrol::json::kind::boolean:
    case kcontrol::json::kind::integer:
    case kcontrol::json::kind::unsigned_integer:
    case kcontrol::json::kind::number: return value.to_json();
    case kcontrol::json::kind::null:
    case kcontrol::json::kind::array:
    case kcontrol::json::kind::object: break;
    }
    return {};
}

bool says_yes(node value) {
    switch (value.kind()) {
    case kcontrol::json::kind::null: return false;
    case kcontrol::json::kind::boolean: return value.as_bool();
    case kcontrol::json::kind::integer: return value.as_int64() != 0;
    case kcontrol::json::kind::unsigned_integer:
    case kcontrol::json::kind::number: return value.as_double() != 0;
    case kcontrol::json::kind::string: return !value.as_string().empty();
    case kcontrol::json::kind::array:
    case kcontrol::json::kind::object: return !value.is_empty();
    }
    return false;
}

}  // namespace training_monitor
