#pragma once

#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/decode_object.hpp>
#include <kcontrol/client/detail/read_event.hpp>
#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/codec/protobuf_stream.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

/// Any object as its metadata, which is field 1 of every kind.
inline const protobuf_kind_codec& protobuf_metadata() {
    static const resource_info info = metadata_resource({"", "v1", "PartialObjectMetadata"}, "");
    static const protobuf_kind_codec codec(info, api::protobuf_partial_object());
    return codec;
}

inline invalid_object invalid_protobuf(std::string_view message, error why) {
    const auto head = protobuf_metadata().decode(message);
    return {head ? head->meta() : object_meta(), std::move(why)};
}

/// The JSON of a Status in its envelope.
inline std::optional<std::string> protobuf_status_json(std::string_view body) {
    const auto envelope = open_protobuf(body);
    if (!envelope || envelope->kind != "Status") return std::nullopt;
    auto text = protobuf_to_json(api::protobuf_status(), envelope->message, "v1", "Status");
    if (!text) return std::nullopt;
    return std::move(*text);
}

inline error protobuf_status_error(std::string_view body, int http_status) {
    const auto text = protobuf_status_json(body);
    if (!text) return error(errc::decode_failed, "a Status that can't be read");
    json::document document;
    const auto root = document.parse(*text);
    if (!root) return root.error();
    return status_error(*root, http_status);
}

/// A kind and what reads its messages; shared by all that reads them.
class protobuf_reading {
public:
    protobuf_reading(const resource_info& i, const protobuf_message& message) : info(i), codec(i, message) {}

    /// An object in its envelope. Errors: decode_failed, also for one of another kind, whose numbers mean something
    /// else.
    result<any_object> decode(const protobuf_envelope& envelope, share_pool* pool) const {
        if (is_other_kind(envelope.kind, info)) return other_kind(envelope.kind, info);
        const bool other_version = !envelope.api_version.empty() && envelope.api_version != info.gvk.api_version();
        if (other_version && !info.metadata_only) {
            return error(errc::decode_failed, "apiVersion: expected " + info.gvk.api_version() + ", got \"" +
                                                  server_text(envelope.api_version, 64) + "\"");
        }
        return decode_message(envelope.message, pool);
    }
    /// The same of an item of a list. Who reads into a type of the program's own may throw.
    result<any_object> decode_message(std::string_view message, share_pool* pool) const {
        return guard_decode(info, [&] { return codec.decode(message, pool); });
    }

    const resource_info& info;
    protobuf_kind_codec codec;
};

class protobuf_list_decoder final : public list_decoder {
public:
    protobuf_list_decoder(std::shared_ptr<const protobuf_reading> of, share_pool& pool,
                          list_options::reuse_function reuse)
        : of_(std::move(of)), pool_(pool), reuse_(std::move(reuse)) {}

    std::span<char> room() override {
        constexpr std::size_t least = std::size_t{16} << 10, usual = std::size_t{64} << 10;
        const auto free = in_.room(least);
        return free.size() > usual ? free.first(usual) : free;
    }

    result<void> filled(std::size_t count) override {
        in_.filled(count);
        list_.bytes += count;
        for (;;) {
            const auto item = in_.next();
            if (!item && item.error() != errc::too_large) return item.error().with_context("the server's answer");
            if (!item) {
                list_.invalid.emplace_back(object_meta(), item.error());
                continue;
            }
            if (!*item) return {};
            if (auto ok = check_kind(); !ok) return ok;
            keep(**item);
        }
    }

    result<any_list> finish() override {
        if (auto ended = in_.finish(); !ended) return ended.error().with_context("the server's answer");
        if (auto ok = check_kind(); !ok) return ok.error();
        list_.resource_version = in_.resource_version();
        list_.continue_token = in_.continue_token();
        const auto remaining = in_.remaining_item_count();
        if (remaining && *remaining >= 0) list_.remaining = remaining;
        return std::move(list_);
    }

    std::size_t held() const noexcept override { return list_.items.size() + list_.invalid.size(); }

private:
    // What is said before the items. The numbers of another kind's fields mean something else.
    result<void> check_kind() {
        if (checked_) return {};
        checked_ = true;
        const std::string& kind = in_.kind();
        const bool right = kind == of_->info.gvk.kind + "List" || (of_->info.metadata_only && kind.ends_with("List"));
        if (right) return {};
        return error(errc::decode_failed, "the server's answer is not a list of " + of_->info.gvk.kind +
                                              ": it is a \"" + server_text(kind, 64) + "\"");
    }

    void keep(std::string_view message) {
        auto object = of_->decode_message(message, &pool_);
        if (!object) {
            list_.invalid.push_back(invalid_protobuf(message, object.error()));
            return;
        }
        any_object other = reuse_ ? reuse_(*object, in_.resource_version()) : any_object();
        list_.items.push_back(other ? std::move(other) : std::move(*object));
    }

    std::shared_ptr<const protobuf_reading> of_;
    share_pool& pool_;
    list_options::reuse_function reuse_;
    protobuf_list_reader in_;
    any_list list_;
    bool checked_ = false;
};

class protobuf_watch_decoder final : public watch_decoder {
public:
    protobuf_watch_decoder(std::shared_ptr<const protobuf_reading> of, std::shared_ptr<share_pool> pool, logger log)
        : of_(std::move(of)), pool_(std::move(pool)), log_(std::move(log)) {}

