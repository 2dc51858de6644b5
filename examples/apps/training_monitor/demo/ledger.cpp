#include "ledger.hpp"

#include <algorithm>

namespace training_monitor::demo {
namespace {

using line = std::vector<std::string_view>;

std::string text(const line& states) {
    std::string out;
    for (const auto state : states) out.append(out.empty() ? "" : " ").append(state);
    return out.empty() ? "nothing" : out;
}

// True if `published` is a piece of `written` without holes that begins and ends as it must.
bool is_piece(const line& published, const line& written, bool from_start, bool to_end) {
    if (published.size() > written.size()) return false;
    const std::size_t last = written.size() - published.size();
    for (std::size_t begin = 0; begin <= last; ++begin) {
        if (from_start && begin != 0) break;
        if (to_end && begin != last) continue;
        if (std::equal(published.begin(), published.end(), written.begin() + static_cast<std::ptrdiff_t>(begin)))
            return true;
    }
    return false;
}

// How many states one has to strike out of each line to make them equal: those lost and those published too often.
std::pair<std::uint64_t, std::uint64_t> differences(const line& written, const line& published) {
    std::vector<std::vector<std::size_t>> common(written.size() + 1, std::vector<std::size_t>(published.size() + 1));
    for (std::size_t i = 1; i <= written.size(); ++i) {
        for (std::size_t j = 1; j <= published.size(); ++j) {
            common[i][j] = written[i - 1] == published[j - 1] ? common[i - 1][j - 1] + 1
                                                              : std::max(common[i - 1][j], common[i][j - 1]);
        }
    }
    const std::size_t both = common[written.size()][published.size()];
    return {written.size() - both, published.size() - both};
}

}  // namespace

void ledger::wrote(const std::string& cluster, const std::string& uid, std::string_view state) {
    job_lines& lines = jobs_[{cluster, uid}];
    if (lines.written.empty()) lines.from_the_start = in_view_.contains(cluster);
    if (lines.written.empty() || lines.written.back() != state) lines.written.push_back(state);
}

void ledger::published_job(const change& c, bool cluster_leaves) {
    job_lines& lines = jobs_[{c.job->cluster, c.job->uid}];
    if (c.type == change_type::job_removed) {
        if (!cluster_leaves) lines.published.push_back(gone);
        lines.last = nullptr;
        return;
    }
    if (lines.last && *lines.last == *c.job) ++lines.repeated;
    const auto state = to_string(c.job->state);
    if (!lines.last || lines.last->state != c.job->state) lines.published.push_back(state);
    lines.last = c.job;
}

void ledger::published(const std::vector<change>& changes) {
    std::set<std::string> leaving;
    for (const auto& c : changes) {
        if (c.type == change_type::cluster_removed) leaving.insert(c.cluster->name);
    }
    for (const auto& c : changes) {
        if (c.job) {
            published_job(c, leaving.contains(c.job->cluster));
        } else if (c.type == change_type::cluster_removed) {
            in_view_.erase(c.cluster->name);
            generations_.erase(c.cluster->name);
        } else {
            if (c.cluster->state == "live") in_view_.insert(c.cluster->name);
            auto& generation = generations_[c.cluster->name];
            if (generation != 0 && c.cluster->generation > generation) rebuilds_ += c.cluster->generation - generation;
            generation = c.cluster->generation;
        }
    }
}

// A job that was gone before its cluster came into view was never there for the monitor, nor was one that came after.
bool ledger::must_be_published(const job_lines& lines, bool in_view) const {
    const bool is_gone = lines.written.back() == gone;
    return lines.from_the_start || (in_view && !is_gone);
}

verdict ledger::compare() const {
    verdict out;
    for (const auto& [id, lines] : jobs_) {
        const auto& [cluster, uid] = id;
        const bool in_view = in_view_.contains(cluster);
        out.duplicates += lines.repeated;
        if (lines.repeated != 0) out.complaints.push_back(cluster + " " + uid + ": told the same again");
        if (lines.written.empty()) {
            // Nobody recorded it: a job that should have been shown as part of its owner.
            ++out.duplicates;
            out.complaints.push_back(cluster + " " + uid + ": never written, told " + text(lines.published));
            continue;
        }
        if (lines.published.empty() && !must_be_published(lines, in_view)) continue;
        ++out.jobs;
        if (is_piece(lines.published, lines.written, lines.from_the_start, in_view)) continue;
        const auto [lost, extra] = differences(lines.written, lines.published);
        out.lost += lost;
        out.duplicates += extra;
        out.complaints.push_back(cluster + " " + uid + ": written " + text(lines.written) + ", told " +
                                 text(lines.published));
    }
    return out;
}

}  // namespace training_monitor::demo
