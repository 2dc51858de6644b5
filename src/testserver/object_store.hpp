// The in-process API server's memory: kinds, objects, one line of resource versions, and the rules of writing. Pure.
#pragma once

#include <kcontrol/testing/api_server_options.hpp>
#include <kcontrol/testing/store_snapshot.hpp>

#include "testserver/deletion.hpp"
#include "testserver/resource_table.hpp"
#include "testserver/write_preparation.hpp"
#include "testserver/write_rules.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::testing {

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

namespace detail {

/// What a store_snapshot holds: all kinds, with their objects, which are shared with the store.
class stored_tables {
public:
    std::map<group_resource, resource_table> by_resource;
};

/// Those of a snapshot; none, if it has none.
const std::map<group_resource, resource_table>& tables_of(const store_snapshot& snapshot);

}  // namespace detail

/// Kinds and objects. Deleting a namespace deletes what is in it. With default_and_validate() Kubernetes' own kinds are
/// defaulted and validated, and metadata.managedFields is kept of every object; without, of objects to which something
/// was applied, from then on: before that a field has no owner, and writes do no work for it.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class object_store {
public:
    /// Serves no kind before add_resource(). `inputs` has both functions.
    explicit object_store(store_inputs inputs, store_options options = {});
    object_store(const object_store&) = delete;
    object_store& operator=(const object_store&) = delete;

    /// Called after each change with the table that changed and what happened; with null when a kind ceases to be
    /// served.
    using listener = std::function<void(const resource_table&, const store_event*)>;
    void on_change(listener l) { listener_ = std::move(l); }  ///< takes the place of the one before; null: nobody

    using table_ptr = std::shared_ptr<resource_table>;  ///< the table lives on in who holds it, when its kind is gone

    /// Serves a kind; one that is served already gets its new type and keeps its objects.
    table_ptr add_resource(resource_type type);
    /// Deletes all objects of a kind and stops serving it. False if it was not served.
    bool remove_resource(const group_resource& id);
    /// The kind's table, or null.
    table_ptr table(const group_resource& id) const;
    const std::map<group_resource, table_ptr>& tables() const noexcept { return tables_; }  ///< by group and plural

    /// The version of the last change.
    std::uint64_t version() const noexcept { return version_; }

    /// Writes. `body` is a whole object, `target.version` a version that the type serves. A dry run does everything but
    /// the write. update() without a change returns the stored object.
    outcome<object_ptr> create(resource_table& table, write_target target, json::object body, bool dry_run = false);
    /// Replaces an object. Fails with NotFound but for kinds with create_on_update, which make it.
    outcome<object_ptr> update(resource_table& table, write_target target, json::object body, bool dry_run = false);
    /// Changes the stored object by `edit`, which gets it with apiVersion and kind.
    using editor = std::function<outcome<void>(json::value& whole)>;
    /// Fails as `edit` and update() do. Where `edit` leaves the resourceVersion, nobody's write is in the way.
    outcome<object_ptr> patch(resource_table& table, write_target target, const editor& edit, bool dry_run = false);
    /// Server-side apply by `target.manager`: `config` is what he wants of the object. See apply_fields().
    outcome<apply_result> apply(resource_table& table, write_target target, json::object config, bool force,
                                bool dry_run = false);
    /// Deletes, or marks as terminating what finalizers or a grace keep. Fails with NotFound, Conflict or Forbidden.
    outcome<delete_result> remove(resource_table& table, const namespaced_name& key,
                                  const delete_request& request = {});

    /// The same step by step, for a server whose writes are admitted by others: begin, perhaps take_admitted(),
    /// prepare, perhaps `encoded`, finish. Between the steps others may write. `live`: the stored object in the
    /// target's version; null where all versions are the same.
    outcome<pending_write> begin_create(const resource_table& table, write_target target, json::object body) const;
    /// Becomes a create where the object is not there and its kind has create_on_update.
    outcome<pending_write> begin_update(const resource_table& table, write_target target, json::object body,
                                        object_ptr live = nullptr) const;
    /// Applies `edit` to `live`, here and now.
    outcome<pending_write> begin_patch(const resource_table& table, write_target target, const editor& edit,
                                       object_ptr live = nullptr) const;
    /// Merges the fields here and now; conflicts with other managers fail unless `force`.
    outcome<pending_write> begin_apply(const resource_table& table, write_target target, json::object config,
                                       bool force, object_ptr live = nullptr) const;
    /// Whether the namespace is there and takes a new object.
    outcome<void> may_create(const resource_type& type, const pending_write& write) const;
    /// Takes what admission made of the object, with apiVersion and kind.
    outcome<void> take_admitted(const resource_type& type, pending_write& write, json::object whole) const;
    /// Sets what the server sets: name, uid, times, generation, managedFields; defaults and validates.
    outcome<void> prepare(const resource_table& table, pending_write& write) const;
    /// Whether the object is still the one that the write began with.
    static bool is_current(const resource_table& table, const pending_write& write);
    /// Stores it. The object comes as it is stored.
    outcome<object_ptr> finish(resource_table& table, pending_write write, bool dry_run);

    store_snapshot snapshot() const;  ///< copies tables and history, but no objects
    /// Everything is as it was then, but for the history, which is forgotten. Kinds that were not served then are gone.
    /// Namespaces that were being deleted then go on being deleted.
    void restore(const store_snapshot& then);

    /// Forgets the history up to `version`, in all kinds.
    void compact(std::uint64_t version);
    /// How many changes each kind remembers from now on; older ones are forgotten at once.
    void set_history_window(std::size_t events);

private:
    outcome<object_ptr> store_at_once(resource_table& table, outcome<pending_write> begun, bool dry_run);
    /// `written_in`: the version that the content is in; of an object that is there already its own.
    object_ptr commit(resource_table& table, const namespaced_name& key, change what, json::object content,
                      std::string written_in = {});
    outcome<delete_result> remove_namespace(resource_table& table, const namespaced_name& key, const object_ptr& stored,
                                            bool dry_run);
    void sweep_namespace(const std::string& name);
    bool sweep_table(resource_table& table, const std::string& ns);
    /// An Event of `from` as it is stored in `to`, its other form.
    object_ptr in_other_form(const resource_table& from, const resource_table& to, const stored_object& event) const;
    /// A change as the table of the other form got it.
    class shared_change {
    public:
        table_ptr table;
        store_event event;
    };
    /// Commits the change of an Event in its other form, too, and notifies nobody. Nothing: it is another kind.
    std::optional<shared_change> share_event(const resource_table& table, const store_event& event);
    void share_restored_events();
    void adopt_schema(resource_table& table);

    store_inputs inputs_;
    store_options options_;
    listener listener_;
    std::map<group_resource, table_ptr> tables_;
    write_preparation preparation_;
    std::uint64_t version_;
    bool sweeping_ = false;
};

}  // namespace kcontrol::testing
