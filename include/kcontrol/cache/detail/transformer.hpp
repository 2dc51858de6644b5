// The transform of an informer's options, with the checks of what it returns.
#pragma once

#include <kcontrol/cache/informer.hpp>
#include <kcontrol/runtime/guarded_calls.hpp>
#include <kcontrol/watch/listed_objects.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// Replaces objects by what is stored in their place. Without a function it leaves them as they are.
///
/// Thread-safety: shared objects unsafe. Object lifetime: all that it is made with outlives it.
class transformer {
public:
    transformer(const object_transform& function, const resource_info& info, guarded_calls& calls) noexcept
        : function_(function), info_(info), calls_(calls) {}

    /// Errors: callback_failed if the function threw, returned no object, or changed the identity or version of the
    /// object, which then stays.
    std::optional<error> apply(any_object& object) const {
        if (!function_) return std::nullopt;
        any_object made;
        const bool returned = calls_.call(
            "a transform of objects", [&] { made = function_(object); }, [&] { return to_string(object.key()); });
        if (!returned) return error(errc::callback_failed, calls_.last_thrown());
        if (const char* const fault = fault_of(object, made)) {
            return error(errc::callback_failed, "the transform of objects of kind " + info_.gvk.kind + " " + fault);
        }
        object = std::move(made);
        return std::nullopt;
    }

    /// The same for a list: an object that fails is one of the invalid. What `content` holds already is passed over.
    void apply_to(listed_objects& all, const store& content) const {
        if (!function_) return;
        std::vector<any_object> good;
        good.reserve(all.objects.size());
        for (auto& object : all.objects) {
            const bool transformed = content.get_same(object.meta()) == object;
            if (auto why = transformed ? std::nullopt : apply(object)) {
                all.invalid.emplace_back(object.meta(), std::move(*why));
            } else {
                good.push_back(std::move(object));
            }
        }
        all.objects = std::move(good);
    }

private:
    // What is wrong with what the function returned; null if nothing is.
    static const char* fault_of(const any_object& read, const any_object& made) {
        if (!made) return "returned no object; return the one that it got, or a changed copy";
        const object_meta& a = read.meta();
        const object_meta& b = made.meta();
        const bool same = a.name == b.name && a.namespace_ == b.namespace_ && a.uid == b.uid &&
                          a.resource_version == b.resource_version;
        return same ? nullptr : "changed the object's name, namespace, uid or resourceVersion, which must stay";
    }

    const object_transform& function_;
    const resource_info& info_;
    guarded_calls& calls_;
};

}  // namespace kcontrol::detail