    void feed(std::string_view bytes) override { in_.feed(bytes); }

    result<std::optional<watch_event>> next() override {
        for (;;) {
            const auto frame = in_.next();
            if (!frame) return frame.error().with_context("watch event");
            if (!*frame) return std::optional<watch_event>();
            const auto type = watch_event_type_from((*frame)->type);
            if (!type) {
                // Servers may learn new types (apimachinery says: ignore them).
                log_.warning("a watch event of an unknown type is passed over",
                             {{"kind", of_->info.gvk.kind}, {"type", server_text((*frame)->type, 64)}});
                continue;
            }
            if (*type == watch_event_type::error) return failed((*frame)->object);
            const auto envelope = open_protobuf((*frame)->object);
            if (!envelope) return envelope.error().with_context("watch event");
            if (*type != watch_event_type::bookmark) return event_of(*type, *envelope);
            if (auto event = bookmark_of(*envelope)) return event;
        }
    }

    result<void> finish() const override { return in_.finish(); }

private:
    static result<std::optional<watch_event>> failed(std::string_view object) {
        watch_event event(watch_event_type::error);
        event.failure = protobuf_status_error(object, 500);
        if (event.failure == errc::decode_failed) return event.failure.with_context("watch event ERROR");
        return std::optional<watch_event>(std::move(event));
    }

    std::optional<watch_event> event_of(watch_event_type type, const protobuf_envelope& envelope) const {
        watch_event event(type);
        auto object = of_->decode(envelope, pool_.get());
        if (object) {
            event.object = std::move(*object);
            event.resource_version = event.object.meta().resource_version;
        } else {
            auto invalid = invalid_protobuf(envelope.message, object.error());
            event.resource_version = invalid.metadata.resource_version;
            event.invalid = std::make_shared<const invalid_object>(std::move(invalid));
        }
        return event;
    }

    // One without a version says nothing.
    static std::optional<watch_event> bookmark_of(const protobuf_envelope& envelope) {
        const auto head = protobuf_metadata().decode(envelope.message);
        if (!head || head->meta().resource_version.empty()) return std::nullopt;
        watch_event event(watch_event_type::bookmark);
        event.resource_version = head->meta().resource_version;
        const text* const value = head->meta().annotations.get("k8s.io/initial-events-end");
        event.ends_initial = value != nullptr && *value == "true";
        return event;
    }

    std::shared_ptr<const protobuf_reading> of_;
    std::shared_ptr<share_pool> pool_;
    logger log_;
    protobuf_watch_reader in_;
};

class protobuf_kind_encoding final : public kind_encoding {
public:
    explicit protobuf_kind_encoding(std::shared_ptr<const protobuf_reading> of) : of_(std::move(of)) {}

    result<any_object> decode(std::string_view body) const override {
        const auto envelope = open_protobuf(body);
        if (!envelope) return envelope.error().with_context("the server's answer");
        if (envelope->kind == "Status") return protobuf_status_error(body, 500);
        auto object = of_->decode(*envelope, nullptr);
        if (!object) return object.error().with_context("the server's answer");
        return object;
    }
    std::unique_ptr<list_decoder> decode_list(share_pool& pool, list_options::reuse_function reuse) const override {
        return std::make_unique<protobuf_list_decoder>(of_, pool, std::move(reuse));
    }
    std::unique_ptr<watch_decoder> decode_watch(std::shared_ptr<share_pool> pool, logger log) const override {
        return std::make_unique<protobuf_watch_decoder>(of_, std::move(pool), std::move(log));
    }
    result<std::string> encode(const any_object& object, const object_meta& metadata) const override {
        return of_->codec.encode(object, metadata);
    }

private:
    std::shared_ptr<const protobuf_reading> of_;
};

class builtin_protobuf final : public object_encoding {
public:
    explicit builtin_protobuf(std::span<const protobuf_kind> more) : more_(more) {}

    std::string_view media_type() const noexcept override { return protobuf_media_type; }

    std::shared_ptr<const kind_encoding> of(const resource_info& info) const override {
        const protobuf_message* const message = message_of(info);
        if (message == nullptr) return nullptr;
        auto reading = std::make_shared<const protobuf_reading>(info, *message);
        if (!reading->codec.is_whole()) return nullptr;
        return std::make_shared<const protobuf_kind_encoding>(std::move(reading));
    }

    std::optional<std::string> status_json(std::string_view body) const override { return protobuf_status_json(body); }

private:
    const protobuf_message* message_of(const resource_info& info) const {
        if (info.metadata_only) {
            // Several readers of one watch are no metadata_object.
            const bool usual = info.decodes_same_as(metadata_resource(info.gvk, info.plural, info.scope));
            return usual ? &api::protobuf_partial_object() : nullptr;
        }
        if (info.type == nullptr) return nullptr;
        for (const auto& each : more_) {
            const bool found =
                each.kind == info.gvk.kind && each.group == info.gvk.group && each.version == info.gvk.version;
            if (found) return each.message;
        }
        return api::find_protobuf(info.gvk.group, info.gvk.version, info.gvk.kind);
    }

    std::span<const protobuf_kind> more_;
};

}  // namespace detail

KCONTROL_DECL std::shared_ptr<const object_encoding> protobuf_encoding(std::span<const protobuf_kind> more) {
    return std::make_shared<const detail::builtin_protobuf>(more);
}

}  // namespace kcontrol
