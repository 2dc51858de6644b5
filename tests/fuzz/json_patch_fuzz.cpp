// Input: [document, patch] or [from, to]. A patch applies wholly or not at all; a diff leads where it should.
#include <kcontrol/documents/patch.hpp>

#include "require.hpp"

#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace json = kcontrol::json;
    using kcontrol::fuzz::require;
    const auto input = json::parse({reinterpret_cast<const char*>(data), size});
    if (!input || !input->is_array() || input->get_array().size() != 2) return 0;
    const json::value& first = input->get_array()[0];
    const json::value& second = input->get_array()[1];

    json::value patched = first;
    if (json::apply_patch(patched, second)) {
        const auto again = json::parse(json::serialize(patched));
        require(again && json::equal(*again, patched));
    } else {
        require(json::equal(patched, first));
    }

    json::value target = first;
    require(json::apply_patch(target, json::diff(first, second)).has_value());
    require(json::equal(target, second));

    json::value merged = first;
    json::apply_merge_patch(merged, second);
    json::value twice = merged;
    json::apply_merge_patch(twice, second);
    require(json::equal(merged, twice));
    return 0;
}
