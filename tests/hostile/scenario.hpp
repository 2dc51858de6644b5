// One row of the table: what a server does, and what must be true of the informer that talks to it.
#pragma once

#include <kcontrol/cache/informer.hpp>

#include "hostile/reply.hpp"

#include <chrono>
#include <initializer_list>
#include <optional>

namespace kcontrol::test {

class play;

/// What a request asks for.
enum class verb { identity, list, page, watch, other };

/// A request, as a row's function sees it.
class ask {
public:
    ask(play& p, verb w) : world(p), what(w) {}

    bool is_list() const noexcept { return what == verb::list || what == verb::page; }
    bool is_watch() const noexcept { return what == verb::watch; }

    play& world;
    verb what;
    std::size_t n = 0;       ///< how many of that sort came before, since the server began to misbehave
    std::int64_t limit = 0;  ///< objects a page; 0: all
    std::string token;       ///< of a later page
    std::string version;
    std::string target;  ///< all of it, as it came
    duration since{};    ///< since the server began to misbehave
    duration timeout{};  ///< of a watch
};

/// The answer to a request, or nothing: the server does as it should.
using answer_function = std::function<std::optional<reply>(const ask&)>;
using play_function = std::function<void(play&)>;

/// A row. Before the server misbehaves it holds the widgets a=1, b=2 and c=3.
class scenario {
public:
    explicit scenario(std::string name) : name_(std::move(name)) {}

    // --- what happens
    scenario& before(play_function f) { return before_ = std::move(f), *this; }  ///< the informer starts
    scenario& answers(answer_function f) { return answer_ = std::move(f), *this; }
    /// It misbehaves from the first request on; else once the informer is live, and its watch broke.
    scenario& from_the_start() { return from_start_ = true, *this; }
    scenario& at(duration when, play_function what) { return moves_.emplace_back(when, std::move(what)), *this; }
    scenario& lasts(duration d) { return lasts_ = d, *this; }
    scenario& with(informer_options o) { return options_ = std::move(o), *this; }
    /// Only objects with that label are asked for, and compared.
    scenario& selects(std::string label) {
        options_.label_selector(label);
        return label_ = std::move(label), *this;
    }
    scenario& kind(const resource_info& info) { return info_ = &info, *this; }
    /// Connections stay as they are when the server behaves again.
    scenario& keeps_connections() { return keeps_ = true, *this; }

    // --- what must be true in the end, before the server behaves again
    scenario& state(informer_state s) { return states_ = {s}, *this; }
    scenario& states(std::initializer_list<informer_state> all) { return states_ = all, *this; }
    scenario& reason(std::string part) { return reason_ = std::move(part), *this; }
    scenario& well() { return state(informer_state::live).reason(""); }
    /// A reason that was shown at some time.
    scenario& told(std::string part) { return told_.push_back(std::move(part)), *this; }
    /// Widgets and their values; by default what the server holds.
    scenario& holds(std::string all) { return holds_ = std::move(all), *this; }
    scenario& empty() { return holds(""); }
    /// What handlers heard while it misbehaved.
    scenario& heard(std::string all) { return heard_ = std::move(all), *this; }
    /// An object that can't be read, as a part of "namespace/name version: why"; it may be several.
    scenario& invalid(std::string part) { return invalid_.push_back(std::move(part)), *this; }
    /// Requests of all sorts in the last minute of it.
    scenario& per_minute(std::size_t n) { return per_minute_ = n, *this; }
    /// Lists that were begun.
    scenario& lists(std::size_t least, std::size_t most) { return lists_ = {least, most}, *this; }
    scenario& watches(std::size_t least, std::size_t most) { return watches_ = {least, most}, *this; }
    /// Growth of the heap, in bytes.
    scenario& peak(std::size_t bytes) { return peak_ = bytes, *this; }
    scenario& also(play_function check) { return also_ = std::move(check), *this; }

    // --- recovery
    scenario& heals_in(duration d) { return heals_in_ = d, *this; }
    /// What makes it right, beside the server's better behaviour.
    scenario& mends(play_function f) { return mends_ = std::move(f), *this; }
    scenario& healed(play_function check) { return healed_ = std::move(check), *this; }
    /// Its versions or its objects are another server's: events need not continue those before.
    scenario& other_history() { return other_history_ = true, *this; }

private:
    friend class play;
    std::string name_;
    play_function before_, also_, mends_, healed_;
    answer_function answer_;
    std::vector<std::pair<duration, play_function>> moves_;
    bool from_start_ = false, keeps_ = false, other_history_ = false;
    duration lasts_ = std::chrono::minutes(2);
    informer_options options_;
    std::string label_;
    const resource_info* info_ = nullptr;
    std::vector<informer_state> states_{informer_state::live};
    std::optional<std::string> reason_, holds_, heard_;
    std::vector<std::string> told_, invalid_;
    std::optional<std::pair<std::size_t, std::size_t>> lists_, watches_;
    std::size_t per_minute_ = 0, peak_ = 0;
    duration heals_in_ = std::chrono::seconds(130);
};

/// Plays every row, each with its own world, and checks it.
void play_all(const std::vector<scenario>& rows);

}  // namespace kcontrol::test
