#include "testserver/watch_handler.hpp"

#include <kcontrol/codec/protobuf.hpp>

#include "testserver/body_writer.hpp"
#include "testserver/protobuf_bodies.hpp"
#include "testserver/responses.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing::detail {

// Puts a watch on the server's list for as long as it runs.
class watch_handler::registration {
public:
    registration(watch_handler& server, open_watch& watch) : server_(server), number_(++server.last_watch_) {
        server_.watches_.emplace_back(number_, &watch);
        server_.log_.watch_opened();
    }
    ~registration() {
        server_.watches_.erase(std::lower_bound(server_.watches_.begin(), server_.watches_.end(), number_, is_before));
        server_.log_.watch_closed();
    }
    registration(const registration&) = delete;
    registration& operator=(const registration&) = delete;

    std::uint64_t number() const noexcept { return number_; }

    static bool is_before(const std::pair<std::uint64_t, open_watch*>& one, std::uint64_t number) noexcept {
        return one.first < number;
    }

private:
    watch_handler& server_;
    std::uint64_t number_;
};

// Has a watch's cursor told of the changes that may concern it.
class watch_handler::following {
public:
    following(watch_handler& server, open_watch& watch, watch_cursor& cursor, std::uint64_t number,
              const object_filter& filter)
        : all_(server.followed_), watch_(watch), number_(number), filter_(filter) {
        all_[watch.table].add(number, filter);
        watch.cursor = &cursor;
    }
    ~following() {
        const auto found = all_.find(watch_.table);
        found->second.remove(number_, filter_);
        if (found->second.empty()) all_.erase(found);
        watch_.cursor = nullptr;
    }
    following(const following&) = delete;
    following& operator=(const following&) = delete;

private:
    std::map<const resource_table*, watch_index>& all_;
    open_watch& watch_;
    std::uint64_t number_;
    const object_filter& filter_;
};

// When a watch has to do something even if nothing changes.
class watch_schedule {
public:
    watch_schedule(environment& env, const api_server_options& options, const list_query& query)
        : period_(options.bookmark_period()), bookmarks_(query.bookmarks) {
        const time_point now = env.now();
        duration length = options.min_watch_timeout();
        if (query.timeout) {
            length = *query.timeout;
        } else {
            length += std::chrono::duration_cast<duration>(length * random_unit(env));
        }
        end_ = now + length;
        next_bookmark_ = next_after(now);
    }

    time_point end() const noexcept { return end_; }
    time_point next() const noexcept { return bookmarks_ ? std::min(next_bookmark_, end_) : end_; }
    /// Whether a bookmark is due; if so, the next one is planned.
    bool bookmark_due(time_point now) {
        if (!bookmarks_ || now < next_bookmark_) return false;
        next_bookmark_ = next_after(now);
        return true;
    }

private:
    // Each period, and 2 s before the end, as kube-apiserver does.
    time_point next_after(time_point now) const {
        const time_point last = end_ - std::chrono::seconds(2);
        return now < last ? std::min(now + period_, last) : time_point::max();
    }

    duration period_;
    bool bookmarks_;
    time_point end_;
    time_point next_bookmark_;
};

namespace {

// Without being asked a server did so before it had watch lists.
bool starts_from_state(const list_query& query) {
    return query.send_initial_events.value_or(query.version.value_or(0) == 0);
}

// What a replica has to know before it may say what there is; a real one waits 3 s for it.
std::uint64_t required_version(const list_query& query, const read_view& view) {
    if (query.send_initial_events == true && !query.version) return view.truth;
    return query.version.value_or(0);
}

}  // namespace

awaitable<int> watch_handler::start(http::responder& out, watch_job& job, outcome<object_store::table_ptr> table) {
    http::response refusal;
    if (table) {
        job.table = *table;
        auto query = list_query::of_request(job.info, job.table->type(), options_.serves_watch_lists());
        if (query) {
            job.query = std::move(*query);
            http::response_head head(200);
            head.headers.set("Content-Type",
                             job.protobuf ? std::string(protobuf_media_type) + ";stream=watch" : "application/json");
            head.headers.set("Cache-Control", "no-cache, private");
            const auto started = co_await out.start(std::move(head));
            co_return started ? 200 : 0;
        }
        refusal = status_response(query.error());
    } else {
        refusal = table.error().code == 0 ? page_not_found() : status_response(table.error());
    }
    const int code = refusal.status;
    co_await send_answer(env_, out, std::move(refusal), job.injected);
    co_return code;
}

