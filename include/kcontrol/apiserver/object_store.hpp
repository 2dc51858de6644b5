// The in-process API server's memory: kinds, objects, one line of resource versions, and the rules of writing. Pure.
#pragma once

#include <kcontrol/apiserver/deletion.hpp>
#include <kcontrol/apiserver/resource_table.hpp>
#include <kcontrol/apiserver/write_rules.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::testing {

/// What the store can't know by itself; the simulator gives its own.
class store_inputs {
public:
    /// Gives the time, for creationTimestamp and its like; a store needs it.
    store_inputs& timestamp(std::function<std::string()> f) { return timestamp_ = std::move(f), *this; }
    /// Gives 64 random bits, for uids and generated names; a store needs it.
    store_inputs& random(std::function<std::uint64_t()> f) { return random_ = std::move(f), *this; }

    /// Now, as RFC 3339 text with seconds.
    std::string timestamp() const { return timestamp_(); }
    /// For uids and generated names.
    std::uint64_t random() const { return random_(); }

private:
    std::function<std::string()> timestamp_;
    std::function<std::uint64_t()> random_;
};

/// The settings of a store.
class store_options {
public:
    /// Changes that each kind remembers; what asks for older ones gets 410. Default 10,000.
    store_options& history_window(std::size_t events) { return history_window_ = events, *this; }
    /// The resourceVersion of an empty store; the first change gets the next. Default 100.
    store_options& first_version(std::uint64_t version) { return first_version_ = version, *this; }
    /// Refuses new objects in namespaces that are not there, with NotFound. Default true.
    store_options& require_namespace(bool yes) { return require_namespace_ = yes, *this; }

    /// Makes of objects what a real server does: reads them by their types, defaults, validates. Default false.
    store_options& default_and_validate(bool yes) { return default_and_validate_ = yes, *this; }
    /// Lets a delete set the finalizers orphan and foregroundDeletion, for a collector. Default false.
    store_options& collects_garbage(bool yes) { return collects_garbage_ = yes, *this; }

    /// How many changes each kind remembers.
    std::size_t history_window() const noexcept { return history_window_; }
    std::uint64_t first_version() const noexcept { return first_version_; }
    /// Whether a namespace must exist before objects are created in it.
    bool require_namespace() const noexcept { return require_namespace_; }
    /// Whether objects of Kubernetes' own kinds are read, defaulted and validated as a real server does it, and every
    /// object's managedFields are kept from its first write on.
    bool default_and_validate() const noexcept { return default_and_validate_; }
    /// Whether somebody acts on the finalizers orphan and foregroundDeletion, so that a delete sets them.
    bool collects_garbage() const noexcept { return collects_garbage_; }

private:
    std::size_t history_window_ = 10'000;
    std::uint64_t first_version_ = 100;
    bool require_namespace_ = true;
    bool collects_garbage_ = false;
    bool default_and_validate_ = false;
};

/// What a delete came to.
class delete_result {
public:
    object_ptr object;     ///< as it is now, or was at its end
    bool deleted = false;  ///< false: finalizers or its grace keep it, terminating
};

/// What an apply came to.
class apply_result {
public:
    object_ptr object;     ///< as it is now, or after a dry run would be
    bool created = false;  ///< there was none before
};

/// A write between its beginning and its end: where admission comes in.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class pending_write {
public:
    write_target target;  ///< its version is filled in, where it was empty
    json::object body;    ///< what the object becomes, without apiVersion and kind
    object_ptr stored;    ///< what it replaces, as it is stored; null: a new object
    object_ptr live;      ///< the same in the target's version
    json::object before;  ///< its content, once the write is prepared
    /// Of an apply, or of a writer who says that nobody owns anything: what metadata.managedFields becomes.
    std::optional<json::array> managed;
    /// What the writer wanted, if admission has changed that since: its fields are his, others are nobody's.
    std::optional<json::object> asked;
    /// The body in the version in which the kind is kept, where that is another one that somebody converts to.
    std::optional<json::object> encoded;

    bool creates() const noexcept { return stored == nullptr; }  ///< it makes a new object
    /// The body with apiVersion and kind.
    KCONTROL_DECL json::value whole(const resource_type& type) const;
};

