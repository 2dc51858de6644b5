// Finalizers: an object stays until what belongs to it outside of the cluster has been cleaned up.
#pragma once

#include <kcontrol/controllerutil/detail/edit.hpp>
#include <kcontrol/runtime/make_ready.hpp>

#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL bool has_finalizer(const object_meta& meta, std::string_view name);
/// Whether that changed anything.
KCONTROL_DECL bool add_finalizer(object_meta& meta, std::string_view name);
/// Whether that changed anything.
KCONTROL_DECL bool remove_finalizer(object_meta& meta, std::string_view name);

/// Whether somebody has deleted the object, and it waits for its finalizers.
inline bool is_being_deleted(const object_meta& meta) { return meta.deletion_timestamp.present(); }

namespace detail {

/// Errors: invalid_argument for a name that the server refuses: `example.com/cleanup` is one that it takes.
KCONTROL_DECL result<void> check_finalizer(std::string_view name);

template <resource T, class Cleanup>
awaitable<result<void>> run_finalizer(client c, std::shared_ptr<const T> object, std::string name, Cleanup cleanup,
                                      std::stop_token stop) {
    if (!has_finalizer(object->metadata, name)) co_return result<void>();
    auto cleaned = co_await cleanup(*object);
    if (!cleaned) co_return name_error<T>(cleaned.error(), object->metadata);
    const auto edit = [&name](T& edited) { remove_finalizer(edited.metadata, name); };
    write_options options;
    options.stop(stop);
    auto removed = co_await edit_object<T>(c, object, edit, options, retry_policy());
    if (removed || removed.error() == condition::not_found) co_return result<void>();
    co_return removed.error();
}

}  // namespace detail

/// Sees to it that the object has the finalizer, and returns the object as it is then. Sends nothing if it has. Call it
/// before anything is made that needs cleaning up.
///
/// `object` may be old, as one from a cache is: after a conflict it is read again. Errors: invalid_argument for a name
/// that no finalizer can have, and for an object that is being deleted, to which none can be added any more; not_found
/// if the object is gone.
template <resource T>
awaitable<result<T>> ensure_finalizer(client c, const T& object, std::string name, std::stop_token stop) {
    if (auto ok = detail::check_finalizer(name); !ok) {
        return make_ready<result<T>>(detail::name_error<T>(ok.error(), object.metadata));
    }
    auto edit = [name](T& edited) -> result<void> {
        if (has_finalizer(edited.metadata, name)) return {};
        if (is_being_deleted(edited.metadata)) {
            return error(errc::invalid_argument, "finalizer \"" + name +
                                                     "\" can't be added: the object is being deleted; look at "
                                                     "is_being_deleted() first");
        }
        add_finalizer(edited.metadata, name);
        return {};
    };
    write_options options;
    options.stop(std::move(stop));
    return detail::edit_object<T>(std::move(c), std::make_shared<const T>(object), std::move(edit), std::move(options),
                                  retry_policy());
}

/// Of an object that is being deleted: calls `cleanup(const T&)`, which returns awaitable<result<void>>, and then
/// removes the finalizer, so that the object can go. If the clean-up fails, the finalizer stays and the error is
/// returned; the next reconcile calls it again, so cleaning up what is clean already is a success.
///
/// Does nothing if the finalizer is not there. That the object is gone when the finalizer is to be removed is a
/// success. Errors: invalid_argument for an object that nobody has deleted.
template <resource T, class Cleanup>
awaitable<result<void>> finalize(client c, const T& object, std::string name, Cleanup cleanup, std::stop_token stop) {
    if (!is_being_deleted(object.metadata)) {
        const error why(errc::invalid_argument, "finalizer \"" + name +
                                                    "\": nobody has deleted the object; look at is_being_deleted() "
                                                    "first");
        return make_ready<result<void>>(detail::name_error<T>(why, object.metadata));
    }
    return detail::run_finalizer<T>(std::move(c), std::make_shared<const T>(object), std::move(name),
                                    std::move(cleanup), std::move(stop));
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/finalizers.ipp>
#endif
