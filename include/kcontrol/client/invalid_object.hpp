// An object that a server sent and that could not be decoded: what could be read of it, and why not the rest.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/model/object_meta.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Tells of one object, so that all others flow on: it is nested too deeply, holds a number out of range or text that
/// is no UTF-8, is of another kind, has no name, or is larger than any object can be.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class invalid_object {
public:
    invalid_object() = default;
    /// What could be read of its metadata, and why not the rest.
    invalid_object(object_meta known, error reason) : metadata(std::move(known)), why(std::move(reason)) {}

    object_meta metadata;  ///< as far as it can be read; often only namespace, name, uid and resource version
    error why;             ///< names the field and the value

    namespaced_name key() const { return key_of(metadata); }           ///< empty as far as it could not be read
    bool has_name() const noexcept { return !metadata.name.empty(); }  ///< whether a name could be read
    /// "namespace/name" for messages, or that it has none.
    std::string describe() const {
        if (has_name()) return to_string(key());
        return metadata.namespace_.empty() ? std::string("(no name)") : std::string(metadata.namespace_) + "/(no name)";
    }
};

}  // namespace kcontrol
