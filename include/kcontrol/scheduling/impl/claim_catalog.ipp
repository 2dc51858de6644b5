#pragma once

#include <kcontrol/scheduling/claim_catalog.hpp>
#include <kcontrol/scheduling/impl/claim_parts.hpp>
#include <kcontrol/scheduling/impl/write_answer.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {

KCONTROL_DECL void claim_catalog::books::hold(const allocation& of) {
    for (auto& each : devices_of(of)) held.insert(std::move(each));
}

KCONTROL_DECL void claim_catalog::books::free(const allocation& of) {
    for (const auto& each : devices_of(of)) {
        if (const auto found = held.find(each); found != held.end()) held.erase(found);
    }
}

KCONTROL_DECL void claim_catalog::books::tell(const namespaced_name* claim) const {
    for (const auto& each : listeners) each(claim);
}

KCONTROL_DECL void claim_catalog::set(std::shared_ptr<const claim> object) {
    const auto name = key_of(object->metadata);
    auto& known = claims_[name];
    // Also of a claim that had this name before, when the answer to the creation of this one came before the events.
    if (known != nullptr &&
        detail::is_newer_version(known->metadata.resource_version, object->metadata.resource_version)) {
        return;
    }
    if (object->status.allocation) books_->hold(*object->status.allocation);
    if (known != nullptr && known->status.allocation) books_->free(*known->status.allocation);
    if (known != nullptr) extended_.erase({std::string(extended_claim::pod_of(*known)), name});
    known = std::move(object);
    if (const auto pod = extended_claim::pod_of(*known); !pod.empty()) extended_.emplace(pod, name);
    books_->tell(&name);
}

KCONTROL_DECL void claim_catalog::set_answer(std::shared_ptr<const claim> object) {
    const auto known = find_claim(object->metadata.namespace_, object->metadata.name);
    if (known != nullptr && known->metadata.uid == object->metadata.uid) set(std::move(object));
}

KCONTROL_DECL void claim_catalog::set(std::shared_ptr<const device_class> object) {
    classes_.insert_or_assign(object->metadata.name.str(), std::move(object));
    stands_for_.reset();
    books_->tell(nullptr);
}

KCONTROL_DECL void claim_catalog::set(std::shared_ptr<const slice> object) {
    slices_.insert_or_assign(object->metadata.name.str(), std::move(object));
    devices_.reset();
    books_->tell(nullptr);
}

KCONTROL_DECL void claim_catalog::remove(const claim& object) {
    const auto name = key_of(object.metadata);
    const auto found = claims_.find(name);
    if (found == claims_.end() || found->second->metadata.uid != object.metadata.uid) return;
    if (found->second->status.allocation) books_->free(*found->second->status.allocation);
    extended_.erase({std::string(extended_claim::pod_of(*found->second)), name});
    claims_.erase(found);
    books_->tell(&name);
}

KCONTROL_DECL void claim_catalog::remove(const device_class& object) {
    classes_.erase(object.metadata.name.str());
    stands_for_.reset();
    books_->tell(nullptr);
}

KCONTROL_DECL void claim_catalog::remove(const slice& object) {
    slices_.erase(object.metadata.name.str());
    devices_.reset();
    books_->tell(nullptr);
}

KCONTROL_DECL void claim_catalog::clear() {
    while (!claims_.empty()) remove(*std::shared_ptr(claims_.begin()->second));
    classes_.clear();
    stands_for_.reset();
    slices_.clear();
    devices_.reset();
    books_->tell(nullptr);
}

KCONTROL_DECL std::shared_ptr<const claim_catalog::claim> claim_catalog::find_claim(std::string_view namespace_,
                                                                                    std::string_view name) const {
    const namespaced_name key{std::string(namespace_), std::string(name)};
    if (const auto found = claims_.find(key); found != claims_.end()) return found->second;
    const auto draft = books_->drafts.find(key);
    return draft == books_->drafts.end() ? nullptr : draft->second;
}

KCONTROL_DECL std::shared_ptr<const claim_catalog::claim> claim_catalog::find_extended_claim(
    const api::core::v1::pod& of) const {
    const auto found = extended_.lower_bound({of.metadata.uid.str(), {}});
    if (found != extended_.end() && found->first == of.metadata.uid) return claims_.at(found->second);
    const auto draft = std::ranges::find_if(
        books_->drafts, [&](const auto& each) { return extended_claim::pod_of(*each.second) == of.metadata.uid; });
    return draft == books_->drafts.end() ? nullptr : draft->second;
}

KCONTROL_DECL claim_catalog::assumption claim_catalog::allocation_of(const std::shared_ptr<const claim>& of) const {
    if (of->status.allocation) return {of, &*of->status.allocation};
    const auto found = books_->assumed.find(of->metadata.uid.view());
    return found == books_->assumed.end() ? nullptr : found->second.lock();
}

KCONTROL_DECL std::shared_ptr<const claim_catalog::device_class> claim_catalog::find_class(
    std::string_view name) const {
    const auto found = classes_.find(name);
    return found == classes_.end() ? nullptr : found->second;
}

KCONTROL_DECL std::string claim_catalog::implicit_resource_of(const device_class& of) {
    return std::string(detail::implicit_resource_prefix) + of.metadata.name.str();
}

KCONTROL_DECL std::shared_ptr<const claim_catalog::device_class> claim_catalog::find_class_for(
    std::string_view resource) const {
    const auto prefix = detail::implicit_resource_prefix;
    if (resource.starts_with(prefix)) return find_class(resource.substr(prefix.size()));
    if (!stands_for_) {
        stands_for_.emplace();
        for (const auto& [name, each] : classes_) {
            if (each->spec.extended_resource_name.empty()) continue;
            auto& to = (*stands_for_)[each->spec.extended_resource_name.str()];
            if (to == nullptr || to->metadata.creation_timestamp < each->metadata.creation_timestamp) to = each;
        }
    }
    const auto found = stands_for_->find(resource);
    return found == stands_for_->end() ? nullptr : found->second;
}

KCONTROL_DECL const device_inventory& claim_catalog::devices() const {
    if (!devices_) {
        std::vector<std::shared_ptr<const slice>> all;
        for (const auto& [name, each] : slices_) all.push_back(each);
        selected_.clear();
        devices_.emplace(all);
    }
    return *devices_;
}

KCONTROL_DECL device_allocator_options claim_catalog::options() const {
    const auto selects = [this](const device_inventory::known_device& of, std::string_view expression) {
        std::pair key(&of, std::string(expression));
        auto found = selected_.find(key);
        if (found == selected_.end()) found = selected_.emplace(std::move(key), selects_(of, expression)).first;
        return found->second;
    };
    return {selects, [this](std::string_view name) { return find_class(name); }};
}

KCONTROL_DECL claim_catalog::assumption claim_catalog::assume(const std::shared_ptr<const claim>& of,
                                                              allocation decided) {
    const auto name = key_of(of->metadata);
    const auto forget = [books = books_, name, of](const allocation* made) {
        books->free(*made);
        books->assumed.erase(of->metadata.uid.str());
        if (const auto draft = books->drafts.find(name); draft != books->drafts.end() && draft->second == of) {
            books->drafts.erase(draft);
        }
        books->tell(&name);
        delete made;
    };
    assumption out(new allocation(std::move(decided)), forget);
    books_->hold(*out);
    books_->assumed.insert_or_assign(of->metadata.uid.str(), out);
    if (extended_claim::is_draft(*of)) books_->drafts.insert_or_assign(name, of);
    books_->tell(&name);
    return out;
}

}  // namespace kcontrol::scheduling
