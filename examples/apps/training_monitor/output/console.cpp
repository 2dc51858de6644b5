#include "output/console.hpp"

#include <kcontrol/base/log.hpp>

#include "output/job_rows.hpp"
#include "table/health.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

namespace training_monitor {
namespace {

using picture_lines = std::vector<std::string>;

// The table of clusters has room if there are few, and so many rows are left for jobs.
constexpr std::size_t most_clusters = 8, rows_for_jobs = 12, most_troubled = 3;

bool is(const key& pressed, key_name name, std::string_view letter = {}) {
    if (pressed.name == key_name::text) return pressed.text == letter;
    return pressed.name == name;
}

// Where a key moves to from `at`, among `all` of which `page` are seen; nothing if it does not move.
std::optional<std::size_t> moved(const key& pressed, std::size_t at, std::size_t all, std::size_t page) {
    const std::size_t last = all == 0 ? 0 : all - 1;
    if (is(pressed, key_name::up, "k")) return at == 0 ? 0 : at - 1;
    if (is(pressed, key_name::down, "j")) return std::min(last, at + 1);
    if (is(pressed, key_name::page_up)) return at - std::min(at, page);
    if (is(pressed, key_name::page_down, " ")) return std::min(last, at + page);
    if (is(pressed, key_name::home, "g")) return 0;
    if (is(pressed, key_name::end, "G")) return last;
    return std::nullopt;
}

void drop_last_character(std::string& text) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0U) == 0x80U) text.pop_back();
    if (!text.empty()) text.pop_back();
}

bool is_in_trouble(const cluster_view& cluster) { return cluster.state != "live"; }

// "3 clusters: 2 live, 1 unreachable", and those in trouble with the reason.
picture_lines clusters_in_short(const job_table::cluster_list& clusters, const text_layout& layout) {
    std::map<std::string, std::size_t> states;
    for (const auto& c : clusters) ++states[c->state];
    std::string sum = std::to_string(clusters.size()) + (clusters.size() == 1 ? " cluster:" : " clusters:");
    for (const auto& [state, count] : states) {
        sum.append(sum.ends_with(':') ? " " : ", ").append(std::to_string(count)).append(" ").append(state);
    }
    picture_lines out{cut(sum, layout.columns())};
    std::size_t troubled = 0;
    for (const auto& c : clusters) {
        if (!is_in_trouble(*c) || ++troubled > most_troubled) continue;
        std::string line = std::string(mark_of(c->state)) + " " + c->name + " " + c->state;
        if (!c->reason.empty()) line += ": " + c->reason;
        out.push_back(colored(cut(kcontrol::escape_control(line), layout.columns()), color_of(c->state), layout));
    }
    return out;
}

picture_lines clusters_lines(const job_table::cluster_list& clusters, std::size_t rows, const text_layout& layout) {
    if (rows >= clusters.size() + rows_for_jobs && clusters.size() <= most_clusters) {
        return clusters_table(clusters).lines(layout);
    }
    auto out = clusters_in_short(clusters, layout);
    const std::size_t room = rows > rows_for_jobs ? most_troubled + 1 : 1;
    if (out.size() > room) out.resize(room);
    return out;
}

// "! 1 of 2 clusters can't be read  ! 2 Failed  + 12 Running": what is missing, then what there is, the urgent first.
std::string counts_line(const job_counts& counts, const std::string& missing, const text_layout& layout) {
    static constexpr std::array order{job_state::failed,  job_state::restarting, job_state::pending,
                                      job_state::queued,  job_state::created,    job_state::unknown,
                                      job_state::running, job_state::suspended,  job_state::succeeded};
    std::string out;
    std::size_t taken = 0;
    if (!missing.empty()) {
        const std::string one = cut("! " + missing, layout.columns());
        out = colored(one, color_of("failed"), layout);
        taken = width(one);
    }
    for (const auto state : order) {
        const auto count = counts.states[static_cast<std::size_t>(state)];
        if (count == 0) continue;
        const std::string one =
            std::string(mark_of(to_string(state))) + " " + std::to_string(count) + " " + std::string(to_string(state));
        const std::size_t gap = out.empty() ? 0 : 2;
        if (layout.columns() != 0 && taken + gap + one.size() > layout.columns()) break;
        out.append(gap, ' ').append(colored(one, color_of(to_string(state)), layout));
        taken += gap + one.size();
    }
    return out;
}

bool is_job(const job_ref& ref, const job_view& job) {
    return ref.name == job.name && ref.namespace_ == job.namespace_ && ref.cluster == job.cluster &&
           ref.kind == job.kind;
}

