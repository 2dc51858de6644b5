#include "protobuf_fields.hpp"

#include "naming.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>

namespace kcontrol_gen {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

constexpr std::string_view heading =
    "# type\tjson name\tfield number\twire type\tGo type (a leading * tells absent from zero)\tin JSON when zero\n";

/// What every API has beside its kinds.
constexpr const char* common[] = {
    "k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions", "k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta",
    "k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta", "k8s.io.apimachinery.pkg.apis.meta.v1.Status"};

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> parts(1);
    for (const char c : line) {
        if (c == '\t') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

/// The Go type without *, [] and map[string]; []byte stays as it is.
std::string bare_type(std::string go) {
    for (bool more = true; more && go != "[]byte";) {
        more = false;
        for (const std::string_view prefix : {"*", "[]", "map[string]"}) {
            if (!go.starts_with(prefix)) continue;
            go.erase(0, prefix.size());
            more = true;
            break;
        }
    }
    return go;
}

void collect(const protobuf_lines& all, const std::string& message, std::set<std::string>& into) {
    const auto found = all.find(message);
    if (found == all.end() || !into.insert(message).second) return;
    for (const auto& line : found->second) collect(all, bare_type(line.go_type), into);
}

}  // namespace

result<protobuf_lines> read_protobuf_fields(const std::string& text, const std::string& name) {
    protobuf_lines all;
    std::istringstream in(text);
    std::size_t count = 0;
    for (std::string line; std::getline(in, line);) {
        ++count;
        if (line.empty() || line.front() == '#') continue;
        const auto parts = split(line);
        const auto bad = [&](const char* what) {
            return error(errc::decode_failed, name + ":" + std::to_string(count) + ": " + what);
        };
        if (parts.size() != 6 || parts[0].empty()) return bad("expected six columns, of which the first is a type");
        protobuf_line made{parts[1], 0, parts[3], parts[4], parts[5] == "always"};
        const char* const end = parts[2].data() + parts[2].size();
        const auto read = std::from_chars(parts[2].data(), end, made.number);
        if (read.ec != std::errc() || read.ptr != end || made.number < 1 || made.number > 65535) {
            return bad("the third column is no field number");
        }
        all[parts[0]].push_back(std::move(made));
    }
    for (auto& [message, lines] : all) {
        std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
        const auto twice = std::adjacent_find(lines.begin(), lines.end(),
                                              [](const auto& a, const auto& b) { return a.number == b.number; });
        if (twice != lines.end()) {
            return error(errc::decode_failed, name + ": " + printable(message) + " has the field number " +
                                                  std::to_string(twice->number) + " twice");
        }
    }
    return all;
}

protobuf_lines needed_protobuf_fields(const protobuf_lines& all, const schema& kinds) {
    std::set<std::string> names;
    for (const auto& each : kinds.kinds) collect(all, protobuf_message_of(each.type), names);
    for (const char* each : common) collect(all, each, names);
    protobuf_lines needed;
    for (const auto& name : names) needed.insert(*all.find(name));
    return needed;
}

std::string write_protobuf_fields(const protobuf_lines& all) {
    std::string out(heading);
    for (const auto& [message, lines] : all) {
        for (const auto& line : lines) {
            out += message + '\t' + line.json_name + '\t' + std::to_string(line.number) + '\t' + line.wire + '\t' +
                   line.go_type + '\t' + (line.shown ? "always" : "omitempty") + '\n';
        }
    }
    return out;
}

std::string protobuf_message_of(const std::string& type) {
    return type.starts_with("io.k8s.") ? "k8s.io." + type.substr(7) : type;
}

}  // namespace kcontrol_gen