awaitable<void> watch_handler::run(http::responder& out, watch_job& job) {
    constexpr std::size_t flush_at = std::size_t{64} * 1024;
    open_watch self;
    self.table = job.table.get();
    const registration registered(*this, self);
    body_writer writer(env_, out, job.injected);
    if (job.protobuf) writer.write_as(protobuf_event_of_json);
    watch_schedule schedule(env_, options_, job.query);
    const std::string& replica = job.injected.replica();
    std::uint64_t position = job.query.version.value_or(0);
    bool first = true;

    const read_view view = replicas_.view_of(replica);
    const std::uint64_t required = required_version(job.query, view);
    if (job.query.send_initial_events == true && required > view.cache) {
        writer.add(error_event_text(failure::too_large_version(required, view.cache)));
        co_await writer.flush();
        co_return;
    }
    if (starts_from_state(job.query)) {
        position = std::max(view.cache, job.table->oldest());
        std::vector<object_ptr> objects;
        const std::string& ns = job.query.filter.namespace_;  // keys are ordered by it
        job.table->visit_at(position, {ns, ""}, [&](const namespaced_name& key, const object_ptr& object) {
            if (!ns.empty() && key.namespace_ != ns) return false;
            if (job.query.filter.matches(key, *object)) objects.push_back(object);
            return true;
        });
        const auto shown = co_await converter_.shown_from_cache(job.table, std::move(objects), job.info.version);
        if (!shown) {
            writer.add(error_event_text(shown.error()));
            co_await writer.flush();
            co_return;
        }
        const renderer show(job.table->type(), job.info, job.form, env_.wall_now());
        for (const auto& object : *shown) {
            const bool go_on = writer.add(show.event("ADDED", *object, first));
            first = false;
            if (!go_on) break;
        }
        if (job.query.bookmarks && job.query.send_initial_events) writer.add(show.bookmark(position, true));
    } else if (position == 0) {
        position = view.cache;
    } else if (position < job.table->oldest()) {
        writer.add(error_event_text(failure::expired("too old resource version: " + std::to_string(position) + " (" +
                                                     std::to_string(job.table->oldest()) + ")")));
        co_await writer.flush();
        co_return;
    }
    if (const bool sent = co_await writer.flush(); !sent) co_return;

    watch_cursor cursor(job.table, job.query.filter, position);
    const following followed(*this, self, cursor, registered.number(), job.query.filter);
    for (;;) {
        while (const auto seen = cursor.lost_events() ? std::nullopt : cursor.next(replicas_.view_of(replica).cache)) {
            object_ptr object = seen->object;
            if (job.table->type().conversion != nullptr) {
                std::vector<object_ptr> one(1, object);
                const auto shown = co_await converter_.shown_from_cache(job.table, std::move(one), job.info.version);
                if (!shown) {
                    writer.add(error_event_text(shown.error()));
                    co_await writer.flush();
                    co_return;
                }
                object = shown->front();
            }
            writer.add(event_text(job, seen->type, object, first));
            first = false;
            if (writer.pending() < flush_at) continue;
            const bool flushed = co_await writer.flush();
            if (!flushed) co_return;
        }
        if (writer.pending() > 0) {
            const bool flushed = co_await writer.flush();
            if (!flushed) co_return;
            continue;  // more may have happened meanwhile
        }
        if (self.given == open_watch::order::abort) out.abort();
        if (self.given != open_watch::order::run || job.table->removed() || cursor.lost_events()) co_return;
        const wake why = co_await self.wake.wait(env_, out.disconnected(), schedule.next());
        if (why == wake::stopped) co_return;
        const time_point now = env_.now();
        cursor.pass(replicas_.view_of(replica).cache);
        // Who asks for a version ahead of the server hears nothing before it gets there, as of kube-apiserver.
        if (schedule.bookmark_due(now) && cursor.position() <= replicas_.view_of(replica).cache) {
            const renderer show(job.table->type(), job.info, job.form, env_.wall_now());
            writer.add(show.bookmark(cursor.position(), false));
        }
        if (now >= schedule.end()) {
            co_await writer.flush();
            co_return;
        }
    }
}

const std::string& watch_handler::event_text(const watch_job& job, std::string_view type, const object_ptr& object,
                                             bool first) {
    const resource_type& of = job.table->type();
    rendered_event& last = last_event_;
    const bool whole = job.form == shape::object;  // a table differs by what its watch was told before
    if (whole && last.object == object && last.type == type && last.version == job.info.version &&
        last.kind == of.kind) {
        return last.text;
    }
    last.object = whole ? object : nullptr;
    last.type = type;
    last.version = job.info.version;
    last.kind = of.kind;
    last.text = renderer(job.table->type(), job.info, job.form, env_.wall_now()).event(type, *object, first);
    return last.text;
}

void watch_handler::notify(const resource_table& table, const store_event& event) {
    const auto found = followed_.find(&table);
    if (found == followed_.end()) return;
    for (const std::uint64_t number : found->second.concerned_by(event)) {
        open_watch& watch =
            *std::lower_bound(watches_.begin(), watches_.end(), number, registration::is_before)->second;
        watch.cursor->notify(event.version);
        watch.wake.notify_one();  // nobody but the watch itself waits there
    }
}

void watch_handler::wake_up(const resource_table* of) {
    for (const auto& [number, watch] : watches_) {
        if (of == nullptr || watch->table == of) watch->wake.notify_all();
    }
}

void watch_handler::end(open_watch::order order) {
    for (const auto& [number, watch] : watches_) watch->given = order;
    wake_up(nullptr);
}

}  // namespace kcontrol::testing::detail
