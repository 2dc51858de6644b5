// Options of the client's verbs: classes with setters, never aggregates (g++ 12 miscompiles those beside co_await).
#pragma once

#include <kcontrol/base/chrono.hpp>
#include <kcontrol/client/list_bounds.hpp>
#include <kcontrol/client/selection_options.hpp>
#include <kcontrol/codec/share_pool.hpp>
#include <kcontrol/http/exchange_options.hpp>
#include <kcontrol/model/any_object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// Options every verb has.
template <class Derived>
class call_options {
public:
    /// From the call to the whole answer. Default http::exchange_options::default_deadline, for a list twice that.
    Derived& deadline(std::chrono::nanoseconds d) { return deadline_ = d, self(); }
    /// Ends the call with errc::stopped.
    Derived& stop(std::stop_token token) { return stop_ = std::move(token), self(); }
    /// The largest answer accepted, in bytes. too_large beyond it. The default is
    /// http::exchange_options::default_max_body. A list is decoded as it arrives, so that its size is no matter: there
    /// it is for all pages of a call together, and the default is list_bounds'. Events of a watch: see
    /// http::watch_framer.
    Derived& max_body(std::size_t bytes) { return max_body_ = bytes, self(); }

    std::chrono::nanoseconds deadline() const noexcept { return deadline_; }
    std::size_t max_body() const noexcept { return max_body_; }
    const std::stop_token& stop() const noexcept { return stop_; }

protected:
    std::chrono::nanoseconds deadline_ = http::exchange_options::default_deadline;  ///< list_options doubles it

private:
    Derived& self() { return static_cast<Derived&>(*this); }
    std::stop_token stop_;
    std::size_t max_body_ = http::exchange_options::default_max_body;
};

/// Options of reading one object; discover() has them, too.
class get_options : public call_options<get_options> {
public:
    /// "": the newest state; "0": any; else not older than that.
    get_options& resource_version(std::string v) { return resource_version_ = std::move(v), *this; }
    /// What a cache has now will do: the read waits for no write of this program. The same as resource_version("0").
    get_options& stale_ok() { return resource_version("0"); }
    const std::string& resource_version() const noexcept { return resource_version_; }

private:
    std::string resource_version_;
};

/// Which objects a list is about, and in which pages they come.
class list_options : public call_options<list_options>, public selection_options<list_options> {
public:
    list_options() {
        deadline_ = 2 * http::exchange_options::default_deadline;
        max_body(list_bounds().max_bytes());
    }
    /// "": the newest state; "0": any; else not older than that.
    list_options& resource_version(std::string v) { return resource_version_ = std::move(v), *this; }
    /// See get_options::stale_ok().
    list_options& stale_ok() { return resource_version("0"); }
    /// Objects a page; 0: no paging.
    list_options& limit(std::int64_t n) { return limit_ = n, *this; }
    /// The most objects that one call takes, over all its pages: beyond it the call ends with limit_exceeded. Default:
    /// that of list_bounds. It is checked while a page arrives.
    list_options& max_items(std::uint64_t n) { return max_items_ = n, *this; }
    /// The token of the page before.
    list_options& continue_token(std::string t) { return continue_ = std::move(t), *this; }
    /// Where the objects keep what they have in common. If none is given, the objects of one call share theirs.
    list_options& pool(std::shared_ptr<share_pool> p) { return pool_ = std::move(p), *this; }

    /// Called with each object as it arrives and the list's version, empty as long as that did not come: what it
    /// returns is in the list instead, unless that is empty. Who holds most of the objects already needs no memory for
    /// them a second time.
    using reuse_function = std::function<any_object(const any_object& listed, std::string_view version)>;
    /// See reuse_function. None: what arrived is kept.
    list_options& reuse(reuse_function f) { return reuse_ = std::move(f), *this; }

    const std::string& resource_version() const noexcept { return resource_version_; }
    std::int64_t limit() const noexcept { return limit_; }
    std::uint64_t max_items() const noexcept { return max_items_; }
    const std::string& continue_token() const noexcept { return continue_; }
    const std::shared_ptr<share_pool>& pool() const noexcept { return pool_; }
    const reuse_function& reuse() const noexcept { return reuse_; }

private:
    std::string resource_version_, continue_;
    std::int64_t limit_ = 0;
    std::uint64_t max_items_ = list_bounds().max_items();
    std::shared_ptr<share_pool> pool_;
    reuse_function reuse_;
};

