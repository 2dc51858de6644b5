#pragma once

#include <kcontrol/controllerutil/compared_apply.hpp>
#include <kcontrol/documents/value.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

// Whether all that is wanted is there. Lists are the same or they are not.
inline bool covers(const json::value& present, const json::value& wanted) {
    if (!wanted.is_object()) return present == wanted;
    if (!present.is_object()) return false;
    return std::all_of(wanted.get_object().begin(), wanted.get_object().end(), [&](const auto& member) {
        const json::value* const found = present.get_object().if_contains(member.key());
        return found != nullptr && covers(*found, member.value());
    });
}

// What an apply sends of the metadata.
inline bool is_applied(std::string_view member) {
    return member == "labels" || member == "annotations" || member == "ownerReferences" || member == "finalizers";
}

inline bool covers_applied(const json::value& present, const json::value& wanted) {
    if (!present.is_object() || !wanted.is_object()) return false;
    return std::all_of(wanted.get_object().begin(), wanted.get_object().end(), [&](const auto& member) {
        const json::value* const found = present.get_object().if_contains(member.key());
        if (found == nullptr) return false;
        if (member.key() != "metadata") return covers(*found, member.value());
        const auto& metadata = member.value().get_object();
        return std::all_of(metadata.begin(), metadata.end(), [&](const auto& one) {
            if (!is_applied(one.key())) return true;
            const json::value* const has = found->get_object().if_contains(one.key());
            return has != nullptr && covers(*has, one.value());
        });
    });
}

inline apply_options stopped_by(apply_options options, std::stop_token stop) {
    const bool has_own = std::as_const(options).stop().stop_possible();
    return has_own ? options : std::move(options.stop(std::move(stop)));
}

}  // namespace detail

KCONTROL_DECL compared_apply::compared_apply(apply_options options)
    : memory_(std::make_shared<memory>(memory{std::move(options), {}})) {}

KCONTROL_DECL awaitable<result<any_object>> compared_apply::apply(client c, const resource_info& info,
                                                                  any_object wanted, std::stop_token stop) {
    return run(memory_, std::move(c), info, std::move(wanted), std::move(stop));
}

KCONTROL_DECL awaitable<result<any_object>> compared_apply::run(std::shared_ptr<memory> of, client c,
                                                                const resource_info& info, any_object wanted,
                                                                std::stop_token stop) {
    const auto text = info.encode(wanted);
    if (!text) co_return text.error();
    const apply_options how = detail::stopped_by(of->options, std::move(stop));
    const bool asks = how.dry_run() || !how.subresource().empty() || !how.precondition_uid().empty() ||
                      !how.precondition_resource_version().empty();
    const auto which = std::pair(info.gvk, wanted.key());
    const auto known = of->objects.find(which);
    if (!asks && known != of->objects.end() && known->second.text == *text) {
        const std::string uid = known->second.uid;
        auto present = co_await c.get(info, which.second, get_options().stop(how.stop()).deadline(how.deadline()));
        if (present && present->meta().uid == uid && !present->meta().deletion_timestamp.present()) {
            const auto has = info.encode(*present);
            const auto there = has ? json::parse(*has) : result<json::value>(has.error());
            const auto sought = json::parse(*text);
            if (there && sought && detail::covers_applied(*there, *sought)) co_return std::move(*present);
        }
    }
    auto stored = co_await c.apply(info, wanted, how);
    if (asks) co_return stored;
    of->objects.erase(which);
    if (!stored) co_return stored;
    if (of->objects.size() >= most) of->objects.erase(of->objects.begin());
    of->objects.emplace(which, applied{stored->meta().uid.str(), *text});
    co_return stored;
}

}  // namespace kcontrol
