// Writes of requests: begun, admitted by webhooks, prepared, validated by webhooks, stored.
#pragma once

#include "testserver/admission_chain.hpp"
#include "testserver/direct_writes.hpp"
#include "testserver/object_store.hpp"
#include "testserver/parsed_request.hpp"
#include "testserver/version_converter.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// A write that goes through admission.
class write_order {
public:
    object_store::table_ptr table;                 ///< of the object's kind
    namespaced_name key;                           ///< of what there is; without a name: something new
    admission_attributes about;                    ///< what webhooks are told; write() fills in operation and name
    std::vector<std::string>* warnings = nullptr;  ///< not null at write(); webhooks add theirs
    /// Begins it with what there is now, in the version of the request, or null.
    std::function<outcome<pending_write>(const object_ptr& live)> begin;
    /// Of a subresource that is an object of its own (a scale): the object as that, and what that says put back.
    std::function<json::value(const json::value& whole)> show;
    /// Puts what webhooks made of that into the whole object.
    std::function<void(json::value& whole, const json::value& shown)> put_back;
};

/// What a write came to: the object in the version of the request.
class write_result {
public:
    object_ptr object;     ///< as it is now, or after a dry run would be
    bool created = false;  ///< it was not there before: the answer is 201
};

/// What admission is told of a request.
admission_attributes attributes_of(const parsed_request& asked, const resource_type& type);

/// The way of a write through admission. Touched on the server's executor only.
class admitted_writes {
public:
    /// All five outlive it.
    admitted_writes(object_store& store, admission_chain& admission, version_converter& converter,
                    definition_controller& definitions, direct_writes& direct)
        : store_(store), admission_(admission), converter_(converter), definitions_(definitions), direct_(direct) {}

    awaitable<outcome<write_result>> write(write_order order);
    /// Deletes what the request, or one object of its list, is about.
    awaitable<outcome<delete_result>> remove(const parsed_request& asked, object_store::table_ptr table,
                                             namespaced_name key, delete_request request,
                                             std::vector<std::string>& warnings);

private:
    awaitable<outcome<void>> admit(const write_order& order, const admission_attributes& about, pending_write& pending);
    awaitable<outcome<void>> validate(const write_order& order, const admission_attributes& about,
                                      const pending_write& pending);

    object_store& store_;
    admission_chain& admission_;
    version_converter& converter_;
    definition_controller& definitions_;
    direct_writes& direct_;
};

}  // namespace kcontrol::testing::detail