/// Everything a store held at some time.
class store_snapshot {
public:
    std::map<group_resource, resource_table> tables;  ///< with all objects, which are shared with the store
    std::uint64_t version = 0;                        ///< of the last change by then
};

/// Kinds and objects. Deleting a namespace deletes what is in it. With default_and_validate() Kubernetes' own kinds are
/// defaulted and validated, and metadata.managedFields is kept of every object; without, of objects to which something
/// was applied, from then on: before that a field has no owner, and writes do no work for it.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class object_store {
public:
    /// Serves no kind before add_resource(). `inputs` has both functions.
    KCONTROL_DECL explicit object_store(store_inputs inputs, store_options options = {});

    /// Called after each change with the table that changed and what happened; with null when a kind ceases to be
    /// served.
    using listener = std::function<void(const resource_table&, const store_event*)>;
    void on_change(listener l) { listener_ = std::move(l); }  ///< takes the place of the one before; null: nobody

    using table_ptr = std::shared_ptr<resource_table>;  ///< the table lives on in who holds it, when its kind is gone

    /// Serves a kind; one that is served already gets its new type and keeps its objects.
    KCONTROL_DECL table_ptr add_resource(resource_type type);
    /// Deletes all objects of a kind and stops serving it. False if it was not served.
    KCONTROL_DECL bool remove_resource(const group_resource& id);
    /// The kind's table, or null.
    KCONTROL_DECL table_ptr table(const group_resource& id) const;
    const std::map<group_resource, table_ptr>& tables() const noexcept { return tables_; }  ///< by group and plural

    /// The version of the last change.
    std::uint64_t version() const noexcept { return version_; }

    /// Writes. `body` is a whole object, `target.version` a version that the type serves. A dry run does everything but
    /// the write. update() without a change returns the stored object.
    KCONTROL_DECL outcome<object_ptr> create(resource_table& table, write_target target, json::object body,
                                             bool dry_run = false);
    /// Replaces an object. Fails with NotFound but for kinds with create_on_update, which make it.
    KCONTROL_DECL outcome<object_ptr> update(resource_table& table, write_target target, json::object body,
                                             bool dry_run = false);
    /// Changes the stored object by `edit`, which gets it with apiVersion and kind.
    using editor = std::function<outcome<void>(json::value& whole)>;
    /// Fails as `edit` and update() do. Where `edit` leaves the resourceVersion, nobody's write is in the way.
    KCONTROL_DECL outcome<object_ptr> patch(resource_table& table, write_target target, const editor& edit,
                                            bool dry_run = false);
    /// Server-side apply by `target.manager`: `config` is what he wants of the object. See apply_fields().
    KCONTROL_DECL outcome<apply_result> apply(resource_table& table, write_target target, json::object config,
                                              bool force, bool dry_run = false);
    /// Deletes, or marks as terminating what finalizers or a grace keep. Fails with NotFound, Conflict or Forbidden.
    KCONTROL_DECL outcome<delete_result> remove(resource_table& table, const namespaced_name& key,
                                                const delete_request& request = {});

    /// The same step by step, for a server whose writes are admitted by others: begin, perhaps take_admitted(),
    /// prepare, perhaps `encoded`, finish. Between the steps others may write. `live`: the stored object in the
    /// target's version; null where all versions are the same.
    KCONTROL_DECL outcome<pending_write> begin_create(const resource_table& table, write_target target,
                                                      json::object body) const;
    /// Becomes a create where the object is not there and its kind has create_on_update.
    KCONTROL_DECL outcome<pending_write> begin_update(const resource_table& table, write_target target,
                                                      json::object body, object_ptr live = nullptr) const;
    /// Applies `edit` to `live`, here and now.
    KCONTROL_DECL outcome<pending_write> begin_patch(const resource_table& table, write_target target,
                                                     const editor& edit, object_ptr live = nullptr) const;
    /// Merges the fields here and now; conflicts with other managers fail unless `force`.
    KCONTROL_DECL outcome<pending_write> begin_apply(const resource_table& table, write_target target,
                                                     json::object config, bool force, object_ptr live = nullptr) const;
    /// Whether the namespace is there and takes a new object.
    KCONTROL_DECL outcome<void> may_create(const resource_type& type, const pending_write& write) const;
    /// Takes what admission made of the object, with apiVersion and kind.
    KCONTROL_DECL outcome<void> take_admitted(const resource_type& type, pending_write& write,
                                              json::object whole) const;
    /// Sets what the server sets: name, uid, times, generation, managedFields; defaults and validates.
    KCONTROL_DECL outcome<void> prepare(const resource_table& table, pending_write& write);
    /// Whether the object is still the one that the write began with.
    KCONTROL_DECL static bool is_current(const resource_table& table, const pending_write& write);
    /// Stores it. The object comes as it is stored.
    KCONTROL_DECL outcome<object_ptr> finish(resource_table& table, pending_write write, bool dry_run);

    KCONTROL_DECL store_snapshot snapshot() const;  ///< copies tables and history, but no objects
    /// Everything is as it was then, but for the history, which is forgotten. Kinds that were not served then are gone.
    /// Namespaces that were being deleted then go on being deleted.
    KCONTROL_DECL void restore(const store_snapshot& then);

    /// Forgets the history up to `version`, in all kinds.
    KCONTROL_DECL void compact(std::uint64_t version);
    /// How many changes each kind remembers from now on; older ones are forgotten at once.
    KCONTROL_DECL void set_history_window(std::size_t events);

