// What a server says that it serves, in all its forms, and the words that are looked up in it: the first line of the
// input is the word, the rest is the answer.
#include <kcontrol/client/api_catalog.hpp>

#include "require.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace kcontrol;
using fuzz::require;

namespace {

// Whatever was read can be looked up, and is found by its own names.
void look_up(const api_catalog& in, std::string_view word) {
    if (const auto* found = in.find(word)) {
        const auto* same = in.find(found->gvk);
        require(same != nullptr && same->gvk == found->gvk);
    }
    for (const auto* one : in.preferred()) {
        require(in.find(group_version_kind(one->gvk.group, {}, one->gvk.kind)) == one);
        for (const auto& category : one->categories) require(!in.in_category(category).empty());
        for (const auto& below : one->subresources) require(one->subresource(below.name) != nullptr);
    }
    for (const auto& one : in.failures) require(in.failure_of(one.group) != nullptr);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const auto line = all.find('\n');
    if (line == std::string_view::npos) return 0;
    json::document document;
    const auto root = document.parse(all.substr(line + 1));
    if (!root || !root->is_object()) return 0;
    const std::string_view word = all.substr(0, line);
    api_catalog aggregated;
    if (detail::add_aggregated(*root, aggregated)) look_up(aggregated, word);
    api_catalog groups;
    if (detail::add_groups(*root, groups)) {
        for (const auto& group : groups.groups) require(!group.versions.empty());
    }
    if (auto resources = detail::read_api_resources(*root, "g", "v1")) {
        api_catalog legacy;
        legacy.resources = std::move(*resources);
        look_up(legacy, word);
    }
    return 0;
}
