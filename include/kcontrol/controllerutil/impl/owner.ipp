#pragma once

#include <kcontrol/controllerutil/owner.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

inline std::string_view group_of_api_version(std::string_view api_version) {
    const auto slash = api_version.find('/');
    return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

inline bool refers_to_owner(const owner_reference& reference, const resource_info& kind, const object_meta& owner) {
    return group_of_api_version(reference.api_version) == kind.gvk.group && reference.kind == kind.gvk.kind &&
           reference.name == owner.name;
}

inline error refuse_owner(const resource_info& owner_kind, const object_meta& owner,
                          const resource_info& dependent_kind, const object_meta& dependent, const std::string& why) {
    return error(errc::invalid_argument, dependent_kind.gvk.kind + " " + to_string(key_of(dependent)) +
                                             " can't belong to " + owner_kind.gvk.kind + " " +
                                             to_string(key_of(owner)) + ": " + why);
}

inline result<void> check_owner(const resource_info& owner_kind, const object_meta& owner,
                                const resource_info& dependent_kind, const object_meta& dependent) {
    const auto refuse = [&](const std::string& why) {
        return refuse_owner(owner_kind, owner, dependent_kind, dependent, why);
    };
    if (owner.name.empty() || owner.uid.empty()) {
        return refuse("the owner has no metadata.name or metadata.uid; take the object that a server returned");
    }
    if (!owner_kind.namespaced()) return {};
    if (!dependent_kind.namespaced()) {
        return refuse(
            "it is cluster-scoped and its owner is not; mark it with a label and clean it up in a "
            "finalizer");
    }
    if (dependent.namespace_ == owner.namespace_) return {};
    if (dependent.namespace_.empty()) return refuse("it has no metadata.namespace; set it to that of the owner");
    return refuse("it is in another namespace; owners and dependents are in the same one");
}

inline owner_reference* find_owner(object_meta& dependent, const resource_info& owner_kind, const object_meta& owner) {
    for (auto& reference : dependent.owner_references) {
        if (refers_to_owner(reference, owner_kind, owner)) return &reference;
    }
    return nullptr;
}

inline void refer_to(object_meta& dependent, const resource_info& owner_kind, const object_meta& owner,
                     bool as_controller) {
    owner_reference* found = find_owner(dependent, owner_kind, owner);
    if (found == nullptr) found = &dependent.owner_references.emplace_back();
    found->api_version = owner_kind.gvk.api_version();
    found->kind = owner_kind.gvk.kind;
    found->name = owner.name;
    found->uid = owner.uid;
    if (!as_controller) return;
    found->controller = true;
    found->block_owner_deletion = true;
}

KCONTROL_DECL awaitable<result<void>> delete_this(client c, const resource_info& kind, namespaced_name key,
                                                  delete_options options) {
    if (options.precondition_uid().empty()) {
        co_return error(errc::invalid_argument, "delete_by_uid: " + kind.gvk.kind + " " + to_string(key) +
                                                    " without a uid; take that of the object that a server returned");
    }
    auto gone = co_await c.delete_(kind, key, std::move(options));
    if (!gone && gone.error() == condition::conflict) co_return result<void>();
    co_return gone;
}

inline bool is_wanted(const std::vector<namespaced_name>& wanted, const object_meta& meta) {
    return std::find(wanted.begin(), wanted.end(), key_of(meta)) != wanted.end();
}

KCONTROL_DECL awaitable<result<std::vector<namespaced_name>>> prune_dependents(client c,
                                                                               const resource_info& dependent_kind,
                                                                               object_meta owner,
                                                                               std::vector<namespaced_name> wanted,
                                                                               list_options options) {
    if (owner.uid.empty()) {
        co_return error(errc::invalid_argument,
                        "prune: the owner has no metadata.uid; take the object that a server returned");
    }
    if (dependent_kind.namespaced() && !owner.namespace_.empty()) options.in_namespace(owner.namespace_);
    auto listed = co_await c.live().list_page(dependent_kind, options);
    if (!listed) co_return listed.error();
    std::vector<namespaced_name> removed;
    for (const any_object& item : listed->items) {
        const object_meta& meta = item.meta();
        if (meta.deletion_timestamp.present() || !is_controlled_by(meta, owner) || is_wanted(wanted, meta)) continue;
        delete_options how;
        how.precondition_uid(meta.uid).precondition_resource_version(meta.resource_version);
        how.propagation_policy(propagation::background).stop(options.stop()).deadline(options.deadline());
        auto gone = co_await c.delete_(dependent_kind, item.key(), how);
        if (gone) {
            removed.push_back(item.key());
        } else if (gone.error() != condition::not_found) {
            co_return gone.error().with_context("prune: " + dependent_kind.gvk.kind + " " + to_string(item.key()));
        }
    }
    co_return removed;
}

}  // namespace detail

KCONTROL_DECL result<void> set_controller_reference(const resource_info& owner_kind, const object_meta& owner,
                                                    const resource_info& dependent_kind, object_meta& dependent) {
    if (auto ok = detail::check_owner(owner_kind, owner, dependent_kind, dependent); !ok) return ok;
    const owner_reference* present = controller_of(dependent);
    if (present != nullptr && !detail::refers_to_owner(*present, owner_kind, owner)) {
        return detail::refuse_owner(owner_kind, owner, dependent_kind, dependent,
                                    "it has a controller already, " + present->kind.str() + " " + present->name.str() +
                                        ", and an object has one; choose another name, or let that one go first");
    }
    detail::refer_to(dependent, owner_kind, owner, true);
    return {};
}

KCONTROL_DECL result<void> set_owner_reference(const resource_info& owner_kind, const object_meta& owner,
                                               const resource_info& dependent_kind, object_meta& dependent) {
    if (auto ok = detail::check_owner(owner_kind, owner, dependent_kind, dependent); !ok) return ok;
    detail::refer_to(dependent, owner_kind, owner, false);
    return {};
}

KCONTROL_DECL bool is_owned_by(const object_meta& dependent, const object_meta& owner) {
    const auto is_it = [&owner](const owner_reference& reference) { return reference.uid == owner.uid; };
    return !owner.uid.empty() &&
           std::any_of(dependent.owner_references.begin(), dependent.owner_references.end(), is_it);
}

KCONTROL_DECL bool is_controlled_by(const object_meta& dependent, const object_meta& owner) {
    const owner_reference* found = controller_of(dependent);
    return found != nullptr && !owner.uid.empty() && found->uid == owner.uid;
}

}  // namespace kcontrol