picture_lines help_picture(std::size_t rows, const text_layout& layout) {
    static constexpr std::array lines{
        std::string_view("Keys"),
        std::string_view(""),
        std::string_view("arrows, j, k   move, or scroll            PgUp, PgDn, space   a page"),
        std::string_view("Home, g        to the top                 End, G              to the end"),
        std::string_view("Enter          opens the job              Esc                 back; all jobs again"),
        std::string_view("/              search: names, states, label=value"),
        std::string_view("c              jobs of one cause in one row, or each in its own"),
        std::string_view("s              sort: urgency, name, start, duration, GPUs"),
        std::string_view("n              the next namespace only"),
        std::string_view("l              of a job: the log that says why; again: the next pod's, by rank"),
        std::string_view("y              of a job: its object as YAML"),
        std::string_view("Ctrl-L         draws anew                 q                   quit"),
        std::string_view(""),
        std::string_view("Any key goes back."),
    };
    picture_lines out;
    for (const auto line : lines) out.push_back(cut(line, layout.columns()));
    out.resize(rows);
    return out;
}

std::string range_text(std::size_t first, std::size_t shown, std::size_t all) {
    if (shown == all) return std::to_string(all);
    return std::to_string(first + 1) + "-" + std::to_string(first + shown) + " of " + std::to_string(all);
}

}  // namespace

void console::press(const key& pressed, const job_table& jobs, kcontrol::wall_time now) {
    if (std::exchange(helping_, false)) return;  // any key ends it
    if (!searching_ && is(pressed, key_name::text, "?")) {
        helping_ = true;
        return;
    }
    if (opened_) return text_of_ ? press_in_text(pressed) : press_in_job(pressed);
    searching_ ? press_in_search(pressed, jobs, now) : press_in_list(pressed, jobs, now);
}

// Jobs of one cause are one row, but where somebody searches for one of them or sorts otherwise.
console::job_list console::list(const job_table& jobs, kcontrol::wall_time now, rows_of_causes* causes) const {
    auto out = by_urgency(jobs, search_, now);
    if (!namespace_.empty()) std::erase_if(out, [&](const job_view* job) { return job->namespace_ != namespace_; });
    sort_by(out, order_, now);
    if (!folds_ || !search_.empty() || order_ != list_order::urgency) return out;
    auto rows = fold_causes(out, now);
    if (causes) *causes = std::move(rows);
    return out;
}

void console::press_in_list(const key& pressed, const job_table& jobs, kcontrol::wall_time now) {
    if (is(pressed, key_name::text, "q")) {
        quits_ = true;
    } else if (is(pressed, key_name::text, "/")) {
        searching_ = true;
    } else if (is(pressed, key_name::text, "c")) {
        folds_ = !folds_;
    } else if (is(pressed, key_name::text, "s")) {
        order_ =
            order_ == list_order::gpus ? list_order::urgency : static_cast<list_order>(static_cast<int>(order_) + 1);
        selected_.reset();
    } else if (is(pressed, key_name::text, "n")) {
        next_namespace(jobs);
    } else if (is(pressed, key_name::escape)) {
        namespace_.clear();
        search_for({});
    } else if (is(pressed, key_name::enter)) {
        const auto listed = list(jobs, now);
        settle(listed);
        if (listed.empty()) return;
        select(listed, selected_at_);
        opened_ = selected_;
        scrolled_ = 0;
    } else {
        move(pressed, jobs, now);
    }
}

void console::press_in_search(const key& pressed, const job_table& jobs, kcontrol::wall_time now) {
    if (pressed.name == key_name::text) {
        constexpr std::size_t longest = 200;
        if (search_text_.size() < longest) search_for(search_text_ + pressed.text);
    } else if (is(pressed, key_name::enter)) {
        searching_ = false;
    } else if (is(pressed, key_name::escape)) {
        searching_ = false;
        search_for({});
    } else if (is(pressed, key_name::backspace)) {
        searching_ = !search_text_.empty();
        std::string text = search_text_;
        drop_last_character(text);
        search_for(std::move(text));
    } else if (is(pressed, key_name::clear_line)) {
        search_for({});
    } else {
        move(pressed, jobs, now);
    }
}

void console::press_in_job(const key& pressed) {
    if (is(pressed, key_name::escape, "q") || is(pressed, key_name::backspace)) {
        opened_.reset();
    } else if (is(pressed, key_name::text, "l")) {
        ask_for(text_request::kind::log);
    } else if (is(pressed, key_name::text, "y")) {
        ask_for(text_request::kind::yaml);
    } else if (const auto at = moved(pressed, scrolled_, most_scrolled_ + 1, page_rows_)) {
        scrolled_ = *at;
    }
}

