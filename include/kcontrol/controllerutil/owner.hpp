// Owners: references from dependents to the object that they belong to, and removing dependents that nobody wants.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/controllerutil/retry.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

// On any kinds; the typed ones below say more at compile time.

/// Makes `owner` the controller of `dependent`, which is an object of that kind. Idempotent.
///
/// A reference to an owner of the same group, kind and name is replaced, in whatever version it is written, and with
/// whatever uid: that object is there no more. Errors, each invalid_argument and naming both objects: the dependent has
/// another controller; it is in another namespace than its owner, or in none; it is cluster-scoped and its owner is
/// not; the owner has no name or uid, that is, was not read from a server.
KCONTROL_DECL result<void> set_controller_reference(const resource_info& owner_kind, const object_meta& owner,
                                                    const resource_info& dependent_kind, object_meta& dependent);

/// The same for an owner beside others, which keeps the dependent alive but does not manage it. A reference of that
/// owner that says it is the controller is left as it is.
KCONTROL_DECL result<void> set_owner_reference(const resource_info& owner_kind, const object_meta& owner,
                                               const resource_info& dependent_kind, object_meta& dependent);

/// Whether one of the owner references has the owner's uid.
KCONTROL_DECL bool is_owned_by(const object_meta& dependent, const object_meta& owner);
/// Whether the controller has the owner's uid.
KCONTROL_DECL bool is_controlled_by(const object_meta& dependent, const object_meta& owner);

namespace detail {

template <class Owner, class Dependent>
constexpr bool assert_ownable() {
    constexpr bool possible = resource_name(Owner::kcontrol_resource).scope == resource_scope::cluster ||
                              resource_name(Dependent::kcontrol_resource).scope == resource_scope::namespaced;
    static_assert(possible,
                  "kcontrol: a cluster-scoped object can't belong to one in a namespace: the garbage collector would "
                  "delete it. Mark it with a label and clean it up in a finalizer");
    return possible;
}

KCONTROL_DECL awaitable<result<std::vector<namespaced_name>>> prune_dependents(client c,
                                                                               const resource_info& dependent_kind,
                                                                               object_meta owner,
                                                                               std::vector<namespaced_name> wanted,
                                                                               list_options options);

}  // namespace detail

/// Makes `owner` the controller of `dependent`; see above. That a cluster-scoped kind can't belong to a namespaced one
/// is checked at compile time.
template <resource Owner, resource Dependent>
result<void> set_controller_reference(const Owner& owner, Dependent& dependent) {
    if constexpr (detail::assert_ownable<Owner, Dependent>()) {
        return set_controller_reference(resource_of<Owner>(), owner.metadata, resource_of<Dependent>(),
                                        dependent.metadata);
    } else {
        return {};
    }
}

template <resource Owner, resource Dependent>
result<void> set_owner_reference(const Owner& owner, Dependent& dependent) {
    if constexpr (detail::assert_ownable<Owner, Dependent>()) {
        return set_owner_reference(resource_of<Owner>(), owner.metadata, resource_of<Dependent>(), dependent.metadata);
    } else {
        return {};
    }
}

namespace detail {

// Without a name it gets the owner's, without a namespace that of a namespaced owner.
template <resource Owner, resource Dependent>
result<void> adopt(const Owner& owner, Dependent& part) {
    if (part.metadata.name.empty()) part.metadata.name = owner.metadata.name;
    if (part.metadata.namespace_.empty()) part.metadata.namespace_ = owner.metadata.namespace_;
    return set_controller_reference(owner, part);
}

template <resource Dependent>
awaitable<result<Dependent>> apply_part(client c, std::shared_ptr<const Dependent> part, result<void> owned,
                                        apply_options options) {
    if (!owned) co_return owned.error();
    auto applied = co_await c.apply(*part, std::move(options));
    co_return applied;
}

}  // namespace detail

/// Applies `part`, a dependent that `owner` controls, and returns it as it is then. Without a name it gets the owner's,
/// without a namespace that of a namespaced owner. Errors: those of set_controller_reference and client::apply.
template <resource Owner, resource Dependent>
awaitable<result<Dependent>> apply_owned(client c, const Owner& owner, Dependent part, apply_options options) {
    result<void> owned = detail::adopt(owner, part);
    return detail::apply_part<Dependent>(std::move(c), std::make_shared<const Dependent>(std::move(part)),
                                         std::move(owned), std::move(options));
}

namespace detail {

template <resource Dependent>
awaitable<result<bool>> create_part(client c, std::shared_ptr<const Dependent> part, result<void> owned,
                                    write_options options) {
    if (!owned) co_return owned.error();
    const auto made = co_await c.create(*part, std::move(options));
    if (!made && made.error() != api_errc::already_exists) co_return made.error();
    co_return made.has_value();
}

KCONTROL_DECL awaitable<result<void>> delete_this(client c, const resource_info& kind, namespaced_name key,
                                                  delete_options options);

}  // namespace detail

/// Creates `part`, a dependent that `owner` controls; name and namespace as in apply_owned(). False: there is an object
/// of that name already, which may be anybody's, or on its way out: look at it the next time. For what is never changed
/// once it is there, such as pods and Jobs. Errors: those of set_controller_reference and client::create, but for
/// already_exists.
template <resource Owner, resource Dependent>
awaitable<result<bool>> create_owned(client c, const Owner& owner, Dependent part, write_options options) {
    result<void> owned = detail::adopt(owner, part);
    return detail::create_part<Dependent>(std::move(c), std::make_shared<const Dependent>(std::move(part)),
                                          std::move(owned), std::move(options));
}

/// Deletes the object that has this uid, and no other one of its name. That it is gone, or that another one has its
/// name by now, is a success. Errors: those of client::delete_; invalid_argument without a uid.
template <resource T>
awaitable<result<void>> delete_by_uid(client c, namespaced_name key, std::string uid, delete_options options) {
    options.precondition_uid(std::move(uid)).ignore_not_found();
    return detail::delete_this(std::move(c), resource_of<T>(), std::move(key), std::move(options));
}

/// Deletes the objects of kind Dependent that `owner` controls and that are not `wanted`, and returns their keys. They
/// are listed at the server, so that no cache hides one: a label selector in the options keeps that list short. Each is
/// deleted as it was listed: if somebody has changed it meanwhile, the call ends with a conflict, and the next one
/// looks again. What is being deleted already, or is gone, counts for nothing.
///
/// Name the vector before the co_await (docs/testing.md).
template <resource Dependent, resource Owner>
awaitable<result<std::vector<namespaced_name>>> prune(client c, const Owner& owner, std::vector<namespaced_name> wanted,
                                                      list_options options = {}) {
    return detail::prune_dependents(std::move(c), resource_of<Dependent>(), owner.metadata, std::move(wanted),
                                    std::move(options));
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/owner.ipp>
#endif
