#pragma once

#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/guarded_transport.hpp>
#include <kcontrol/client/detail/read_event.hpp>
#include <kcontrol/client/object_encoding.hpp>
#include <kcontrol/client/watch_stream.hpp>
#include <kcontrol/codec/release_workspace.hpp>
#include <kcontrol/codec/share_pool.hpp>

#include <algorithm>
#include <span>

namespace kcontrol::inline v0_1 {
namespace detail {

inline result<watch_event> error_event(std::string_view object) {
    if (!object.starts_with('{')) return error(errc::decode_failed, "watch event ERROR: without a Status");
    json::document document;
    const auto status = document.parse(object);
    if (!status) return status.error().with_context("watch event");
    watch_event event(watch_event_type::error);
    event.failure = status_error(*status, 500);
    return event;
}

inline watch_event invalid_event(watch_event_type type, const object_head& head, error why) {
    watch_event event(type);
    auto invalid = make_invalid(head, std::move(why));
    event.resource_version = invalid.metadata.resource_version;
    event.invalid = std::make_shared<const invalid_object>(std::move(invalid));
    return event;
}

// Of an event that is larger than any can be, what its beginning says.
inline std::optional<watch_event> cut_event_of(const http::watch_frame& frame) {
    const cut_event cut = read_cut_event(frame.text);
    if (!cut.type || *cut.type == watch_event_type::bookmark || *cut.type == watch_event_type::error) {
        return std::nullopt;
    }
    return invalid_event(*cut.type, cut.head,
                         error(errc::too_large, "its event has " + std::to_string(frame.size) + " bytes"));
}

// Its value counts, not that it is there.
inline bool ends_initial_events(const object_head& head) {
    if (head.metadata.find("initial-events-end") == std::string_view::npos) return false;
    const object_meta meta = readable_metadata(head);
    const text* const value = meta.annotations.get("k8s.io/initial-events-end");
    return value != nullptr && *value == "true";
}

// What one read asks for: little while nothing comes, as for most of a watch's life, more and more while much does.
inline constexpr std::size_t least_watch_read = 512;
inline constexpr std::size_t most_watch_read = std::size_t{16} << 10;

inline void fit_to_read(std::vector<char>& chunk, std::size_t came) {
    if (came == chunk.size() && came < most_watch_read) chunk.resize(std::min(came * 4, most_watch_read));
}

// A watch on which nothing came for so long is a quiet one: it may be as long to the next event, and a process may have
// thousands of them. Of one on which much came at last the next bookmark is the end. Events that come one after another
// find the room that the one before needed: else each would be read in three parts.
inline constexpr duration quiet_for = std::chrono::seconds(1);

inline void rest_if_quiet(duration silence, watch_event_type type, share_pool& pool, std::vector<char>& chunk) {
    if (silence <= quiet_for && type != watch_event_type::bookmark) return;
    release_workspace(pool);
    if (chunk.size() > least_watch_read) std::vector<char>(least_watch_read).swap(chunk);
}

inline bool holds_more_than_blanks(std::string_view bytes) {
    return bytes.find_first_not_of(" \t\r\n") != std::string_view::npos;
}

// Where it can't be read, the server has refused the watch.
inline shard_selector part_of(const watch_options& options) {
    auto part = shard_selector::parse(options.shard_selector());
    return part ? std::move(*part) : shard_selector();
}

}  // namespace detail

KCONTROL_DECL watch_stream::watch_stream(environment& env, const resource_info& info,
                                         std::unique_ptr<http::body_stream> body, const watch_options& options,
                                         logger log, std::shared_ptr<watch_decoder> decoder)
    : env_(&env),
      info_(&info),
      body_(std::move(body)),
      decoder_(std::move(decoder)),
      chunk_(detail::least_watch_read),
      idle_(options.idle()),
      last_sign_(env.now()),
      pool_(options.pool() != nullptr ? options.pool() : std::make_shared<share_pool>()),
      log_(std::move(log)),
      part_(detail::part_of(options)) {
    if (options.timeout().count() > 0) deadline_ = env.now() + options.timeout() + options.grace();
    release_workspace(*pool_);  // what filled it before is over
}

KCONTROL_DECL awaitable<result<watch_event>> watch_stream::next(std::stop_token stop) {
    const time_point before = last_sign_;
    for (;;) {
        if (stop.stop_requested()) co_return error(errc::stopped);
        if (given_up_at_ && env_->now() >= *given_up_at_) co_return error(errc::timeout, "its time is up");
        // Of a body that is no JSON the frame stays empty.
        auto event = decoder_ != nullptr ? decoder_->next() : result<std::optional<watch_event>>(std::nullopt);
        auto frame = framer_.next();
        if (event && !*event && frame && frame->text.empty()) {
            if (ended_) co_return watch_event(watch_event_type::end);
            if (deadline_ && env_->now() >= *deadline_) {
                log_.debug("a watch is ended here, for the server did not", {{"kind", info_->gvk.kind}});
                ended_ = true;
                co_return watch_event(watch_event_type::end);
            }
            const auto count = co_await read(stop);
            if (!count) co_return count.error();
            if (*count > 0) continue;
            if (!ended_) continue;
            frame = framer_.finish();
            if (decoder_ != nullptr) {
                const auto whole = decoder_->finish();
                if (!whole) co_return whole.error();
            }
        }
        if (!event) co_return event.error();
        if (*event && passes_over(**event)) continue;
        if (*event) detail::rest_if_quiet(last_sign_ - before, (*event)->type, *pool_, chunk_);
        if (*event) co_return std::move(**event);
        if (!frame) co_return frame.error();
        if (frame->text.empty()) continue;
        event = interpret(*frame);
        if (!event) co_return event.error();
        if (*event && passes_over(**event)) continue;
        if (*event) detail::rest_if_quiet(last_sign_ - before, (*event)->type, *pool_, chunk_);
        if (*event) co_return std::move(**event);
    }
}

inline bool watch_stream::passes_over(const watch_event& event) const {
    if (part_.empty()) return false;
    if (event.object) return !part_.selects(event.object.meta());
    // Of what was cut short the uid may be unknown: everybody hears of it.
    return event.invalid != nullptr && !event.invalid->metadata.uid.empty() && !part_.selects(event.invalid->metadata);
}

// 0 bytes: the body has ended, or the watch's own time is up.
KCONTROL_DECL awaitable<result<std::size_t>> watch_stream::read(std::stop_token stop) {
    const time_point now = env_->now();
    time_point latest = last_sign_ + idle_;
    if (deadline_) latest = std::min(latest, *deadline_);
    if (given_up_at_) latest = std::min(latest, *given_up_at_);
    const std::span<char> into(chunk_);
    const auto count = co_await detail::read_some_guarded(*body_, into, std::max(latest - now, duration::zero()), stop);
    if (!count) {
        const bool own_time = count.error() == errc::timeout && deadline_ && env_->now() >= *deadline_;
        if (own_time) co_return std::size_t{0};
        co_return count.error();
    }
    if (*count == 0) {
        ended_ = true;
        co_return std::size_t{0};
    }
    received_ += *count;
    const std::string_view bytes(chunk_.data(), *count);
    if (decoder_ != nullptr) {
        decoder_->feed(bytes);
        last_sign_ = env_->now();
        detail::fit_to_read(chunk_, *count);
        co_return *count;
    }
    if (auto refused = look_at_beginning(bytes)) co_return std::move(*refused);
    framer_.feed(bytes);
    if (detail::holds_more_than_blanks(bytes)) last_sign_ = env_->now();
    detail::fit_to_read(chunk_, *count);
    if (env_->now() >= last_sign_ + idle_) co_return error(errc::timeout, "nothing but blank lines came");
    co_return *count;
}

// What is no JSON may have no line's end for long: it is told at once, and not as an event that was cut short.
KCONTROL_DECL std::optional<error> watch_stream::look_at_beginning(std::string_view bytes) {
    constexpr std::size_t enough = 4;
    if (looked_) return std::nullopt;
    if (beginning_.empty()) bytes.remove_prefix(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
    beginning_ += bytes.substr(0, enough - beginning_.size());
    if (beginning_.empty()) return std::nullopt;
    looked_ = beginning_.front() == '{' || beginning_.size() == enough;
    return detail::refuse_first_bytes(200, beginning_);
}

KCONTROL_DECL result<std::optional<watch_event>> watch_stream::interpret(http::watch_frame frame) {
    if (frame.cut()) return detail::cut_event_of(frame);
    detail::event_reader reader(frame.text, *info_, pool_.get());
    if (!reader.read()) {
        if (const auto fault = json::find_fault(frame.text)) return fault->with_context("watch event");
        return error(errc::decode_failed, "watch event: not a JSON object");
    }
    const auto type = reader.type();
    if (!type) {
        // Servers may learn new types (apimachinery says: ignore them).
        log_.warning("a watch event of an unknown type is passed over",
                     {{"kind", info_->gvk.kind}, {"type", detail::server_text(reader.type_name(), 64)}});
        return std::optional<watch_event>();
    }
    if (*type == watch_event_type::error) {
        auto failure = detail::error_event(reader.object_text());
        if (!failure) return failure.error();
        return std::optional<watch_event>(std::move(*failure));
    }
    watch_event event(*type);
    event.object = reader.take_object();
    if (event.object) {
        event.resource_version = event.object.meta().resource_version;
        return std::optional<watch_event>(std::move(event));
    }
    return interpret_other(std::move(event), reader.object_text());
}

KCONTROL_DECL std::optional<watch_event> watch_stream::interpret_other(watch_event event, std::string_view object) {
    const auto head = detail::read_head(object);
    if (event.type == watch_event_type::bookmark) {
        event.resource_version = head.resource_version;
        if (event.resource_version.empty()) return std::nullopt;
        event.ends_initial = detail::ends_initial_events(head);
        return event;
    }
    auto decoded = detail::decode_unusual(*info_, object, head, pool_.get());
    if (!decoded) return detail::invalid_event(event.type, head, decoded.error());
    event.object = std::move(*decoded);
    event.resource_version = event.object.meta().resource_version;
    return event;
}

}  // namespace kcontrol
