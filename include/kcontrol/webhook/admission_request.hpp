// What an API server asks of an admission webhook: one request of an AdmissionReview, of a kind that need not be known.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/model/resource.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

enum class admission_operation : std::uint8_t { create, update, delete_, connect };

/// "CREATE", as the API writes it.
KCONTROL_DECL std::string_view to_string(admission_operation o) noexcept;

/// Group, version and plural of a resource, as requests name it.
class group_version_resource {
public:
    std::string group;     ///< empty: the core group
    std::string version;   ///< "v1"
    std::string resource;  ///< "pods": the plural, without a subresource

    friend bool operator==(const group_version_resource&, const group_version_resource&) = default;
};

/// Who sent the request to the API server, as that found out.
class admission_user {
public:
    std::string name;  ///< `userInfo.username`; "system:serviceaccount:NAMESPACE:NAME" of a service account
    std::string uid;   ///< empty where the authenticator gives none
    std::vector<std::string> groups;                        ///< those that the API server counts the user among
    std::map<std::string, std::vector<std::string>> extra;  ///< what else the authenticator said, by key

    /// Whether one of the groups is called just that.
    bool in_group(std::string_view group) const {
        for (const std::string& one : groups) {
            if (one == group) return true;
        }
        return false;
    }
};

/// The request of an AdmissionReview of admission.k8s.io/v1. Its objects are places in the parsed text, which this
/// keeps: they are good as long as it, or a copy of it, is there.
///
/// Source: k8s.io/api/admission/v1;
/// https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/. Thread-safety: distinct
/// objects safe; shared objects safe for const access.
class admission_request {
public:
    std::string uid;                          ///< of this request, not of an object; the answer repeats it
    group_version_kind kind;                  ///< of the objects, as the webhook asked for them
    group_version_resource resource;          ///< the same
    std::string subresource;                  ///< "status", "scale"…, or empty
    group_version_kind request_kind;          ///< what the client sent; differs where the API server converted it
    group_version_resource request_resource;  ///< what the client named; see `requestResource`
    std::string request_subresource;          ///< the client's; empty: none
    std::string name;                         ///< empty where the server makes one of `generateName`
    std::string namespace_;                   ///< empty where the kind belongs to none
    admission_operation operation = admission_operation::create;  ///< what the client wants to do
    admission_user user;                                          ///< who the client is; `userInfo`
    bool dry_run = false;   ///< nothing that the request does may last, and so nothing that the webhook does
    json::node object;      ///< null where the operation is a deletion
    json::node old_object;  ///< null where it is a creation or a connection
    json::node options;     ///< CreateOptions and the like, or null
    std::shared_ptr<const json::document> parsed;  ///< what the three are places of

    /// The object, or of a deletion the one that goes.
    json::node subject() const noexcept { return operation == admission_operation::delete_ ? old_object : object; }
    /// `create Pod "web" in namespace "shop"`, for people.
    KCONTROL_DECL std::string describe() const;
};

/// Reads an AdmissionReview. Errors: decode_failed, naming the path of the member: text that is not JSON, another kind
/// or version, a member of another type, no uid, an operation that is none, an object that is not there.
KCONTROL_DECL result<admission_request> decode_admission_review(std::string_view text);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/webhook/impl/admission_request.ipp>
#endif
