#include "gang/report.hpp"

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/values/raw_json.hpp>

#include <algorithm>

namespace training_operator {
namespace {

constexpr std::size_t longest_uri = 2048;

struct progress {
    std::optional<checkpoint> saved;
    std::optional<std::int64_t> refused, step;
    raw_json metrics;
    static constexpr auto kcontrol_fields() {
        return fields(field("checkpoint", &progress::saved), field("checkpointRefused", &progress::refused),
                      field("step", &progress::step), field("metrics", &progress::metrics));
    }
};

std::map<std::string, double> numbers_of(const raw_json& from) {
    std::map<std::string, double> out;
    const auto read = json::parse(from.empty() ? "{}" : from.text());
    if (!read || !read->is_object()) return out;
    for (const auto& [name, value] : read->get_object()) {
        if (value.is_number()) out.emplace(name, value.to_number<double>());
    }
    return out;
}

// It becomes an environment variable: no control characters.
bool is_uri(std::string_view text) {
    const auto is_plain = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; };
    return !text.empty() && text.size() <= longest_uri && std::ranges::all_of(text, is_plain);
}

}  // namespace

bool is_hash(std::string_view text) {
    const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    return text.size() == 64 && std::ranges::all_of(text, is_digit);
}

std::optional<report> read_report(std::string_view text) {
    if (!text.starts_with('{')) return std::nullopt;
    const auto read = from_json<progress>(text);
    if (!read) return std::nullopt;
    report out;
    out.refused = read->refused;
    if (read->step.value_or(-1) >= 0) out.step = read->step;
    out.metrics = numbers_of(read->metrics);
    const auto& saved = read->saved;
    if (!saved || saved->step < 0 || !is_uri(saved->uri) || !(saved->sha256.empty() || is_hash(saved->sha256)))
        return out;
    out.saved.emplace();
    out.saved->step = saved->step;
    out.saved->uri = saved->uri;
    out.saved->sha256 = saved->sha256;
    return out;
}

}  // namespace training_operator
