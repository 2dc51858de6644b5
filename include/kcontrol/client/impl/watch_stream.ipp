#pragma once

#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/decode_or_skip.hpp>
#include <kcontrol/client/detail/plain_event.hpp>
#include <kcontrol/client/watch_stream.hpp>

#include <span>

namespace kcontrol {
namespace detail {

// What is left of an object that does not decode; empty if not even its metadata does.
inline any_object decode_metadata_only(const resource_info& info, json::lazy_node object) {
    if (!object.is_object() || !object["metadata"].is_object()) return {};
    const std::string text = "{\"metadata\":" + std::string(object["metadata"].raw()) + "}";
    json::lazy_document document;
    const auto root = document.scan(text);
    if (!root) return {};
    auto decoded = info.decode(*root);
    return decoded ? std::move(*decoded) : any_object();
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
    // Nearly all of them; what is left is written in another way, of another type, or wrong.
    if (auto plain = detail::read_plain_event(frame, *info_, pool_.get())) return plain;
    const auto root = document_.scan(frame);
    if (!root) return root.error().with_context("watch event");
    if (!root->is_object()) return error(errc::decode_failed, "watch event: not a JSON object");
    const auto name = detail::answer_text((*root)["type"]);
    const json::lazy_node object = (*root)["object"];
    if (auto fault = root->take_fault()) return fault->with_context("watch event");
    const auto type = detail::watch_event_type_from(name);
    if (!type) {
        // Servers may learn new types (apimachinery says: ignore them).
        log_.warning("a watch event of an unknown type is passed over",
                     {{"kind", info_->gvk.kind}, {"type", detail::server_text(name, 64)}});
        return std::optional<watch_event>();
    }
    watch_event event(*type);
    if (*type == watch_event_type::error) {
        if (!object.is_object()) return error(errc::decode_failed, "watch event ERROR: without a Status");
        json::document document;
        const auto status = document.parse(object.raw());
        if (!status) return status.error().with_context("watch event");
        event.failure = detail::status_error(*status, 500);
        return std::optional<watch_event>(std::move(event));
    }
    if (object.is_object() && object["metadata"].is_object()) {
        event.resource_version = detail::answer_text(object["metadata"]["resourceVersion"]);
    }
    if (*type == watch_event_type::bookmark) {
        if (event.resource_version.empty()) return std::optional<watch_event>();
        return std::optional<watch_event>(std::move(event));
    }
    event.object = detail::decode_or_skip(*info_, object, pool_.get(), log_, skipped_);
    if (event.object) return std::optional<watch_event>(std::move(event));
    if (*type == watch_event_type::added) return std::optional<watch_event>();
    // What was known of the object is no longer true. A list would leave it out, so here it goes as well.
    event.type = watch_event_type::deleted;
    event.object = detail::decode_metadata_only(*info_, object);
    if (!event.object) return std::optional<watch_event>();
    return std::optional<watch_event>(std::move(event));
}

}  // namespace kcontrol
