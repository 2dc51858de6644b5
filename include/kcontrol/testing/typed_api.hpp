// An api_server with the program's own types in place of JSON; and waiting in virtual time that says what it last saw.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/patch_between.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::testing {

namespace detail {

result<std::string> create_typed(api_server& api, std::string_view object);
result<std::string> get_typed(const api_server& api, const resource_info& info, const namespaced_name& key);
std::vector<std::string> list_typed(const api_server& api, const resource_info& info, std::string_view ns);
result<std::string> patch_typed(api_server& api, const resource_info& info, const any_object& snapshot,
                                const any_object& edited);
result<void> remove_typed(api_server& api, const resource_info& info, const namespaced_name& key);
error not_within(duration limit, const std::string& what, const std::string& last);
/// "Website default/shop".
std::string name_typed(const resource_info& info, const namespaced_name& key);

template <class T>
result<T> decode_typed(const result<std::string>& text) {
    if (!text) return text.error();
    return from_json<T>(*text);
}

}  // namespace detail

/// The objects of a server, typed: what a test does as a user or another program. As those of api_server, the calls
/// have no HTTP, no faults and no access control, and end at once:
///
///     testing::typed_api api(cluster);
///     api.create(shop).value();
///     api.patch<website>(key, [](website& edited) { edited.spec.replicas = 3; }).value();
///     CHECK(api.get<deployment>(key)->spec.replicas == 3);
///
/// The kind must be served: built in, registered (sim_world::register_resource), or of a CustomResourceDefinition.
/// Errors: those of the API; no_such_kind; decode_failed.
/// Thread-safety: as api_server's. Object lifetime: the server outlives it.
class typed_api {
public:
    explicit typed_api(api_server& api) : api_(&api) {}
    explicit typed_api(sim_server& server) : api_(&server.api()) {}

    /// Creates the object, in the namespace "default" unless it names one, and returns it as it is stored. A status is
    /// dropped where the kind has that subresource: use patch().
    template <resource T>
    result<T> create(const T& object) {
        return detail::decode_typed<T>(detail::create_typed(*api_, to_json(object)));
    }

    /// The object as it is stored. Errors, besides: not_found.
    template <resource T>
    result<T> get(const namespaced_name& key) const {
        return detail::decode_typed<T>(detail::get_typed(*api_, resource_of<T>(), key));
    }

    /// All objects of the kind, or those of one namespace, in order of namespace and name.
    template <resource T>
    result<std::vector<T>> list(std::string_view ns = {}) const {
        std::vector<T> out;
        for (const std::string& text : detail::list_typed(*api_, resource_of<T>(), ns)) {
            auto one = from_json<T>(text);
            if (!one) return one.error();
            out.push_back(std::move(*one));
        }
        return out;
    }

    /// Writes what differs between the two, the status as well; members that T does not declare stay. Errors, besides:
    /// conflict, if the object was written since `snapshot` was read.
    template <resource T>
    result<T> patch(const T& snapshot, const T& edited) {
        return detail::decode_typed<T>(detail::patch_typed(*api_, resource_of<T>(), borrow(snapshot), borrow(edited)));
    }
    /// Reads the object, calls `edit(T&)` and writes what that changed.
    template <resource T, std::invocable<T&> Edit>
    result<T> patch(const namespaced_name& key, Edit edit) {
        const result<T> found = get<T>(key);
        if (!found) return found;
        T edited = *found;
        edit(edited);
        return patch(*found, edited);
    }

    /// Deletes it; a finalizer or a grace keeps it for a while, as in a cluster.
    template <resource T>
    result<void> remove(const namespaced_name& key) {
        return detail::remove_typed(*api_, resource_of<T>(), key);
    }

private:
    api_server* api_;
};

/// Runs the world until `missing` returns nothing. It says what is still missing, and is called whenever something
/// happens. Errors: timeout, after `limit` of virtual time, with what was missing last.
result<void> run_until(sim_world& world, const std::function<std::string()>& missing,
                       duration limit = std::chrono::hours(1));

/// Runs the world until `holds` says so of the object, which is null while there is none; the object as it is then.
/// Errors: timeout, after `limit` of virtual time: the text has the object as it was last, as JSON.
///
///     const auto ready = testing::run_until<website>(world, cluster, key, is_ready);
///     REQUIRE_MESSAGE(ready, ready.error().what());
template <resource T>
result<T> run_until(sim_world& world, sim_server& server, const namespaced_name& key,
                    const std::function<bool(const T*)>& holds, duration limit = std::chrono::hours(1)) {
    const typed_api api(server);
    const auto done = [&] {
        const result<T> found = api.template get<T>(key);
        return holds(found ? &*found : nullptr);
    };
    if (world.run_until(done, limit)) return api.template get<T>(key);
    const auto last = detail::get_typed(server.api(), resource_of<T>(), key);
    return detail::not_within(limit, detail::name_typed(resource_of<T>(), key), last ? *last : last.error().what());
}

}  // namespace kcontrol::testing
