#include "jobs/link_template.hpp"

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/http/url.hpp>

#include "jobs/kind_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace training_monitor {
namespace {

constexpr std::string_view label_word = "label:";
constexpr std::string_view case_kind = "NodeRepair";  // of a node: no job
constexpr std::array<std::string_view, 7> link_words{"cluster", "namespace", "kind", "name", "uid", "from", "to"};

kcontrol::error bad_link(std::string text) {
    return kcontrol::error(kcontrol::errc::invalid_argument, std::move(text));
}

bool is_url_character(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x20 && byte < 0x7f && std::string_view("<>\"'`\\^|{}").find(c) == std::string_view::npos;
}

bool is_known_word(std::string_view word) {
    if (word.starts_with(label_word)) return word.size() > label_word.size();
    return std::find(link_words.begin(), link_words.end(), word) != link_words.end();
}

std::string milliseconds(std::int64_t seconds) { return std::to_string(seconds) + "000"; }

std::string value_of(std::string_view word, const job_view& job) {
    if (word == "cluster") return job.cluster;
    if (word == "namespace") return job.namespace_;
    if (word == "kind") return std::string(job.kind);
    if (word == "name") return job.name;
    if (word == "uid") return job.uid;
    if (word == "from") return job.start_time ? milliseconds(*job.start_time) : std::string();
    if (word == "to") return job.completion_time ? milliseconds(*job.completion_time) : "now";
    return std::string(job.labels.find(word.substr(label_word.size())).value_or(""));
}

}  // namespace

kcontrol::result<link_template> link_template::parse(std::string_view text) {
    link_template out;
    const auto equals = text.find('=');
    std::string_view name = text.substr(0, equals);
    if (equals == std::string_view::npos || name.empty()) {
        return bad_link("a name and a URL are expected, such as Grafana=https://grafana.example.com/d/jobs");
    }
    std::string_view rest = text.substr(equals + 1);
    if (const auto slash = name.find('/'); slash != std::string_view::npos) {
        out.kind_ = name.substr(0, slash) == case_kind ? case_kind : find_kind(name.substr(0, slash));
        if (out.kind_.empty()) {
            return bad_link(kcontrol::in_quotes(name.substr(0, slash)) +
                            " is not a kind this program knows: " + all_kind_names() + ", NodeRepair");
        }
        name.remove_prefix(slash + 1);
    }
    if (name.empty() || name.size() > 40) return bad_link("the name of a link has 1 to 40 characters");
    out.name_ = name;
    const auto host_end = rest.find_first_of("/?#", std::min(rest.find("://") + 3, rest.size()));
    const auto server = rest.substr(0, host_end);
    // A word in the host would let a job say where its readers go.
    if (!(server.starts_with("https://") || server.starts_with("http://")) ||
        server.find('{') != std::string_view::npos || !kcontrol::http::parse_base_url(server)) {
        return bad_link("a URL with http or https and a host without words is expected, such as https://host/{name}");
    }
    while (!rest.empty()) {
        const bool is_word = rest.front() == '{';
        const auto end = is_word ? rest.find('}') : std::min(rest.find('{'), rest.size());
        if (end == std::string_view::npos) return bad_link("a '{' without its '}'");
        const auto piece = is_word ? rest.substr(1, end - 1) : rest.substr(0, end);
        if (is_word && !is_known_word(piece)) {
            return bad_link("{" + std::string(piece) +
                            "} is not one of {cluster}, {namespace}, {kind}, {name}, {uid}, " +
                            "{label:KEY}, {from}, {to}");
        }
        if (!is_word && !std::all_of(piece.begin(), piece.end(), is_url_character)) {
            return bad_link("a character that does not stand in a URL: escape it as %XX");
        }
        out.pieces_.push_back({std::string(piece), is_word});
        rest.remove_prefix(end + (is_word ? 1 : 0));
    }
    return out;
}

std::optional<std::string> link_template::url_of(const job_view& job) const {
    if (kind_.empty() ? job.kind == case_kind : kind_ != job.kind) return std::nullopt;
    std::string out;
    for (const auto& [text, is_word] : pieces_) {
        const std::string value = is_word ? kcontrol::http::percent_encode(value_of(text, job)) : text;
        if (value.empty()) return std::nullopt;
        out += value;
    }
    return out;
}

std::vector<job_link> links_of(const std::vector<link_template>& templates, const job_view& job) {
    std::vector<job_link> out;
    for (const auto& each : templates) {
        if (auto url = each.url_of(job)) out.push_back({each.name(), std::move(*url)});
    }
    return out;
}

}  // namespace training_monitor
