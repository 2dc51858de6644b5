// The object that a write sends. It becomes JSON only if the server gets JSON.
#pragma once

#include <kcontrol/client/object_encoding.hpp>
#include <kcontrol/model/any_object.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

class object_to_write {
public:
    using json_function = result<std::string> (*)(const resource_info&, const any_object&, const namespaced_name&);

    explicit object_to_write(any_object object) : object_(std::move(object)) {}
    /// The body of a subresource of the object `above`, whose key is filled in; in JSON by `write_json`.
    object_to_write(any_object object, namespaced_name above, json_function write_json)
        : object_(std::move(object)), above_(std::move(above)), json_(write_json) {}

    result<std::string> to_json(const resource_info& info) const {
        return json_ != nullptr ? json_(info, object_, above_) : info.encode(object_);
    }

    /// Errors: those of kind_encoding::encode(); invalid_argument for an empty object or another name than above's, for
    /// which to_json() has the message.
    result<std::string> encoded(const kind_encoding& as) const {
        if (!object_) return error(errc::invalid_argument, "no object");
        if (json_ == nullptr) return as.encode(object_, object_.meta());
        object_meta metadata = object_.meta();
        if (!fill_in(metadata.name, above_.name) || !fill_in(metadata.namespace_, above_.namespace_)) {
            return error(errc::invalid_argument, "the name of another object");
        }
        return as.encode(object_, metadata);
    }

    /// The result of the write if the answer is a Status of success. Empty: the answer must be an object.
    any_object stand_in() const { return json_ != nullptr ? object_ : any_object(); }

private:
    static bool fill_in(text& name, std::string_view wanted) {
        if (name.empty() && !wanted.empty()) name = wanted;
        return wanted.empty() || name == wanted;
    }

    any_object object_;
    namespaced_name above_;
    json_function json_ = nullptr;  // null: a whole object, of which nothing is filled in
};

}  // namespace kcontrol::detail
