#include "queries/query.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/base/trim.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/reader.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace inference_autoscaler {
namespace {

using kcontrol::in_quotes;
namespace http = kcontrol::http;
namespace json = kcontrol::json;

constexpr std::size_t longest_target = 4000;  // of servers' and proxies' limits the usual smallest is 8 KiB

constexpr bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
}
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// A dot stands in brackets, which mean the same in every kind of string; a backslash would not.
std::string pods_pattern(const std::vector<std::string>& pods) {
    std::string out;
    for (const auto& pod : pods) {
        if (!out.empty()) out += '|';
        for (const char c : pod) {
            if (c == '.') {
                out += "[.]";
            } else {
                out += is_letter(c) || is_digit(c) || c == '-' ? c : '.';
            }
        }
    }
    return out.empty() ? "-" : out;
}

missing_reading refused(const http::response& answer, json::node said) {
    const json::node words = said.is_object() ? said["error"] : json::node();
    std::string out = "the server answered " + std::to_string(answer.status);
    if (answer.status >= 300 && answer.status < 400) {
        out += ", a redirect to " + in_quotes(answer.headers.get("Location")) + ", which is not followed";
    } else if (words.is_string()) {
        out += ": " + in_quotes(words.as_string());
    } else if (!answer.body.empty()) {
        out += ": " + in_quotes(kcontrol::trim_blanks(answer.body));
    }
    return {missing_reason::refused, std::move(out)};
}

known_or_missing read_number(json::node sample) {
    const auto wrong = [&] {
        return missing_reading{missing_reason::not_a_number,
                               "the answer has no number: " + in_quotes(sample.to_json())};
    };
    if (!sample.is_array() || sample.size() != 2) return wrong();
    json::node second;
    for (const json::node each : sample.elements()) second = each;
    if (!second.is_string()) return wrong();
    std::string_view text = second.as_string();
    if (text.starts_with('+')) text.remove_prefix(1);
    double out = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (failed != std::errc() || end != text.data() + text.size()) return wrong();
    if (!std::isfinite(out)) return missing_reading{missing_reason::not_a_number, "the value is " + std::string(text)};
    return out;
}

// The end of a string that begins at `at`.
std::size_t after_string(std::string_view query, std::size_t at) {
    const char quote = query[at];
    for (++at; at < query.size() && query[at] != quote; ++at) {
        if (query[at] == '\\' && quote != '`') ++at;
    }
    return std::min(at + 1, query.size());
}

}  // namespace

std::string fill_query(std::string_view query, const query_words& words) {
    const std::string pods = pods_pattern(words.pods);
    const std::array<std::pair<std::string_view, std::string_view>, 3> known{
        {{"{namespace}", words.namespace_}, {"{name}", words.name}, {"{pods}", pods}}};
    std::string out;
    while (!query.empty()) {
        const auto found =
            std::find_if(known.begin(), known.end(), [&](const auto& each) { return query.starts_with(each.first); });
        out += found == known.end() ? query.substr(0, 1) : found->second;
        query.remove_prefix(found == known.end() ? 1 : found->first.size());
    }
    return out;
}

http::request instant_query(std::string_view prefix, std::string_view query, std::chrono::seconds max_age) {
    http::query_builder asked;
    asked.append("query", query).append("lookback_delta", std::to_string(max_age.count()) + "s");
    const std::string path = std::string(prefix) + "/api/v1/query";
    if (asked.text().size() + path.size() < longest_target) return http::request("GET", asked.after(path));
    http::request out("POST", path);
    out.headers.set("Content-Type", "application/x-www-form-urlencoded");
    out.body = asked.text();
    return out;
}

