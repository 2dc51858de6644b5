// What is below an object and has a kind of its own: the Scale of a Deployment, the Eviction of a Pod.
#pragma once

#include <kcontrol/client/client.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// The verbs on one subresource of the objects of one kind; made by client::subresource().
///
///     auto scales = c.subresource<api::apps::v1::deployment>("scale");
///     auto now = co_await scales.get<api::autoscaling::v1::scale>(key);
///
/// S is the kind of what goes over the wire, the key is that of the object above. Of what is sent, metadata.name and
/// .namespace are filled in; others than the key's are refused with invalid_argument. Reads ask the server always, and
/// caches are not told of writes: get the object above at_least() that version where that matters. The options' own
/// subresource() counts for nothing here.
///
/// Errors, thread-safety and lifetime: those of client.
class subresource_client {
public:
    /// What client::subresource() gives. `info` is of the objects above, and outlives it.
    KCONTROL_DECL subresource_client(client above, const resource_info& info, std::string name);

    /// GET. Errors, besides: not_found, of the object above or of such a subresource of it.
    template <resource S>
    awaitable<result<S>> get(namespaced_name key, get_options options = {}) {
        return detail::as_typed<S>(get(resource_of<S>(), std::move(key), std::move(options)));
    }
    /// POST, as an Eviction, a Binding or a TokenRequest want it. Where the server answers with a Status, which it does
    /// to the first two, the outcome is what was sent.
    template <resource S>
    awaitable<result<S>> create(namespaced_name key, const S& body, write_options options = {}) {
        return detail::as_typed<S>(create(resource_of<S>(), std::move(key), detail::boxed(body), std::move(options)));
    }
    /// A non-empty metadata.resource_version is a precondition.
    template <resource S>
    awaitable<result<S>> update(namespaced_name key, const S& body, write_options options = {}) {
        assert_replaceable<S>();
        return detail::as_typed<S>(update(resource_of<S>(), std::move(key), detail::boxed(body), std::move(options)));
    }
    /// What differs, as client::patch() has it.
    template <resource S>
    awaitable<result<S>> patch(const S& snapshot, const S& edited, write_options options = {}) {
        auto change = patch_between(snapshot, edited);
        if (!change) return make_ready(result<S>(change.error()));
        if (change->empty()) return make_ready(result<S>(edited));
        return detail::as_typed<S>(patch(resource_of<S>(), key_of(snapshot.metadata), std::move(change->content_type),
                                         std::move(change->text), std::move(options)));
    }
    /// Sends a text as it is; `content_type` is one that client::patch() takes.
    template <resource S>
    awaitable<result<S>> patch(namespaced_name key, std::string content_type, std::string patch_text,
                               write_options options = {}) {
        return detail::as_typed<S>(patch(resource_of<S>(), std::move(key), std::move(content_type),
                                         std::move(patch_text), std::move(options)));
    }

    // The same on any kind, given at run time. `kind` is that of the body, whose plural counts for nothing; it and the
    // kind of the object above outlive the call.
    /// The object is of the C++ type that `kind` decodes to.
    KCONTROL_DECL awaitable<result<any_object>> get(const resource_info& kind, namespaced_name key,
                                                    get_options options);
    /// POST. Where the server answers with a Status of success, the outcome is `body`.
    KCONTROL_DECL awaitable<result<any_object>> create(const resource_info& kind, namespaced_name key, any_object body,
                                                       write_options options);
    /// PUT. A non-empty metadata.resource_version is a precondition.
    KCONTROL_DECL awaitable<result<any_object>> update(const resource_info& kind, namespaced_name key, any_object body,
                                                       write_options options);
    /// PATCH with a text as it is; `content_type` is one that client::patch() takes.
    KCONTROL_DECL awaitable<result<any_object>> patch(const resource_info& kind, namespaced_name key,
                                                      std::string content_type, std::string patch_text,
                                                      write_options options);

private:
    KCONTROL_DECL awaitable<result<any_object>> write(const char* method, const resource_info& kind,
                                                      namespaced_name key, any_object body, write_options options);
    // The path of the subresource, the key put into the client's namespace.
    KCONTROL_DECL result<std::string> path_of(namespaced_name& key) const;

    client client_;
    const resource_info* info_;
    std::string name_;
};

template <resource T>
subresource_client client::subresource(std::string name) const {
    return subresource(resource_of<T>(), std::move(name));
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/subresource.ipp>
#endif
