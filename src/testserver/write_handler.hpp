// Requests that create, update, patch or delete objects.
#pragma once

#include <kcontrol/json/reader.hpp>
#include <kcontrol/runtime/environment.hpp>

#include "testserver/admitted_writes.hpp"

namespace kcontrol::inline v0_1::testing::detail {

/// Answers writes of whole objects and of their parts (status, finalize). Touched on the server's executor only.
class write_handler {
public:
    /// All five outlive it.
    write_handler(environment& env, object_store& store, const definition_controller& definitions,
                  const direct_writes& direct, admitted_writes& writes)
        : env_(env), store_(store), definitions_(definitions), direct_(direct), writes_(writes) {}

    awaitable<outcome<http::response>> answer(const parsed_request& asked, object_store::table_ptr table);

private:
    outcome<write_order> order_write(const parsed_request& asked, object_store::table_ptr table,
                                     std::vector<std::string>& warnings);
    awaitable<outcome<http::response>> remove_one(const parsed_request& asked, object_store::table_ptr table);
    awaitable<outcome<http::response>> remove_many(const parsed_request& asked, object_store::table_ptr table);

    environment& env_;
    object_store& store_;
    const definition_controller& definitions_;
    const direct_writes& direct_;
    admitted_writes& writes_;
    json::document reader_;  // of patches
};

}  // namespace kcontrol::testing::detail