private:
    KCONTROL_DECL outcome<object_ptr> store_at_once(resource_table& table, outcome<pending_write> begun, bool dry_run);
    /// What a write does to a body that admission may have changed, before it is stored.
    KCONTROL_DECL outcome<void> prepare_new(const resource_table& table, pending_write& write, json::object& body);
    KCONTROL_DECL outcome<void> prepare_changed(const resource_type& type, pending_write& write, json::object& body);
    /// Reads an object as its kind's type has it, if the store does that.
    KCONTROL_DECL outcome<void> read_as_typed(const resource_type& type, const write_target& target,
                                              json::object& body) const;
    /// What a new object is given, or one that replaces `before`; and what is wrong with it then.
    KCONTROL_DECL outcome<void> complete(const resource_type& type, const write_target& target, json::object& body,
                                         const json::object* before) const;
    /// The managedFields of a new object, by what its kind has without any doing.
    KCONTROL_DECL json::array first_managed_fields(const resource_type& type, const write_target& target,
                                                   const json::object& body) const;
    KCONTROL_DECL outcome<void> check_namespace(const resource_type& type, const write_target& target,
                                                std::string_view name) const;
    KCONTROL_DECL outcome<void> choose_name(const resource_table& table, const write_target& target,
                                            json::object& body);
    /// `written_in`: the version that the content is in; of an object that is there already its own.
    KCONTROL_DECL object_ptr commit(resource_table& table, const namespaced_name& key, change what,
                                    json::object content, std::string written_in = {});
    KCONTROL_DECL outcome<delete_result> remove_namespace(resource_table& table, const namespaced_name& key,
                                                          const object_ptr& stored, bool dry_run);
    KCONTROL_DECL void sweep_namespace(const std::string& name);
    KCONTROL_DECL std::string make_uid();

    store_inputs inputs_;
    store_options options_;
    listener listener_;
    std::map<group_resource, table_ptr> tables_;
    std::uint64_t version_;
    bool sweeping_ = false;
};

}  // namespace kcontrol::testing

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/apiserver/impl/object_store.ipp>
#include <kcontrol/apiserver/impl/object_store_apply.ipp>
#include <kcontrol/apiserver/impl/object_store_remove.ipp>
#endif
