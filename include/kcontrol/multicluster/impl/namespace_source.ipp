#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/multicluster/detail/object_source.hpp>
#include <kcontrol/multicluster/namespace_source.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

// A Namespace of which nothing but its metadata counts.
struct namespace_object {
    static constexpr resource_name kcontrol_resource{"", "v1", "Namespace", "namespaces", resource_scope::cluster};
    object_meta metadata;
    static constexpr auto kcontrol_fields() { return fields(); }
};

}  // namespace detail

struct namespace_source::impl final : detail::object_source {
    impl(environment& e, executor x, auth::cluster_config h, http::transport_factory t, namespace_source_options o)
        : object_source(e, std::move(x), h, std::move(t), "namespace_source", "namespaces", o.log()),
          home(std::move(h)),
          options(std::move(o)) {}

    void take(const any_event& event) override {
        const object_meta& meta = event.object().meta();
        const std::string name(meta.name);
        if (event.type == event_type::deleted) return remove(name);
        auth::cluster_config config = home;
        config.default_namespace(name);
        put(name, std::move(config), meta);
        find(name)->namespaces = {name};
    }

    auth::cluster_config home;
    namespace_source_options options;
};

KCONTROL_DECL namespace_source::namespace_source(environment& env, executor ex, auth::cluster_config home,
                                                 http::transport_factory transport, namespace_source_options options)
    : impl_(std::make_shared<impl>(env, std::move(ex), std::move(home), std::move(transport), std::move(options))) {}

KCONTROL_DECL namespace_source::~namespace_source() { stop(); }

KCONTROL_DECL result<void> namespace_source::start(std::function<void(std::vector<desired_cluster>)> on_change) {
    informer_options settings;
    settings.label_selector(impl_->options.selector());
    return impl_->start(resource_of<detail::namespace_object>(), std::move(settings), std::move(on_change));
}

KCONTROL_DECL void namespace_source::stop() { impl_->stop(); }

}  // namespace kcontrol
