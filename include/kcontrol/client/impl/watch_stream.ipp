#pragma once

#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/decode_or_skip.hpp>
#include <kcontrol/client/detail/read_event.hpp>
#include <kcontrol/client/watch_stream.hpp>
#include <kcontrol/codec/share_pool.hpp>

#include <span>

namespace kcontrol {
namespace detail {

// What is left of an object that does not decode; empty if not even its metadata does.
inline any_object decode_metadata_only(const resource_info& info, const object_head& head) {
    if (head.metadata.empty()) return {};
    auto decoded = info.decode_text("{\"metadata\":" + std::string(head.metadata) + "}");
    return decoded ? std::move(*decoded) : any_object();
}

inline result<watch_event> error_event(std::string_view object) {
    if (!object.starts_with('{')) return error(errc::decode_failed, "watch event ERROR: without a Status");
    json::document document;
    const auto status = document.parse(object);
    if (!status) return status.error().with_context("watch event");
    watch_event event(watch_event_type::error);
    event.failure = status_error(*status, 500);
    return event;
}

}  // namespace detail

KCONTROL_DECL watch_stream::watch_stream(const resource_info& info, std::unique_ptr<http::body_stream> body,
                                         duration idle, std::shared_ptr<share_pool> pool, logger log)
    : info_(&info),
      body_(std::move(body)),
      chunk_(std::size_t{16} << 10),
      idle_(idle),
      pool_(pool != nullptr ? std::move(pool) : std::make_shared<share_pool>()),
      log_(std::move(log)) {}

KCONTROL_DECL awaitable<result<watch_event>> watch_stream::next(std::stop_token stop) {
    for (;;) {
        if (stop.stop_requested()) co_return error(errc::stopped);
        auto frame = framer_.next();
        if (frame && frame->empty()) {
            if (ended_) co_return watch_event(watch_event_type::end);
            const std::span<char> into(chunk_);
            const auto count = co_await body_->read_some(into, idle_, stop);
            if (!count) co_return count.error();
            if (*count > 0) {
                framer_.feed(std::string_view(chunk_.data(), *count));
                continue;
            }
            ended_ = true;
            frame = framer_.finish();
        }
        if (!frame) co_return frame.error();
        if (frame->empty()) continue;
        auto event = interpret(*frame);
        if (!event) co_return event.error();
        if (*event) co_return std::move(**event);
    }
}

KCONTROL_DECL result<std::optional<watch_event>> watch_stream::interpret(std::string_view frame) {
    detail::event_reader reader(frame, *info_, pool_.get());
    if (!reader.read()) {
        if (const auto fault = json::find_fault(frame)) return fault->with_context("watch event");
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
    auto head = detail::read_head(object);
    event.resource_version = std::move(head.resource_version);
    if (event.type == watch_event_type::bookmark) {
        if (event.resource_version.empty()) return std::nullopt;
        return event;
    }
    event.object = detail::decode_or_skip(*info_, object, pool_.get(), log_, skipped_);
    if (event.object) return event;
    if (event.type == watch_event_type::added) return std::nullopt;
    // What was known of the object is no longer true. A list would leave it out, so here it goes as well.
    event.type = watch_event_type::deleted;
    event.object = detail::decode_metadata_only(*info_, head);
    if (!event.object) return std::nullopt;
    return event;
}

}  // namespace kcontrol