/// Where a watch begins and how long it may last.
class watch_options : public call_options<watch_options>, public selection_options<watch_options> {
public:
    static constexpr std::chrono::seconds default_timeout = std::chrono::minutes(5);     ///< of timeout()
    static constexpr std::chrono::nanoseconds default_grace = std::chrono::seconds(30);  ///< of grace()
    static constexpr std::chrono::nanoseconds default_idle = std::chrono::seconds(90);   ///< of idle()

    /// Events after this version. Empty: the server's choice.
    watch_options& resource_version(std::string v) { return resource_version_ = std::move(v), *this; }
    /// Asks for events that say how far the server has come, and nothing else. Default: on.
    watch_options& bookmarks(bool on) { return bookmarks_ = on, *this; }
    /// Asks for a streamed list: additions of all objects first, at least as new as resource_version() (empty: the
    /// newest state), then a bookmark that says so (watch_event::ends_initial). It takes bookmarks. Servers without the
    /// feature WatchList refuse (on by default in Kubernetes 1.32 and from 1.34).
    watch_options& initial_events(bool on) { return initial_events_ = on, *this; }
    /// Asks the server to end the watch after this time. One that does not is ended here, grace() later. 0: no end.
    watch_options& timeout(std::chrono::seconds s) { return timeout_ = s, *this; }
    /// How long after timeout() the server may still end the watch by itself. Default 30 s.
    watch_options& grace(std::chrono::nanoseconds d) { return grace_ = d, *this; }
    /// The watch fails with timeout if nothing arrives for so long; blank lines are nothing.
    watch_options& idle(std::chrono::nanoseconds d) { return idle_ = d, *this; }
    /// Where the objects keep what they have in common; the watch makes one if none is given.
    watch_options& pool(std::shared_ptr<share_pool> p) { return pool_ = std::move(p), *this; }

    const std::string& resource_version() const noexcept { return resource_version_; }
    bool bookmarks() const noexcept { return bookmarks_; }
    bool initial_events() const noexcept { return initial_events_; }
    std::chrono::seconds timeout() const noexcept { return timeout_; }
    std::chrono::nanoseconds grace() const noexcept { return grace_; }
    std::chrono::nanoseconds idle() const noexcept { return idle_; }
    const std::shared_ptr<share_pool>& pool() const noexcept { return pool_; }

private:
    std::string resource_version_;
    bool bookmarks_ = true;
    bool initial_events_ = false;
    std::chrono::seconds timeout_ = default_timeout;
    std::chrono::nanoseconds grace_ = default_grace;
    std::chrono::nanoseconds idle_ = default_idle;
    std::shared_ptr<share_pool> pool_;
};

/// What a server does about fields that it does not know, and about members that come twice.
/// Source: https://kubernetes.io/docs/reference/using-api/api-concepts/#field-validation
enum class field_validation {
    ignore,  ///< drops them
    warn,    ///< drops them and says so in a Warning header; what servers do when nothing is said
    strict,  ///< refuses the request with bad_request or invalid; what they do of an apply
};

// What a patch may be; see client::patch().
inline constexpr const char* json_patch_type = "application/json-patch+json";
inline constexpr const char* merge_patch_type = "application/merge-patch+json";
/// Merges lists by their keys. Servers know it of built-in kinds only; of others they answer unsupported_media_type.
inline constexpr const char* strategic_merge_patch_type = "application/strategic-merge-patch+json";

/// Options of create, update and patch.
class write_options : public call_options<write_options> {
public:
    /// Who owns the fields written (metadata.managedFields). Empty: the server makes it of the user agent.
    write_options& field_manager(std::string m) { return field_manager_ = std::move(m), *this; }
    /// The server does all of it, admission included, but keeps nothing.
    write_options& dry_run(bool on = true) { return dry_run_ = on, *this; }
    /// "status", "approval"…: writes the subresource instead of the object. It is for those that are written with the
    /// object itself; one of another kind (a Scale, an Eviction) is for client::subresource().
    write_options& subresource(std::string s) { return subresource_ = std::move(s), *this; }
    /// Default: the server's choice, which is to warn.
    write_options& field_validation(kcontrol::field_validation v) { return field_validation_ = v, *this; }

