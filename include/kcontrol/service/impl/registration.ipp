#pragma once

#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/service/impl/registration_impl.hpp>

#include <algorithm>
#include <array>

namespace kcontrol::inline v0_1::service {
namespace detail {

inline error refuse_object(const std::string& why) {
    return error(errc::invalid_argument, "the object to register: " + why);
}

// What the server sets, or what would name one version of the object.
inline constexpr std::array<std::string_view, 3> not_registered = {"managedFields", "resourceVersion", "uid"};
// Of an object of a C++ type: what people write of its metadata.
inline constexpr std::array<std::string_view, 6> written_metadata = {"name",        "namespace",       "labels",
                                                                     "annotations", "ownerReferences", "finalizers"};

inline result<json::value> parse_encoded(const resource_info& info, const any_object& object) {
    const auto text = info.encode(object);
    if (!text) return text.error();
    auto parsed = json::parse(*text);
    json::object* const whole = parsed ? parsed->if_object() : nullptr;
    json::value* const metadata = whole != nullptr ? whole->if_contains("metadata") : nullptr;
    if (metadata == nullptr || !metadata->is_object()) return parsed;
    json::object kept;
    for (const auto& member : metadata->get_object()) {
        const std::string_view name = member.key();
        if (std::find(written_metadata.begin(), written_metadata.end(), name) != written_metadata.end())
            kept[name] = member.value();
    }
    *metadata = std::move(kept);
    return parsed;
}

}  // namespace detail

inline registration::impl::impl(environment& e, executor x, client c, registration_options o, logger l)
    : env(e), cl(c.live()), options(std::move(o)), log(std::move(l)), tasks(e, std::move(x), log) {}

inline result<void> registration::impl::read(result<json::value> parsed) {
    if (!parsed) return parsed.error().with_context("the object to register");
    if (!parsed->is_object()) return detail::refuse_object("it is not a JSON object");
    return read_object(parsed->get_object());
}

inline result<void> registration::impl::read_object(const json::object& whole) {
    const json::value as_value = whole;
    const std::string api_version(json::get_string(as_value, {"apiVersion"}));
    gvk.kind = json::get_string(as_value, {"kind"});
    key.name = json::get_string(as_value, {"metadata", "name"});
    key.namespace_ = json::get_string(as_value, {"metadata", "namespace"});
    if (api_version.empty() || gvk.kind.empty() || key.name.empty()) {
        return detail::refuse_object(std::string(api_version.empty() ? "apiVersion"
                                                 : gvk.kind.empty()  ? "kind"
                                                                     : "metadata.name") +
                                     " is missing: name it, as text");
    }
    for (const std::string_view name : detail::not_registered) {
        if (json::find(as_value, {"metadata", name}) == nullptr) continue;
        return detail::refuse_object("metadata." + std::string(name) + " can't be applied: leave it out");
    }
    const auto slash = api_version.find('/');
    gvk.group = slash == std::string::npos ? "" : api_version.substr(0, slash);
    gvk.version = slash == std::string::npos ? api_version : api_version.substr(slash + 1);
    object = whole;
    return {};
}

inline result<void> registration::impl::start(std::stop_token parent) {
    if (!usable) return usable;
    const auto before = present;
    if (before && !before->ended && !before->lifetime.stopped()) return {};
    detail::registration_settings settings;
    settings.resolved = kind.has_value();
    settings.owned = options.owned();
    settings.remove = options.delete_at_end();
    present = std::make_shared<turn>(std::move(parent), settings);
    tasks.spawn(run(shared_from_this(), present, before));
    return {};
}

KCONTROL_DECL registration::registration(environment& env, executor ex, client cl, std::string object_json,
                                         registration_options options, logger log)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(cl), std::move(options), std::move(log))) {
    impl_->usable = impl_->read(json::parse(object_json));
}

KCONTROL_DECL registration::registration(environment& env, executor ex, client cl, const resource_info& info,
                                         any_object object, registration_options options, logger log)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(cl), std::move(options), std::move(log))) {
    impl_->usable = impl_->read(detail::parse_encoded(info, object));
    impl_->kind.emplace(metadata_resource(info.gvk, info.plural, info.scope));
}

KCONTROL_DECL registration::~registration() {
    impl_->gone = true;
    if (const auto mine = impl_->present) {
        mine->lifetime.stop();
        mine->watching.stop();
    }
    impl_->changed.notify_all();
    impl_->finished.notify_all();
}

KCONTROL_DECL result<void> registration::start(std::stop_token parent) { return impl_->start(std::move(parent)); }

KCONTROL_DECL awaitable<result<void>> registration::stop(duration limit) {
    const auto self = impl_;
    const auto mine = self->present;
    if (!mine) co_return result<void>();
    mine->limit = limit;
    mine->lifetime.stop();
    self->changed.notify_all();
    while (!mine->ended) co_await self->finished.wait(self->env, {});
    if (mine->machine.failure()) co_return *mine->machine.failure();
    co_return result<void>();
}

KCONTROL_DECL awaitable<result<void>> registration::wait_applied(std::stop_token stop) {
    const auto self = impl_;
    for (;;) {
        const auto mine = self->present;
        if (!mine || self->gone || mine->lifetime.stopped()) co_return error(errc::stopped, "it is not registered");
        if (mine->machine.applied()) co_return result<void>();
        if (mine->machine.is_final() && mine->machine.failure()) co_return *mine->machine.failure();
        const wake why = co_await self->finished.wait(self->env, stop);
        if (why == wake::stopped) co_return error(errc::stopped);
    }
}

KCONTROL_DECL registration_status registration::status() const {
    registration_status out;
    if (!impl_->present) return out;
    const detail::registration_machine& machine = impl_->present->machine;
    out.applied = machine.applied();
    if (machine.failure()) out.failure = *machine.failure();
    out.applies = machine.applies();
    out.uid = machine.uid();
    out.owner = machine.owner().name;
    return out;
}

}  // namespace kcontrol::service

#include <kcontrol/service/impl/registration_run.ipp>
