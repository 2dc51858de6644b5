// The terminal's view that keys steer: a list of jobs, a search in it, and one job with all that is known of it. A
// plain state machine: keys in, a picture out.
#pragma once

#include "output/columns.hpp"
#include "output/job_page.hpp"
#include "output/keys.hpp"
#include "output/urgency.hpp"
#include "pods/pod_row.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace training_monitor {

/// What there is to show.
class scene {
public:
    scene(const job_table& jobs, kcontrol::wall_time now) : jobs_(&jobs), now_(now) {}

    /// A line above all, and one below it that may be empty.
    scene& head(std::string line, std::string caption) {
        return headline_ = std::move(line), caption_ = std::move(caption), *this;
    }
    /// Where clusters come from, in words.
    scene& source(std::string text) { return source_ = std::move(text), *this; }
    /// Of the job that console::opened() names.
    scene& known(known_of_job v) { return known_ = std::move(v), *this; }
    /// Somebody can press keys.
    scene& keys(bool on) { return keys_ = on, *this; }

    const job_table& jobs() const noexcept { return *jobs_; }
    kcontrol::wall_time now() const noexcept { return now_; }
    const std::string& headline() const noexcept { return headline_; }
    const std::string& caption() const noexcept { return caption_; }
    const std::string& source() const noexcept { return source_; }
    const known_of_job& known() const noexcept { return known_; }
    bool keys() const noexcept { return keys_; }

private:
    const job_table* jobs_;
    kcontrol::wall_time now_;
    std::string headline_, caption_, source_;
    known_of_job known_;
    bool keys_ = false;
};

/// What is to be read for who looks at a job: the log of one of its pods, or the job as YAML.
struct text_request {
    enum class kind { log, yaml };

    kind what = kind::log;
    job_ref job;
    std::string pod;  ///< of a log; empty: the one that says why the job is as it is

    friend bool operator==(const text_request&, const text_request&) = default;
};

/// Thread-safety: shared objects unsafe.
class console {
public:
    /// In the list: arrows or j and k, pages, Home or g, End or G, Enter (the job), `/` (search), c (jobs of
    /// one cause in one row, or each in its own; a search or another order shows each), s (sort), n (namespace), Esc
    /// (all jobs again), ? (the keys), q (quit). In the search: text, Enter (keep it), Esc (drop it).
    /// In a job: the same to scroll, l (a log, and again for the next pod's), y (YAML), Esc or q go back.
    void press(const key& pressed, const job_table& jobs, kcontrol::wall_time now);

    /// It was asked to end.
    bool quits() const noexcept { return quits_; }
    /// The job that is looked at, rather than the list.
    const std::optional<job_ref>& opened() const noexcept { return opened_; }

    /// What is to be read now, once.
    std::optional<text_request> wanted() { return std::exchange(wanted_, std::nullopt); }
    /// What was read, with what it is; lines are escaped here. Is left out if somebody looks at something else by now.
    void show(const text_request& of, std::string title, std::vector<std::string> lines);

    /// The picture: `rows` lines (5 or more) of at most the layout's columns. The selected job stays selected
    /// wherever it moves in the list; one that vanished hands on to its neighbour.
    std::vector<std::string> picture(const scene& from, std::size_t rows, const text_layout& layout);

private:
    using job_list = std::vector<const job_view*>;

    job_list list(const job_table& jobs, kcontrol::wall_time now, rows_of_causes* causes = nullptr) const;
    void press_in_list(const key& pressed, const job_table& jobs, kcontrol::wall_time now);
    void press_in_search(const key& pressed, const job_table& jobs, kcontrol::wall_time now);
    void press_in_job(const key& pressed);
    void press_in_text(const key& pressed);
    void ask_for(text_request::kind what);
    void next_namespace(const job_table& jobs);
    void move(const key& pressed, const job_table& jobs, kcontrol::wall_time now);
    void search_for(std::string text);
    void settle(const job_list& jobs);
    void select(const job_list& jobs, std::size_t at);
    std::vector<std::string> list_picture(const scene& from, std::size_t rows, const text_layout& layout);
    std::vector<std::string> job_picture(const scene& from, std::size_t rows, const text_layout& layout);
    std::vector<std::string> text_picture(std::size_t rows, const text_layout& layout);
    std::vector<std::string> scrolled(std::vector<std::string> all, std::size_t rows, const std::string& keys,
                                      const text_layout& layout);
    std::string list_footer(const scene& from, const std::string& range) const;

    bool quits_ = false, searching_ = false, helping_ = false, folds_ = true;
    list_order order_ = list_order::urgency;
    std::string namespace_;  ///< empty: all
    std::string search_text_;
    job_search search_;
    std::optional<job_ref> selected_;  ///< nothing: the first one, whichever that is
    std::size_t selected_at_ = 0;
    std::size_t first_ = 0;      ///< of the list, on the screen
    std::size_t page_rows_ = 1;  ///< jobs on the screen
    std::optional<job_ref> opened_;
    std::size_t scrolled_ = 0, most_scrolled_ = 0;  ///< lines of the job, or of the text
    std::optional<text_request> wanted_, text_of_;  ///< a text rather than the job is looked at
    std::string text_title_;
    std::vector<std::string> text_;
    std::vector<std::string> pods_;  ///< of the job that is looked at, by rank
};

}  // namespace training_monitor
