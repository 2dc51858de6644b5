// Server-side apply that sends nothing while there is nothing to change.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Applies objects as client::apply() does, and remembers of each what it has applied. An object that is to be applied
/// again as it was is read first, from the cache where the client has one; if it still has all that is wanted, that is
/// the answer and nothing is sent. So it sends the first time, when the wanted object is another one (a field that is
/// no longer wanted included), when somebody has changed one of its fields, and when the object has been recreated.
///
/// Values are compared as the type writes them: one that the server writes in another way ("1000m") is sent each time,
/// and so are lists that others have added to. What the server is to answer, it is asked: options with a dry run, a
/// subresource or a precondition always send.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor. Object lifetime: calls may outlive it; the
/// resource_info of a call outlives both.
class compared_apply {
public:
    /// Objects that are remembered; beyond that one of them is forgotten, and sent again.
    static constexpr std::size_t most = 16384;

    KCONTROL_DECL explicit compared_apply(apply_options options);

    /// `stop` ends it early, where the options have no token of their own. Errors: those of client::apply().
    KCONTROL_DECL awaitable<result<any_object>> apply(client c, const resource_info& info, any_object wanted,
                                                      std::stop_token stop = {});
    template <resource T>
    awaitable<result<std::shared_ptr<const T>>> apply(client c, T wanted) {
        const resource_info& info = resource_of<T>();
        return typed<T>(apply(std::move(c), info, any_object(std::make_shared<const T>(std::move(wanted)))));
    }

private:
    struct applied {
        std::string uid, text;
    };
    struct memory {
        apply_options options;
        std::map<std::pair<group_version_kind, namespaced_name>, applied> objects;
    };
    static KCONTROL_DECL awaitable<result<any_object>> run(std::shared_ptr<memory> of, client c,
                                                           const resource_info& info, any_object wanted,
                                                           std::stop_token stop);
    template <class T>
    static awaitable<result<std::shared_ptr<const T>>> typed(awaitable<result<any_object>> call) {
        auto stored = co_await std::move(call);
        if (!stored) co_return stored.error();
        co_return stored->template as<T>();
    }

    std::shared_ptr<memory> memory_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/compared_apply.ipp>
#endif
