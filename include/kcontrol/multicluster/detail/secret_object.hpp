// A Secret as secret_source's informer keeps it: which one it is, and for one look what is in it. Without this the
// local copy would hold every kubeconfig for good, once in `data` and, where `kubectl apply` made it, once more in an
// annotation.
#pragma once

#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// What comes from the server.
struct whole_secret {
    object_meta metadata;
    std::map<std::string, std::string> data;  ///< base64
    static constexpr auto kcontrol_fields() {
        return fields(field("metadata", &whole_secret::metadata), field("data", &whole_secret::data));
    }
};

/// What is kept.
///
/// Thread-safety: shared objects unsafe.
class secret_object {
public:
    using contents = std::map<std::string, secret_string>;  ///< base64

    explicit secret_object(whole_secret from) {
        metadata.name = std::move(from.metadata.name);
        metadata.namespace_ = std::move(from.metadata.namespace_);
        metadata.uid = std::move(from.metadata.uid);
        metadata.resource_version = std::move(from.metadata.resource_version);
        metadata.labels = std::move(from.metadata.labels);
        for (auto& [key, value] : from.data) data_.emplace(key, secret_string(std::move(value)));
    }

    /// Its data, for who asks first; it is gone from here then.
    contents take_data() const { return std::exchange(data_, {}); }

    object_meta metadata;

private:
    mutable contents data_;
};

inline result<any_object> decode_secret(const resource_info&, json::node from, share_pool*) {
    whole_secret whole;
    const auto done = decode(describe<whole_secret>(), from, &whole);
    if (!done) return done.error();
    return any_object(std::make_shared<const secret_object>(std::move(whole)));
}

inline std::string encode_no_secret(const any_object&, const resource_info&) { return {}; }  // they are only read

/// The kind Secret, of which objects are secret_object.
inline const resource_info& secret_resource() {
    static const resource_info info({"", "v1", "Secret"}, "secrets", resource_scope::namespaced, decode_secret,
                                    encode_no_secret);
    return info;
}

}  // namespace kcontrol::detail
