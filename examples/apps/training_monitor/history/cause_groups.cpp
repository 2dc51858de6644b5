#include "history/cause_groups.hpp"

#include <kcontrol/base/utf8.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace training_monitor {
namespace {

constexpr std::size_t most_error_bytes = 200;
constexpr std::size_t short_hash = 7;  // as git has them

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A number, an address, or a hash that has a digit in it.
bool is_varying(std::string_view word) {
    if (word.starts_with("0x") && word.size() > 2) return true;
    const bool numbered = std::any_of(word.begin(), word.end(), is_digit);
    if (!numbered) return false;
    if (is_digit(word.front())) return true;
    return word.size() >= short_hash && std::all_of(word.begin(), word.end(), is_hex);
}

}  // namespace

std::string normalised_error(std::string_view error, std::string_view job_name) {
    std::string out;
    for (std::size_t at = 0; at < error.size();) {
        if (!job_name.empty() && error.substr(at).starts_with(job_name)) {
            out += '*';
            at += job_name.size();
            continue;
        }
        std::size_t end = at;
        while (end < error.size() && (is_letter(error[end]) || is_digit(error[end]))) ++end;
        if (end == at) {
            const bool blank = static_cast<unsigned char>(error[at]) <= ' ';
            if (!blank || (!out.empty() && out.back() != ' ')) out += blank ? ' ' : error[at];
            ++at;
            continue;
        }
        const auto word = error.substr(at, end - at);
        if (is_varying(word)) {
            out += '#';
        } else {
            // "rank3", "gpu7": what a word ends with
            auto stem = word;
            while (is_digit(stem.back())) stem.remove_suffix(1);
            out.append(stem).append(stem.size() < word.size() ? "#" : "");
        }
        at = end;
    }
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return std::string(kcontrol::utf8_prefix(out, most_error_bytes));
}

std::string cause_of(const job_view& job, cause_parts parts) {
    const job_failure& how = *job.failure;
    const std::string error = parts.error ? normalised_error(how.error, job.name) : std::string();
    const std::string code = parts.exit_code && how.exit_code ? std::to_string(*how.exit_code) : std::string();
    const std::string_view node = parts.node ? std::string_view(how.node) : std::string_view();
    if (!job.failure || (error.empty() && code.empty() && node.empty())) return {};
    std::string out(parts.cluster ? job.cluster : std::string());
    for (const std::string_view part : {node, std::string_view(code), std::string_view(error)}) {
        out.append("\n").append(part);
    }
    return out;
}

std::vector<std::vector<std::size_t>> group_by_cause(const std::vector<failed_job>& jobs, kcontrol::duration window) {
    std::map<std::string_view, std::vector<std::size_t>> alike;
    std::vector<std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (jobs[i].cause.empty()) {
            out.push_back({i});
        } else {
            alike[jobs[i].cause].push_back(i);
        }
    }
    for (auto& [cause, places] : alike) {
        std::stable_sort(places.begin(), places.end(),
                         [&](std::size_t a, std::size_t b) { return jobs[a].at < jobs[b].at; });
        std::vector<std::size_t> group;
        for (const auto place : places) {
            if (!group.empty() && jobs[place].at - jobs[group.back()].at > window)
                out.push_back(std::exchange(group, {}));
            group.push_back(place);
        }
        out.push_back(std::move(group));
    }
    for (auto& group : out) std::sort(group.begin(), group.end());
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace training_monitor
