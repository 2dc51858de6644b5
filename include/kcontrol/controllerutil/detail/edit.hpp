// Read, change, write, and once more where another writer came between: what the helpers that write have in common.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/controllerutil/retry.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// Calls a function that edits an object and returns nothing or a result<void>.
template <class Edit, class T>
result<void> call_edit(Edit& edit, T& object) {
    if constexpr (std::is_void_v<std::invoke_result_t<Edit&, T&>>) {
        edit(object);
        return {};
    } else {
        return edit(object);
    }
}

template <class T>
error name_error(const error& why, const object_meta& meta) {
    return why.with_context(std::string(resource_name(T::kcontrol_resource).kind) + " " + to_string(key_of(meta)));
}

/// Whether a write that carries a resource version may be tried again after reading: it did not happen, or nobody knows
/// whether it did, which the reading shows.
inline bool is_worth_reading_again(const error& why) {
    return why == condition::conflict || why == errc::unknown_outcome;
}

/// Patches the object by what `edit` changes in it. After a conflict the object is read and `edit` is called with that.
/// not_found if it has become another object meanwhile.
template <resource T, class Edit>
awaitable<result<T>> edit_object(client c, std::shared_ptr<const T> snapshot, Edit edit, write_options options,
                                 retry_policy policy) {
    retry_state state(policy);
    for (;;) {
        T edited = *snapshot;
        if (auto ok = call_edit(edit, edited); !ok) co_return name_error<T>(ok.error(), snapshot->metadata);
        auto written = co_await c.patch(*snapshot, edited, options);
        if (written || !is_worth_reading_again(written.error())) co_return written;
        const bool again = co_await state.wait(c.env(), options.stop());
        if (!again) co_return written;
        get_options how;
        how.stop(options.stop()).deadline(options.deadline());
        // A cache may still have what led to the conflict.
        auto fresh = co_await c.live().get<T>(key_of(snapshot->metadata), how);
        if (!fresh) co_return fresh.error();
        if (fresh->metadata.uid != snapshot->metadata.uid) {
            const error gone(api_errc::not_found, "it was replaced by another object of that name");
            co_return name_error<T>(gone, snapshot->metadata);
        }
        snapshot = std::make_shared<const T>(std::move(*fresh));
    }
}

}  // namespace kcontrol::detail
