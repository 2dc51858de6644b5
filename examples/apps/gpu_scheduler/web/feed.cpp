#include "web/feed.hpp"

#include <kcontrol/json/members.hpp>
#include <kcontrol/serve/embedded_file.hpp>
#include <kcontrol/serve/responses.hpp>
#include <kcontrol/values/time.hpp>

#include "gpu_scheduler/page.hpp"

#include <chrono>
#include <utility>

namespace gpu_scheduler {

namespace http = kcontrol::http;
namespace json = kcontrol::json;
using kcontrol::awaitable;

namespace {

constexpr std::size_t most_clients = 128;  // of the 256 connections that the server takes

}  // namespace

feed::feed(kcontrol::environment& env, std::shared_ptr<answers> says, std::shared_ptr<board> known,
           kcontrol::logger log)
    : answers_(std::move(says)),
      board_(std::move(known)),
      stream_(env, http::event_stream_options().max_clients(most_clients), std::move(log)) {}

void feed::publish(std::string_view event, std::string_view data) {
    if (stream_.clients() > 0) stream_.publish(http::format_event(++events_, event, data));
}

void feed::look(kcontrol::wall_time now) {
    if (!answers_->refresh()) return;
    const auto minute = std::chrono::floor<std::chrono::minutes>(now.time_since_epoch()).count();
    const bool is_new_minute = std::exchange(minute_, minute) != minute;
    auto tenants = answers_->tenants();
    const bool has_new_tenants = tenants != tenants_;
    // The tenants of pods may have changed with them, and the state of a node without a new version of its pods.
    if (is_new_minute || has_new_tenants) versions_.clear();
    std::map<std::string, std::string> gone;
    std::swap(gone, nodes_);
    for (const auto& on : board_->nodes()) {
        if (on == nullptr || on->ledger.devices().gpus.empty()) continue;
        const auto name = on->node->metadata.name.str();
        auto before = gone.extract(name);
        if (!before.empty() && std::exchange(versions_[name], on->edition) == on->edition) {
            nodes_.insert(std::move(before));
            continue;
        }
        auto text = node_json(*on, *board_);
        if (before.empty() || before.mapped() != text) publish("node", text);
        versions_[name] = on->edition;
        nodes_.emplace(name, std::move(text));
    }
    for (const auto& [name, text] : gone) {
        json::writer out;
        out.begin_object();
        out.member("name", name);
        out.end_object();
        publish("gone", out.text());
        versions_.erase(name);
    }
    if (has_new_tenants) publish("tenants", tenants_ = std::move(tenants));
    if (std::exchange(waiting_, board_->waiting_version()) != board_->waiting_version()) {
        publish("pending", "{\"pods\":" + std::to_string(board_->waiting()) + "}");
    }
    past_.take(now, *board_);
    if (is_new_minute) publish("minute", "{}");
}

awaitable<kcontrol::result<void>> feed::open(http::responder& out) {
    json::writer all;
    all.begin_object();
    json::begin_array(all, "items");
    for (const auto& [name, text] : nodes_) all.raw(text);
    all.end_array();
    all.end_object();
    std::string events = http::format_event(++events_, "nodes", all.text());
    events += http::format_event(++events_, "tenants", tenants_.empty() ? "{\"items\":[]}" : tenants_);
    events += http::format_event(++events_, "pending", "{\"pods\":" + std::to_string(board_->waiting()) + "}");
    auto sent = co_await out.write(std::move(events));
    co_return sent;
}

awaitable<void> feed::follow(http::responder& out) {
    if (!answers_->refresh()) {
        const auto sent = co_await out.send(no_leader());
        static_cast<void>(sent);
        co_return;
    }
    const http::event_stream::opening first = [this](http::responder& to) { return open(to); };
    auto head = http::event_stream_head();
    co_await stream_.serve(out, std::move(head), first);
}

http::response feed::past(const http::routed_request& asked) const {
    const auto query = parameters_of(asked, {"since"});
    if (!query) return http::error_response(400, query.error().message());
    std::optional<kcontrol::wall_time> since;
    if (query->contains("since")) {
        const auto read = kcontrol::parse_time(query->at("since"));
        if (!read) {
            return http::error_response(
                400, "parameter since: " + in_quotes(query->at("since")) + " is no time such as 2026-11-29T12:00:00Z");
        }
        since = *read;
    }
    return http::json_response(200, past_.json(since));
}

void feed::add_routes(const std::shared_ptr<feed>& self, http::router& to) {
    // The router may outlive the manager, which all answers are made of.
    const std::weak_ptr<feed> weak(self);
    const auto add = [&to, weak](const std::string& path, auto answer) {
        to.get("/api/v1/" + path, [weak, answer](const http::routed_request& asked) {
            const auto kept = weak.lock();
            return kept == nullptr ? no_leader() : answer(*kept, asked);
        });
    };
    using asked_for = const http::routed_request&;
    add_files(to, embedded_files());
    add("nodes", [](const feed& of, asked_for asked) { return of.answers_->nodes(asked); });
    add("tenants", [](const feed& of, asked_for asked) { return of.answers_->tenants(asked); });
    add("pending", [](const feed& of, asked_for asked) { return of.answers_->pending(asked); });
    add("why", [](const feed& of, asked_for asked) { return of.answers_->why(asked); });
    add("fits", [](const feed& of, asked_for asked) { return of.answers_->fits(asked); });
    add("history", [](const feed& of, asked_for asked) { return of.past(asked); });
    to.stream("GET", "/api/v1/events", [weak](http::routed_request, http::responder& out) -> awaitable<void> {
        if (const auto kept = weak.lock()) {
            co_await kept->follow(out);
            co_return;
        }
        const auto sent = co_await out.send(no_leader());
        static_cast<void>(sent);
    });
}

}  // namespace gpu_scheduler
