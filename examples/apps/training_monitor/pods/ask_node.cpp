#include "pods/ask_node.hpp"

#include <kcontrol/codec/resource_of.hpp>

#include <chrono>
#include <utility>

namespace training_monitor {

kcontrol::awaitable<kcontrol::result<std::optional<training_node>>> ask_node(kcontrol::client from, std::string name,
                                                                             std::stop_token stop) {
    using outcome = kcontrol::result<std::optional<training_node>>;
    kcontrol::list_options which;
    which.field_selector("metadata.name=" + name).resource_version("0").limit(1);
    which.deadline(std::chrono::seconds(5)).stop(std::move(stop));
    const auto listed = co_await from.list_page<training_node>(std::move(which));
    if (!listed) co_return outcome(listed.error());
    if (listed->items.empty()) co_return outcome(std::nullopt);
    co_return outcome(*listed->items.front());
}

}  // namespace training_monitor
