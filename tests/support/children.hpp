// A reconcile that looks at a list and makes what is missing, in tests of reads that see one's own writes.
#pragma once

#include "support/widget_world.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace kcontrol::test {

/// Makes gadgets named after an owner until there are as many as are wanted, by the list.
inline awaitable<result<void>> make_children(client c, std::string owner, list_options which, std::size_t wanted) {
    which.in_namespace("default").label_selector("owner=" + owner);
    const auto present = co_await c.list<gadget>(std::move(which));
    if (!present) co_return present.error();
    for (std::size_t i = present->size(); i < wanted; ++i) {
        gadget child;
        child.metadata.namespace_ = "default";
        child.metadata.generate_name = owner + "-";
        child.metadata.labels["owner"] = owner;
        const auto made = co_await c.create(child);
        if (!made) co_return made.error();
    }
    co_return result<void>();
}

/// How many gadgets of that owner the server has.
inline std::size_t count_children(const testing::api_server& api, const std::string& owner) {
    const auto all = api.list({"test.kcontrol.dev", "gadgets"});
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const json::value& one) {
        return json::get_string(one, {"metadata", "labels", "owner"}) == owner;
    }));
}

}  // namespace kcontrol::test
