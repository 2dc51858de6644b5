// Registering: one object says that this program is there, as long as it is.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/runtime/executor.hpp>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::service {

/// How an object is registered.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class registration_options {
public:
    registration_options() = default;

    /// Who owns the fields that are applied; programs that register the same object have different ones. Default:
    /// "kcontrol-service".
    registration_options& field_manager(std::string name) { return field_manager_ = std::move(name), *this; }
    /// The pod that shall own the object, so that the object goes with it, in the object's namespace. Default: the
    /// host's name, which in a pod is the pod's own unless its spec says otherwise (hostname, hostNetwork). If there is
    /// no such pod, nothing owns the object.
    registration_options& pod(std::string name) { return pod_ = std::move(name), *this; }
    /// False: no owner. Default true.
    registration_options& owned(bool yes) { return owned_ = yes, *this; }
    /// False: stop() leaves the object there. Default true: it is deleted.
    registration_options& delete_at_end(bool yes) { return delete_at_end_ = yes, *this; }

    const std::string& field_manager() const noexcept { return field_manager_; }
    const std::string& pod() const noexcept { return pod_; }
    bool owned() const noexcept { return owned_; }
    bool delete_at_end() const noexcept { return delete_at_end_; }

private:
    std::string field_manager_ = "kcontrol-service", pod_;
    bool owned_ = true, delete_at_end_ = true;
};

/// How a registration stands.
class registration_status {
public:
    bool applied = false;       ///< the object was there as wanted, by the last answer of the server
    error failure;              ///< why it is not; no error while the first answer is waited for
    std::uint64_t applies = 0;  ///< how often it was applied with success
    std::string uid;            ///< of the object; empty: none yet
    std::string owner;          ///< the name of the pod that owns it; empty: none
};

/// One object that is there as long as this is: applied at start(), again when another writer has changed or deleted
/// it, and deleted at stop(). It is written by server-side apply with force, so other fields of it stay. A pod owns it,
/// if this program runs in one: then the garbage collector deletes it when the pod goes without a stop().
///
/// Changes by others are seen by a watch, of the metadata alone. Where that is refused, the object is applied again
/// every 30 s. Two writers that undo each other's changes wait longer each time, up to 30 s. Failures are logged once,
/// with the rule that a Role lacks if it is one, and retried.
///
/// Needed rights on the object's kind: create, patch, delete and watch; on `pods`: get.
///
/// Thread-safety: shared objects unsafe; it belongs to the executor, a strand or a single-threaded context.
/// Cancellation: stop() and the token given to start(). Object lifetime: destruction ends it without deleting the
/// object; the environment outlives what still runs.
class registration {
public:
    /// An object of any kind, as JSON with apiVersion, kind and metadata.name. Without metadata.namespace, and of a
    /// kind that has namespaces, it is client::default_namespace(). Asks nothing before start().
    KCONTROL_DECL registration(environment& env, executor ex, client cl, std::string object_json,
                               registration_options options = {}, logger log = {});
    /// An object of a kind known at compile time; client::apply() says what of it is sent.
    template <is_resource T>
    registration(environment& env, executor ex, client cl, const T& object, registration_options options = {},
                 logger log = {})
        : registration(env, std::move(ex), std::move(cl), resource_of<T>(),
                       any_object(std::make_shared<const T>(object)), std::move(options), std::move(log)) {}
    KCONTROL_DECL ~registration();
    registration(const registration&) = delete;
    registration& operator=(const registration&) = delete;

    /// Begins. Does nothing while it runs. When `parent` is triggered it ends as after stop().
    /// Errors: invalid_argument for a text that is no object with apiVersion, kind and metadata.name, or has
    /// metadata.managedFields, resourceVersion or uid.
    KCONTROL_DECL result<void> start(std::stop_token parent = {});

    /// Ends it, and deletes the object that was applied, if it still is the same one (by uid). Tries that for at most
    /// `limit`. Errors: those of client::delete_(); timeout. Idempotent.
    KCONTROL_DECL awaitable<result<void>> stop(duration limit = std::chrono::seconds(10));

    /// Waits until the object has been applied once. Errors: one that trying again does not mend (forbidden, invalid, a
    /// kind that is not served), though it is tried again; stopped, by `stop` or after stop() and destruction.
    KCONTROL_DECL awaitable<result<void>> wait_applied(std::stop_token stop = {});

    KCONTROL_DECL registration_status status() const;  ///< as it is now; a copy

private:
    KCONTROL_DECL registration(environment& env, executor ex, client cl, const resource_info& info, any_object object,
                               registration_options options, logger log);
    struct impl;
    std::shared_ptr<impl> impl_;
};

}  // namespace kcontrol::service

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/service/impl/registration.ipp>
#endif