known_or_missing read_instant(const http::response& answer) {
    json::document document;
    const auto parsed = document.parse(answer.body);
    const json::node said = parsed ? *parsed : json::node();
    if (answer.status != 200) return refused(answer, said);
    if (!said.is_object()) {
        return missing_reading{missing_reason::no_answer, "the answer is no JSON object: " + in_quotes(answer.body)};
    }
    const json::node status = said["status"], data = said["data"];
    if (!status.is_string() || status.as_string() != "success") return refused(answer, said);
    const json::node type = data.is_object() ? data["resultType"] : json::node();
    const json::node found = data.is_object() ? data["result"] : json::node();
    const std::string_view kind = type.is_string() ? type.as_string() : std::string_view();
    if (kind == "scalar") return read_number(found);
    if (kind == "matrix" || kind == "string") {
        return missing_reading{missing_reason::many_series, "the query gives a " + std::string(kind) +
                                                                "; it must give one number, as an instant vector"};
    }
    if (kind != "vector" || !found.is_array()) {
        return missing_reading{missing_reason::no_answer,
                               "the answer is none to an instant query: " + in_quotes(answer.body)};
    }
    if (found.is_empty()) return missing_reading{missing_reason::empty, "the query selects nothing"};
    if (found.size() > 1) {
        return missing_reading{missing_reason::many_series,
                               "the query gives " + std::to_string(found.size()) +
                                   " series; it must give one, as sum(), max() or avg() do"};
    }
    const json::node only = *found.elements().begin();
    return read_number(only.is_object() ? only["value"] : json::node());
}

missing_reading missing_because(const kcontrol::error& failure) {
    const bool large = failure == kcontrol::errc::too_large;
    return {large ? missing_reason::too_large : missing_reason::no_answer, failure.message()};
}

std::vector<std::string> metric_names(std::string_view query) {
    static constexpr std::array<std::string_view, 15> words{"by",    "without", "on",    "ignoring", "group_left",
                                                            "bool",  "offset",  "and",   "or",       "group_right",
                                                            "atan2", "unless",  "start", "end",      "nan"};
    std::vector<std::string> out;
    bool labels = false;  // what stands in the next parentheses are names of labels
    for (std::size_t at = 0; at < query.size();) {
        const char c = query[at];
        if (c == '"' || c == '\'' || c == '`') {
            at = after_string(query, at);
        } else if (c == '{' || c == '[' || (c == '(' && labels)) {
            const char closing = c == '{' ? '}' : c == '[' ? ']' : ')';
            for (++at; at < query.size() && query[at] != closing;) {
                const bool quoted = query[at] == '"' || query[at] == '\'' || query[at] == '`';
                at = quoted ? after_string(query, at) : at + 1;
            }
            labels = false;
        } else if (is_letter(c) || is_digit(c)) {
            const auto begin = at;
            while (at < query.size() && (is_letter(query[at]) || is_digit(query[at]) || query[at] == '.')) ++at;
            const auto word = query.substr(begin, at - begin);
            const auto next = query.find_first_not_of(" \t\r\n", at);
            const bool opens = next != query.npos && query[next] == '(';
            labels = opens && std::find(words.begin(), words.begin() + 6, word) != words.begin() + 6;
            labels = labels || (opens && word == "group_right");
            const auto rest = query.substr(std::min(next, query.size()));  // "sum by (pod) (…)"
            const bool calls = opens || rest.starts_with("by") || rest.starts_with("without");
            const bool is_name = is_letter(c) && !calls && std::find(words.begin(), words.end(), word) == words.end();
            if (is_name && std::find(out.begin(), out.end(), word) == out.end()) out.emplace_back(word);
        } else {
            ++at;
        }
    }
    return out;
}

http::request names_query(std::string_view prefix) {
    return http::request("GET", std::string(prefix) + "/api/v1/label/__name__/values?limit=20000");
}

kcontrol::result<std::vector<std::string>> read_names(const http::response& answer) {
    json::document document;
    const auto parsed = document.parse(answer.body);
    const json::node names = answer.status == 200 && parsed && parsed->is_object() ? (*parsed)["data"] : json::node();
    if (!names.is_array()) {
        return kcontrol::error(kcontrol::errc::protocol_error,
                               "the answer is no list of names: " + in_quotes(answer.body));
    }
    std::vector<std::string> out;
    for (const json::node each : names.elements()) {
        if (each.is_string()) out.emplace_back(each.as_string());
    }
    return out;
}

}  // namespace inference_autoscaler
