#include "output/console.hpp"

#include <kcontrol/base/log.hpp>

#include "output/job_rows.hpp"
#include "table/health.hpp"

#include <algorithm>
#include <array>
#include <map>

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

std::string range_text(std::size_t first, std::size_t shown, std::size_t all) {
    if (shown == all) return std::to_string(all);
    return std::to_string(first + 1) + "-" + std::to_string(first + shown) + " of " + std::to_string(all);
}

}  // namespace

void console::press(const key& pressed, const job_table& jobs, kcontrol::wall_time now) {
    if (opened_) return press_in_job(pressed);
    searching_ ? press_in_search(pressed, jobs, now) : press_in_list(pressed, jobs, now);
}

// Jobs of one cause are one row, but where somebody searches for one of them.
console::job_list console::list(const job_table& jobs, kcontrol::wall_time now, rows_of_causes* causes) const {
    auto out = by_urgency(jobs, search_, now);
    if (!folds_ || !search_.empty()) return out;
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
    } else if (is(pressed, key_name::escape)) {
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
    } else if (const auto at = moved(pressed, scrolled_, most_scrolled_ + 1, page_rows_)) {
        scrolled_ = *at;
    }
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
    if (!from.keys()) return out;
    return out + (search_.empty() ? "" : "  Esc: all") + "  q: quit  /: search  Enter: details  arrows, j, k: move";
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
    page_rows_ = std::max<std::size_t>(rows, 2) - 1;
    most_scrolled_ = all.size() - std::min(all.size(), page_rows_);
    scrolled_ = std::min(scrolled_, most_scrolled_);
    const std::size_t shown = std::min(page_rows_, all.size() - scrolled_);
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(scrolled_);
    picture_lines out(begin, begin + static_cast<std::ptrdiff_t>(shown));
    out.resize(page_rows_);
    const std::string range = range_text(scrolled_, shown, all.size());
    out.push_back(cut("Esc: back  arrows, j, k: scroll  lines " + range, layout.columns()));
    return out;
}

}  // namespace training_monitor
