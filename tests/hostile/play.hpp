// The world of one row: an honest API server, the hostile one in front of it, and an informer.
#pragma once

#include <kcontrol/testing/event_checker.hpp>

#include "hostile/scenario.hpp"
#include "support/heap_bytes.hpp"
#include "support/widget_world.hpp"

#include <map>

namespace kcontrol::test {

class play : public widget_world {
public:
    play(const scenario& row, std::uint64_t seed);
    ~play();

    /// Plays the row and checks it; a line of the table.
    std::string run_row();
    const std::string& name() const noexcept { return row_.name_; }

    // --- what rows do
    /// The text of an object as the honest server has it.
    std::string object(const std::string& name) const;
    /// Changes an object at the honest server, and returns the event of it.
    std::string touch(const std::string& name);
    std::string version() const { return std::to_string(honest.api.resource_version()); }
    /// A list of those objects (texts), by default of all that the honest server has.
    std::string list_of(const std::vector<std::string>& items, const std::string& token = {},
                        const std::string& list_version = {}) const;
    std::string whole_list() const;
    std::vector<std::string> objects_with(const std::string& more) const;
    /// A request as it came; the honest server answers.
    informer_status status() const { return watched->status(); }
    const std::string& heard() const noexcept { return heard_; }
    /// Of each deletion that handlers heard: name=value, as they saw the object last.
    const std::string& last_states() const noexcept { return last_states_; }
    /// What later lists and watches are asked with, a line each: "list 7 limit 500", "page TOKEN", "watch 7".
    const std::vector<std::string>& asked_with() const noexcept { return asked_with_; }
    std::size_t logged(const std::string& part) const;
    /// "a=1 b=2 c=3"
    std::string stored() const;
    std::string held_by_server() const;
    std::size_t heap_growth() const { return heap_bytes() - std::min(heap_bytes(), heap_before_); }
    /// Requests of that sort since the server began to misbehave.
    std::size_t asked(verb what) const { return asked_.contains(what) ? asked_.at(what) : 0; }
    /// What answers the requests that the row does not.
    void put_behind(http::handler h) { behind_ = std::move(h); }

    widget_server& honest;
    std::unique_ptr<any_informer> watched;
    std::map<std::string, std::string> notes;  // what a row remembers between requests

private:
    awaitable<void> serve(http::server_request request, http::responder& out);
    awaitable<void> perform(reply what, http::responder& out);
    std::optional<reply> answer_to(const ask& question);
    ask ask_of(const http::server_request& request);
    void go(duration d);
    void misbehave();
    void check_end();
    void check_pace() const;
    void heal();
    void hear(const any_event& e);

    const scenario& row_;
    std::uint64_t seed_;
    bool bad_ = false;
    time_point began_{};
    std::map<verb, std::size_t> asked_;
    std::vector<std::pair<time_point, verb>> requests_;
    subscription events_, invalids_, statuses_;
    std::string heard_, last_states_;
    std::vector<std::string> asked_with_;
    std::string row_failed_;
    std::vector<std::string> reasons_, log_;
    testing::event_checker checker_;
    std::size_t heap_before_ = 0, heap_most_ = 0;
    std::int64_t touched_ = 100;
    http::handler behind_;
};

inline std::string event_text(std::string_view type, const std::string& object) {
    return R"({"type":")" + std::string(type) + R"(","object":)" + object + "}\n";
}

inline std::string bookmark_text(const std::string& version) {
    return event_text("BOOKMARK",
                      R"({"kind":"Widget","apiVersion":"test.kcontrol.dev/v1","metadata":{"resourceVersion":")" +
                          version + R"(","creationTimestamp":null}})");
}

inline std::string error_text(int code, std::string_view reason, std::string_view message,
                              std::string_view details = "{}") {
    return event_text("ERROR", reply::status_text(code, reason, message, details));
}

/// A widget of that text; `rest` are more members, each with a comma before.
inline std::string widget_text(const std::string& name, const std::string& version, const std::string& spec,
                               const std::string& metadata = {}, const std::string& rest = {}) {
    return R"({"apiVersion":"test.kcontrol.dev/v1","kind":"Widget","metadata":{"name":")" + name +
           R"(","namespace":"default","uid":"u-)" + name + R"(","resourceVersion":")" + version + "\"" + metadata +
           R"(},"spec":)" + spec + rest + "}";
}

inline std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

}  // namespace kcontrol::test