void console::press_in_text(const key& pressed) {
    if (is(pressed, key_name::escape, "q") || is(pressed, key_name::backspace)) {
        text_of_.reset();
        scrolled_ = 0;
    } else if (is(pressed, key_name::text, "l")) {
        ask_for(text_request::kind::log);
    } else if (is(pressed, key_name::text, "y")) {
        ask_for(text_request::kind::yaml);
    } else if (const auto at = moved(pressed, scrolled_, most_scrolled_ + 1, page_rows_)) {
        scrolled_ = *at;
    }
}

// While a log is shown, the next one is that of the pod behind it.
void console::ask_for(text_request::kind what) {
    text_request next{what, *opened_, {}};
    if (what == text_request::kind::log && text_of_ && text_of_->what == what && !pods_.empty()) {
        const auto at = std::find(pods_.begin(), pods_.end(), text_of_->pod);
        next.pod = at == pods_.end() || at + 1 == pods_.end() ? pods_.front() : *(at + 1);
    }
    text_title_ = "Reading …";
    text_.clear();
    scrolled_ = 0;
    text_of_ = wanted_ = std::move(next);
}

void console::show(const text_request& of, std::string title, std::vector<std::string> lines) {
    if (!opened_ || !text_of_ || text_of_->what != of.what || text_of_->job != of.job) return;
    if (!text_of_->pod.empty() && text_of_->pod != of.pod) return;
    text_of_->pod = of.pod;
    text_title_ = std::move(title);
    text_ = std::move(lines);
    scrolled_ = of.what == text_request::kind::log ? text_.size() : 0;  // the end of a log is what happened last
}

void console::next_namespace(const job_table& jobs) {
    std::set<std::string> all;
    jobs.visit([&](const job_view& job) { all.insert(job.namespace_); });
    const auto next = namespace_.empty() ? all.begin() : all.upper_bound(namespace_);
    namespace_ = next == all.end() ? std::string() : *next;
    selected_.reset();
}

void console::move(const key& pressed, const job_table& jobs, kcontrol::wall_time now) {
    if (!moved(pressed, 0, 1, 1)) return;
    const auto listed = list(jobs, now);
    settle(listed);
    const std::size_t to = *moved(pressed, selected_at_, listed.size(), page_rows_);
    if (is(pressed, key_name::home, "g")) {
        selected_.reset();
        selected_at_ = 0;
    } else if (to < listed.size()) {
        select(listed, to);
    }
}

void console::search_for(std::string text) {
    search_text_ = std::move(text);
    search_ = job_search(search_text_);
    selected_.reset();
}

void console::select(const job_list& jobs, std::size_t at) {
    selected_at_ = at;
    selected_ = ref_of(*jobs[at]);
}

// Finds the selected job where it is now.
void console::settle(const job_list& jobs) {
    if (!selected_ || jobs.empty()) {
        selected_.reset();
        selected_at_ = 0;
        return;
    }
    if (selected_at_ < jobs.size() && is_job(*selected_, *jobs[selected_at_])) return;
    const auto found =
        std::find_if(jobs.begin(), jobs.end(), [&](const job_view* job) { return is_job(*selected_, *job); });
    const auto at = static_cast<std::size_t>(found - jobs.begin());
    select(jobs, found != jobs.end() ? at : std::min(selected_at_, jobs.size() - 1));
}

std::vector<std::string> console::picture(const scene& from, std::size_t rows, const text_layout& layout) {
    if (helping_) return help_picture(rows, layout);
    if (opened_ && text_of_) return text_picture(rows, layout);
    return opened_ ? job_picture(from, rows, layout) : list_picture(from, rows, layout);
}

