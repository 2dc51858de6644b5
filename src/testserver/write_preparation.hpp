// What an object becomes before it is stored: names, defaults, what only the server sets, and who owns its fields.
// Pure.
#pragma once

#include <kcontrol/testing/api_server_options.hpp>

#include "testserver/field_managers.hpp"
#include "testserver/resource_table.hpp"
#include "testserver/write_rules.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

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
    json::value whole(const resource_type& type) const;
};

namespace detail {

/// Resources on which the server itself acts: namespaces, and CustomResourceDefinitions.
const group_resource& namespaces_id();
const group_resource& definitions_id();

/// Who writes, as managedFields name him.
field_writer writer_of(const resource_type& type, const write_target& target, std::string now);

}  // namespace detail

/// Prepares the writes of an object_store.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class write_preparation {
public:
    using table_map = std::map<group_resource, std::shared_ptr<resource_table>>;

    /// All three outlive it.
    write_preparation(const store_inputs& inputs, const store_options& options, const table_map& tables)
        : inputs_(inputs), options_(options), tables_(tables) {}

    /// Reads an object as its kind's type has it, with default_and_validate().
    outcome<void> read_as_typed(const resource_type& type, const write_target& target, json::object& body) const;
    /// Whether the namespace is there and takes a new object of that name.
    outcome<void> check_namespace(const resource_type& type, const write_target& target, std::string_view name) const;
    /// Sets what the server sets: name, uid, times, generation, managedFields; defaults and validates.
    outcome<void> prepare(const resource_table& table, pending_write& write) const;

private:
    outcome<void> prepare_new(const resource_table& table, pending_write& write, json::object& body) const;
    outcome<void> prepare_changed(const resource_type& type, pending_write& write, json::object& body) const;
    /// What a new object is given, or one that replaces `before`; and what is wrong with it then.
    outcome<void> complete(const resource_type& type, const write_target& target, json::object& body,
                           const json::object* before) const;
    /// The managedFields of a new object, by what its kind has without any doing.
    json::array first_managed_fields(const resource_type& type, const write_target& target,
                                     const json::object& body) const;
    outcome<void> choose_name(const resource_table& table, const write_target& target, json::object& body) const;
    std::string make_uid() const;
    const resource_table* table_of(const group_resource& id) const;  // null: the kind is not served

    const store_inputs& inputs_;
    const store_options& options_;
    const table_map& tables_;
};

}  // namespace kcontrol::testing
