// Conversion between the versions of a kind by hub and spoke: every version knows the way to one of them and back.
#pragma once

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/json/reader.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// A version that knows the way: `void convert_to(hub&) const` and `void convert_from(const hub&)`, or the same with
/// `result<void>`, whose error says why it can't be. The metadata is there already on both ways: name, namespace, uid
/// and the rest can't be changed by a conversion, labels and annotations can.
template <class T, class Hub>
concept spoke_of = requires(const T& from, T& to, const Hub& in, Hub& out) {
    from.convert_to(out);
    to.convert_from(in);
};

/// The versions of one kind. What is made of an object keeps the members that neither version's type knows; its
/// metadata is the original's but for labels and annotations.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access, if the versions' functions are.
class kind_conversion {
public:
    /// From one version's object to the other's, whose metadata is set.
    using step = std::function<result<any_object>(const any_object&)>;

    /// `hub`: the version that all others know the way to.
    explicit kind_conversion(resource_info hub) : hub_(std::move(hub)) {}
    /// Adds a version with its ways to the hub and back; what these throw is callback_failed. conversion_of() does it
    /// for types.
    KCONTROL_DECL kind_conversion& add(resource_info spoke, step to_hub, step from_hub);

    const resource_info& hub() const noexcept { return hub_; }  ///< the version that it was made with
    /// "example.com/v1" and so on, the hub's first.
    KCONTROL_DECL std::vector<std::string> versions() const;
    /// Whether it is for that kind, in whatever version; the core group is empty.
    bool is_of(std::string_view group, std::string_view kind) const noexcept {
        return hub_.gvk.group == group && hub_.gvk.kind == kind;
    }

    /// The object in the version "example.com/v1", as JSON. Errors: decode_failed, naming the member; invalid_argument
    /// (it has no such version); what the versions' functions say, and callback_failed if one throws.
    KCONTROL_DECL result<std::string> convert(json::node object, std::string_view api_version) const;

private:
    struct spoke {
        resource_info info;
        step to_hub, from_hub;
    };
    const spoke* find(std::string_view api_version) const;

    resource_info hub_;
    std::vector<spoke> spokes_;
};

namespace detail {

// A function that returns nothing, or result<void>.
template <class Call>
result<void> call_conversion(Call call) {
    if constexpr (std::is_void_v<std::invoke_result_t<Call>>) {
        call();
        return {};
    } else {
        return call();
    }
}

template <class From, class To, class Call>
result<any_object> convert_object(const any_object& from, Call call) {
    auto made = std::make_shared<To>();
    const From& source = from.get<From>();
    made->metadata = source.metadata;
    const result<void> done = call_conversion([&] { return call(source, *made); });
    if (!done) return done.error();
    return any_object(std::shared_ptr<const To>(std::move(made)));
}

template <class Hub, class Spoke>
void add_spoke(kind_conversion& to) {
    static_assert(spoke_of<Spoke, Hub>,
                  "kcontrol: a version that is not the hub has `void convert_to(Hub&) const` and `void "
                  "convert_from(const Hub&)`");
    constexpr resource_name a = Hub::kcontrol_resource, b = Spoke::kcontrol_resource;
    static_assert(a.group == b.group && a.kind == b.kind && a.version != b.version,
                  "kcontrol: hub and spoke are different versions of the same group and kind");
    if constexpr (spoke_of<Spoke, Hub>) {
        to.add(
            resource_of<Spoke>(),
            [](const any_object& from) {
                return convert_object<Spoke, Hub>(from, [](const Spoke& s, Hub& h) { return s.convert_to(h); });
            },
            [](const any_object& from) {
                return convert_object<Hub, Spoke>(from, [](const Hub& h, Spoke& s) { return s.convert_from(h); });
            });
    }
}

}  // namespace detail

/// `conversion_of<crontab_v1, crontab_v1beta1, crontab_v1alpha1>()`: the hub, and the versions that know the way to it.
template <resource Hub, resource... Spokes>
kind_conversion conversion_of() {
    kind_conversion made(resource_of<Hub>());
    (detail::add_spoke<Hub, Spokes>(made), ...);
    return made;
}

namespace detail {
// Asked in this order: whether a text is a kind can't be asked.
template <class T>
concept kind_not_text = !std::convertible_to<const T&, std::string_view> && resource<T>;
}  // namespace detail

/// For tests: whether an object comes back the same from every other version of its kind. Errors: decode_failed, naming
/// the version and the first member that is lost, changed or new; those of convert().
KCONTROL_DECL result<void> check_round_trips(const kind_conversion& of, std::string_view object);
template <detail::kind_not_text T>
result<void> check_round_trips(const kind_conversion& of, const T& object) {
    return check_round_trips(of, std::string_view(to_json(object)));
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/kind_conversion.ipp>
#endif