    const std::string& field_manager() const noexcept { return field_manager_; }
    bool dry_run() const noexcept { return dry_run_; }
    const std::string& subresource() const noexcept { return subresource_; }
    const std::optional<kcontrol::field_validation>& field_validation() const noexcept { return field_validation_; }

private:
    std::string field_manager_, subresource_;
    std::optional<kcontrol::field_validation> field_validation_;
    bool dry_run_ = false;
};

/// Options of a server-side apply.
class apply_options : public call_options<apply_options> {
public:
    /// `field_manager` names who applies, and owns what is applied: always the same for one writer, so that what he no
    /// longer applies is removed. 1 to 128 printable characters; the call refuses others.
    explicit apply_options(std::string field_manager) : field_manager_(std::move(field_manager)) {}

    /// Takes over the fields that others own with another value, instead of ending with a conflict.
    apply_options& force(bool on = true) { return force_ = on, *this; }
    /// The server does all of it, admission included, but keeps nothing.
    apply_options& dry_run(bool on = true) { return dry_run_ = on, *this; }
    /// "status": applies to the subresource instead of the object; see write_options::subresource().
    apply_options& subresource(std::string s) { return subresource_ = std::move(s), *this; }
    /// Applies only to the object with this uid; it is then never created.
    apply_options& precondition_uid(std::string uid) { return uid_ = std::move(uid), *this; }
    /// Applies only to this version of the object.
    apply_options& precondition_resource_version(std::string v) { return resource_version_ = std::move(v), *this; }
    /// Instead of what the constructor was given; the same rules.
    apply_options& field_manager(std::string m) { return field_manager_ = std::move(m), *this; }
    /// Default: the server's choice, which is to be strict.
    apply_options& field_validation(kcontrol::field_validation v) { return field_validation_ = v, *this; }

    const std::string& field_manager() const noexcept { return field_manager_; }
    bool force() const noexcept { return force_; }
    bool dry_run() const noexcept { return dry_run_; }
    const std::string& subresource() const noexcept { return subresource_; }
    const std::string& precondition_uid() const noexcept { return uid_; }
    const std::string& precondition_resource_version() const noexcept { return resource_version_; }
    const std::optional<kcontrol::field_validation>& field_validation() const noexcept { return field_validation_; }

private:
    std::string field_manager_, subresource_, uid_, resource_version_;
    std::optional<kcontrol::field_validation> field_validation_;
    bool force_ = false;
    bool dry_run_ = false;
};

enum class propagation { background, foreground, orphan };

/// Options of delete_() and delete_collection().
class delete_options : public call_options<delete_options> {
public:
    /// What becomes of the objects that it owns. Default: the kind's, mostly background.
    delete_options& propagation_policy(propagation p) { return propagation_ = p, *this; }
    /// How long it may take to end, as a Pod does; 0: at once. Default: the object's own, or the kind's.
    delete_options& grace_period(std::chrono::seconds s) { return grace_ = s, *this; }
    /// Deletes only the object with this uid.
    delete_options& precondition_uid(std::string uid) { return uid_ = std::move(uid), *this; }
    /// Deletes only this version of the object; conflict if there is another one.
    delete_options& precondition_resource_version(std::string v) { return resource_version_ = std::move(v), *this; }
    /// That there is no such object, or no such kind, is a success, as it is for who cleans up.
    delete_options& ignore_not_found(bool on = true) { return ignore_not_found_ = on, *this; }
    /// The server does all of it, admission included, but deletes nothing.
    delete_options& dry_run(bool on = true) { return dry_run_ = on, *this; }

    const std::optional<propagation>& propagation_policy() const noexcept { return propagation_; }
    const std::optional<std::chrono::seconds>& grace_period() const noexcept { return grace_; }
    const std::string& precondition_uid() const noexcept { return uid_; }
    const std::string& precondition_resource_version() const noexcept { return resource_version_; }
    bool ignore_not_found() const noexcept { return ignore_not_found_; }
    bool dry_run() const noexcept { return dry_run_; }

private:
    std::optional<propagation> propagation_;
    std::optional<std::chrono::seconds> grace_;
    std::string uid_, resource_version_;
    bool ignore_not_found_ = false;
    bool dry_run_ = false;
};

}  // namespace kcontrol
