// Bringing an object into a wanted shape, whether it is there or not. Where a controller owns the fields that it sets,
// server-side apply (client::apply) does the same in one request; these are for what depends on what is there.
#pragma once

#include <kcontrol/codec/patch_between.hpp>
#include <kcontrol/controllerutil/detail/edit.hpp>

#include <string_view>

namespace kcontrol::inline v0_1 {

enum class write_outcome { unchanged, created, updated };

/// "unchanged", "created" or "updated".
KCONTROL_DECL std::string_view to_string(write_outcome outcome);

/// An object as the server has it, and what was done for that.
template <class T>
class written_object {
public:
    written_object() = default;
    written_object(T o, write_outcome w) : object(std::move(o)), outcome(w) {}  ///< an object and what was done for it

    T object;  ///< as it was read or written last, with the resource version of that
    write_outcome outcome = write_outcome::unchanged;  ///< whether the call has written it
};

namespace detail {

enum class write_verb { update, patch };

template <resource T, class Edit>
result<void> edit_named(Edit& edit, T& object, const namespaced_name& key) {
    if (auto ok = call_edit(edit, object); !ok) return name_error<T>(ok.error(), object.metadata);
    if (key_of(object.metadata) == key) return {};
    object_meta asked;
    asked.namespace_ = key.namespace_;
    asked.name = key.name;
    return name_error<T>(
        error(errc::invalid_argument, "the function that edits it renamed it to " + to_string(key_of(object.metadata)) +
                                          "; name and namespace are those of the call"),
        asked);
}

// The status as well, where it is a subresource: the write of the object has left it as it was.
template <resource T>
awaitable<result<T>> write_status_too(client c, std::shared_ptr<const T> stored, std::shared_ptr<const T> wanted,
                                      write_options options) {
    if constexpr (requires(T & object) { object.status; }) {
        T edited = *stored;
        edited.status = wanted->status;
        options.subresource("status");
        auto written = co_await c.patch(*stored, edited, options);
        co_return written;
    }
    co_return *stored;
}

template <resource T>
awaitable<result<T>> write_edited(client c, std::shared_ptr<const T> found, std::shared_ptr<const T> edited,
                                  write_options options, write_verb verb) {
    if constexpr (!is_projection<T>) {
        if (verb == write_verb::update) {
            auto updated = co_await c.update(*edited, options);
            co_return updated;
        }
    }
    auto patched = co_await c.patch(*found, *edited, options);
    if (!patched) co_return patched.error();
    auto whole = co_await write_status_too<T>(c, std::make_shared<const T>(*patched), edited, options);
    co_return whole;
}

// One attempt. A conflict is worth another one, and so is an object that another writer created in between.
template <resource T, class Edit>
awaitable<result<written_object<T>>> create_or_write(client c, std::shared_ptr<const T> wanted, Edit& edit,
                                                     write_options options, write_verb verb) {
    const namespaced_name key = key_of(wanted->metadata);
    get_options how;
    how.stop(options.stop()).deadline(options.deadline());
    auto found = co_await c.get<T>(key, how);
    if (!found && found.error() != api_errc::not_found) co_return found.error();
    auto edited = std::make_shared<T>(found ? *found : *wanted);
    if (auto ok = edit_named<T>(edit, *edited, key); !ok) co_return ok.error();
    if (!found) {
        auto created = co_await c.create(*edited, options);
        if (!created) co_return created.error();
        if (verb == write_verb::patch) {
            created = co_await write_status_too<T>(c, std::make_shared<const T>(*created), edited, options);
            if (!created) co_return created.error();
        }
        co_return written_object<T>(std::move(*created), write_outcome::created);
    }
    const auto change = patch_between(*found, *edited);
    // What no patch can say, an update can: it replaces the object.
    if (!change && verb == write_verb::patch) co_return change.error();
    if (change && change->empty()) co_return written_object<T>(std::move(*found), write_outcome::unchanged);
    auto stored = co_await write_edited<T>(c, std::make_shared<const T>(*found), edited, options, verb);
    if (!stored) co_return stored.error();
    co_return written_object<T>(std::move(*stored), write_outcome::updated);
}

template <resource T, class Edit>
awaitable<result<written_object<T>>> create_or_loop(client c, std::shared_ptr<const T> wanted, Edit edit,
                                                    write_options options, write_verb verb) {
    retry_state state{retry_policy()};
    for (;;) {
        auto outcome = co_await create_or_write<T, Edit>(c, wanted, edit, options, verb);
        if (outcome) co_return outcome;
        if (!is_worth_reading_again(outcome.error()) && outcome.error() != api_errc::already_exists) co_return outcome;
        const bool again = co_await state.wait(c.env(), options.stop());
        if (!again) co_return outcome;
    }
}

}  // namespace detail

/// Reads the object that `object` names. If there is none, calls `edit` with `object` and creates that; else calls
/// `edit` with what was read and replaces it, if that changed anything. After a conflict it is read and edited again,
/// up to five tries in all, 10 ms apart. The status is left alone.
///
/// `edit(T&)` returns nothing or a result<void>, whose error ends the call (set_controller_reference has its place
/// there). It may be called several times; it sets what it cares about and keeps the rest, what the server filled in
/// included. It can't rename the object: invalid_argument. A projection does not compile here, see client::update.
template <resource T, class Edit>
awaitable<result<written_object<T>>> create_or_update(client c, const T& object, Edit edit,
                                                      write_options options = {}) {
    assert_replaceable<T>();
    return detail::create_or_loop<T>(std::move(c), std::make_shared<const T>(object), std::move(edit),
                                     std::move(options), detail::write_verb::update);
}

/// The same with a patch of what `edit` changed: fields that T does not declare stay as they are. What it changed in
/// the status is written as well, with a request of its own where the status is a subresource.
template <resource T, class Edit>
awaitable<result<written_object<T>>> create_or_patch(client c, const T& object, Edit edit, write_options options = {}) {
    return detail::create_or_loop<T>(std::move(c), std::make_shared<const T>(object), std::move(edit),
                                     std::move(options), detail::write_verb::patch);
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/create_or.ipp>
#endif
