// Objects of custom kinds in other versions than they are stored in: by a webhook where the definition names one.
#pragma once

#include <kcontrol/runtime/environment.hpp>

#include "testserver/object_store.hpp"
#include "testserver/webhook_caller.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing::detail {

/// Converts objects between the versions of their kind. Touched on the server's executor only.
class version_converter {
public:
    /// `prunes`: converted objects lose the fields that their schema does not know. `env` and `webhooks` outlive it.
    version_converter(environment& env, webhook_caller& webhooks, bool prunes)
        : env_(env), webhooks_(webhooks), prunes_(prunes) {}

    /// An object with apiVersion and kind in another version.
    awaitable<outcome<json::value>> convert(const resource_type& type, json::value object, std::string version);
    /// Stored objects in that version.
    awaitable<outcome<std::vector<object_ptr>>> shown_in(object_store::table_ptr table, std::vector<object_ptr> objects,
                                                         std::string version);
    awaitable<outcome<object_ptr>> shown_in(object_store::table_ptr table, object_ptr object, std::string version);
    /// The same for lists and watches: the webhook converts each object only once.
    awaitable<outcome<std::vector<object_ptr>>> shown_from_cache(object_store::table_ptr table,
                                                                 std::vector<object_ptr> objects, std::string version);

private:
    awaitable<outcome<json::array>> convert_all(const resource_type& type, json::array objects, std::string version);

    environment& env_;
    webhook_caller& webhooks_;
    bool prunes_;
    using converted_versions = std::map<std::string, object_ptr>;
    std::map<std::weak_ptr<const stored_object>, converted_versions, std::owner_less<>> converted_;
    std::size_t converted_purge_at_ = 1000;
};

}  // namespace kcontrol::testing::detail