std::vector<std::string> console::list_picture(const scene& from, std::size_t rows, const text_layout& layout) {
    picture_lines out{colored(cut(from.headline(), layout.columns()), "\x1b[1m", layout)};
    if (!from.caption().empty()) out.push_back(cut(kcontrol::escape_control(from.caption()), layout.columns()));
    const auto clusters = from.jobs().clusters();
    const std::string missing = kcontrol::escape_control(incomplete_text(health_of(clusters), from.source()));
    out.push_back(counts_line(from.jobs().counts(), missing, layout));
    for (auto& line : clusters_lines(clusters, rows, layout)) out.push_back(std::move(line));
    out.emplace_back();
    constexpr std::size_t around = 2, least_jobs = 3;  // the columns' titles and the footer
    while (out.size() > 1 && out.size() + around + least_jobs > rows) out.pop_back();
    page_rows_ = std::max<std::size_t>(rows - std::min(rows, out.size() + around), 1);
    rows_of_causes causes;
    const auto jobs = list(from.jobs(), from.now(), &causes);
    settle(jobs);
    const std::size_t most_first = jobs.size() - std::min(jobs.size(), page_rows_);
    const std::size_t least_first = selected_at_ + 1 - std::min(selected_at_ + 1, page_rows_);
    first_ = std::min(std::clamp(first_, least_first, std::max(least_first, selected_at_)), most_first);
    const std::size_t shown = std::min(page_rows_, jobs.size() - first_);
    if (jobs.empty()) {
        out.push_back(
            cut(search_.empty() ? no_jobs_text(clusters, from.source()) : "No job fits the search.", layout.columns()));
    } else {
        const auto begin = jobs.begin() + static_cast<std::ptrdiff_t>(first_);
        const job_list seen(begin, begin + static_cast<std::ptrdiff_t>(shown));
        const auto selected = from.keys() ? std::optional(selected_at_ - first_) : std::nullopt;
        for (auto& line : jobs_table(seen, from.now(), layout, causes).lines(layout, selected))
            out.push_back(std::move(line));
    }
    if (out.size() + 1 < rows) out.resize(rows - 1);
    out.push_back(cut(list_footer(from, range_text(first_, shown, jobs.size())), layout.columns()));
    return out;
}

std::string console::list_footer(const scene& from, const std::string& range) const {
    const std::string text = kcontrol::escape_control(search_text_);
    if (searching_) return "/" + text + "_  (Enter keeps it, Esc drops it)";
    const std::string jobs = range == "1" ? " job" : " jobs";
    std::string out = range + jobs + (search_.empty() ? "" : " with \"" + text + "\"");
    if (!namespace_.empty()) out += " in " + kcontrol::escape_control(namespace_);
    if (order_ != list_order::urgency) out.append(" by ").append(to_string(order_));
    if (!from.keys()) return out;
    const bool all = search_.empty() && namespace_.empty();
    return out + (all ? "" : "  Esc: all") + "  q: quit  /: search  Enter: details  ?: keys  s: sort  n: namespace";
}

std::vector<std::string> console::job_picture(const scene& from, std::size_t rows, const text_layout& layout) {
    const auto job = from.jobs().find(opened_->cluster, opened_->namespace_, opened_->kind, opened_->name);
    picture_lines all;
    if (job) {
        all = job_page(*job, from.known(), from.now(), layout);
    } else {
        all = {cut(kcontrol::escape_control(opened_->name), layout.columns()),
               cut("This job was deleted.", layout.columns())};
    }
    pods_.clear();
    auto known = from.known().evidence.pods;
    if (job) {
        std::erase_if(known, [&](const pod_row& pod) { return !is_of(*job, pod); });
        std::stable_sort(known.begin(), known.end(), [&](const pod_row& a, const pod_row& b) {
            constexpr auto last = std::numeric_limits<std::int64_t>::max();
            return rank_of(*job, a).value_or(last) < rank_of(*job, b).value_or(last);
        });
        for (auto& pod : known) pods_.push_back(std::move(pod.name));
    }
    return scrolled(std::move(all), rows, "Esc: back  l: log  y: YAML  arrows, j, k: scroll", layout);
}

std::vector<std::string> console::text_picture(std::size_t rows, const text_layout& layout) {
    picture_lines all{colored(cut(kcontrol::escape_control(text_title_), layout.columns()), "\x1b[1m", layout)};
    for (const auto& line : text_) {
        if (layout.columns() == 0) {
            all.push_back(kcontrol::escape_control(line));
            continue;
        }
        for (auto& part : wrap(kcontrol::escape_control(line), layout.columns())) all.push_back(std::move(part));
    }
    const bool log = text_of_->what == text_request::kind::log;
    return scrolled(std::move(all), rows,
                    log ? "Esc: back  l: the next pod's  j, k: scroll" : "Esc: back  j, k: scroll", layout);
}

// As many lines as there is room for, and what keys do.
std::vector<std::string> console::scrolled(std::vector<std::string> all, std::size_t rows, const std::string& keys,
                                           const text_layout& layout) {
    page_rows_ = std::max<std::size_t>(rows, 2) - 1;
    most_scrolled_ = all.size() - std::min(all.size(), page_rows_);
    scrolled_ = std::min(scrolled_, most_scrolled_);
    const std::size_t shown = std::min(page_rows_, all.size() - scrolled_);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(scrolled_);
    picture_lines out(begin, begin + static_cast<std::ptrdiff_t>(shown));
    out.resize(page_rows_);
    out.push_back(cut(keys + "  lines " + range_text(scrolled_, shown, all.size()), layout.columns()));
    return out;
}

}  // namespace training_monitor
