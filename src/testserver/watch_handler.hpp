// Watches: their beginning, the events that each is sent, and how writers and the server's owner reach them.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/testing/api_server_options.hpp>
#include <kcontrol/testing/fault.hpp>
#include <kcontrol/testing/request_log.hpp>

#include "testserver/rendering.hpp"
#include "testserver/replica_views.hpp"
#include "testserver/version_converter.hpp"
#include "testserver/watch_cursor.hpp"
#include "testserver/watch_index.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// An open watch: how writers and the server's owner reach it.
class open_watch {
public:
    /// What a watch is told to do: go on, end properly, or break its connection.
    enum class order { run, end, abort };

    async_event wake;                       ///< notified of events and orders
    const resource_table* table = nullptr;  ///< what it watches; lives as long as the watch
    watch_cursor* cursor = nullptr;         ///< once it follows the table; null before
    order given = order::run;               ///< obeyed once all events are sent
};

/// What a watch works on.
class watch_job {
public:
    request_info info;                      ///< of the watch's request
    list_query query;                       ///< its checked options, from start() on
    shape form = shape::object;             ///< what the Accept header asks for
    bool protobuf = false;                  ///< else JSON
    std::shared_ptr<resource_table> table;  ///< null before start(); lives on here if the kind is removed
    fault injected;                         ///< faults of this request
};

/// An event as watches get it.
class rendered_event {
public:
    object_ptr object;  ///< what the text shows; null: the text is for one watch only
    std::string type,   ///< "ADDED", "MODIFIED" or "DELETED"
        version,        ///< of the API, that the text is in
        kind;           ///< of the object
    std::string text;   ///< a line of JSON with its newline
};

/// Serves watches. Touched on the server's executor only.
class watch_handler {
public:
    /// All five outlive it.
    watch_handler(environment& env, const api_server_options& options, const replica_views& replicas,
                  version_converter& converter, request_log& log)
        : env_(env), options_(options), replicas_(replicas), converter_(converter), log_(log) {}

    /// Sends the head of the response, or the refusal; `table` is what is to be watched, or why not. Returns the status
    /// code; 0: the client is disconnected. After 200 comes run().
    awaitable<int> start(http::responder& out, watch_job& job, outcome<object_store::table_ptr> table);
    /// Sends events until the watch is over.
    awaitable<void> run(http::responder& out, watch_job& job);

    /// Notifies the watches that the change may concern.
    void notify(const resource_table& table, const store_event& event);
    /// Lets the watches of that table look anew; null: all watches.
    void wake_up(const resource_table* of);
    void end(open_watch::order order);  ///< all that are open; each when its turn comes

private:
    class registration;
    class following;

    /// The line of an event, which all who watch in the same form get, and get one after the other.
    const std::string& event_text(const watch_job& job, std::string_view type, const object_ptr& object, bool first);

    environment& env_;
    const api_server_options& options_;
    const replica_views& replicas_;
    version_converter& converter_;
    request_log& log_;
    // By their numbers, which ascend: they are told in that order.
    std::vector<std::pair<std::uint64_t, open_watch*>> watches_;
    std::uint64_t last_watch_ = 0;
    std::map<const resource_table*, watch_index> followed_;
    rendered_event last_event_;
};

}  // namespace kcontrol::testing::detail
