// What a defaulter's edit of any list of any built-in kind, through any projection, does to members that it does not
// see.
#include "support/list_edits.hpp"

#include <kcontrol/api/kinds.hpp>
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/webhook/object_edit.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol_test;

namespace {

std::string encoded(const resource_info& info, const json::value& object) {
    return info.encode(info.decode_text(json::serialize(object)).value()).value();
}

}  // namespace

TEST_CASE("list edits: what a defaulter's type does not declare stays with its element, or the request is refused") {
    std::size_t cases = 0, refused = 0;
    for (const resource_info* kind : api::builtin_kinds()) {
        for (std::uint64_t seed = 0; seed < 120; ++seed) {
            random_source random(seed * 1000 + 23);
            const projection part(*kind, random, random.chance(50) ? 60 : 100);
            json::value original = random_object_of(*kind, random);
            std::vector<placed_list> lists;
            find_lists(*part.info().type, place_in_kind(part.info()), original, "", lists);
            list_editor::double_some(lists, random);
            json::value wanted = original;
            lists.clear();
            find_lists(*part.info().type, place_in_kind(part.info()), wanted, "", lists);
            if (lists.empty()) continue;
            list_editor editor(random);
            auto& chosen = lists[random.below(lists.size())];
            std::string what;
            const auto edits = 1 + random.below(2);
            for (auto left = edits; left > 0; --left) what += (what.empty() ? "" : ", ") + editor.edit(chosen);
            CAPTURE(kind->gvk.kind);
            CAPTURE(seed);
            CAPTURE(chosen.path);
            CAPTURE(what);
            CAPTURE(json::serialize(original));
            CAPTURE(json::serialize(wanted));
            json::document document;
            const std::string text = json::serialize(original);
            const auto root = document.parse(text).value();
            const std::string before = encoded(part.info(), original), after = encoded(part.info(), wanted);
            const bool typed = random.chance(70);
            const auto patch =
                typed ? json_patch_of_edit(part.info(), root, before, after) : json_patch_of_edit(root, before, after);
            ++cases;
            if (!patch) {
                ++refused;
                CHECK(patch.error() == errc::invalid_argument);
                const std::string message = patch.error().message();
                CHECK_MESSAGE(chosen.path.starts_with(message.substr(0, message.find(": "))), message);
                continue;
            }
            json::value got = original;
            if (!patch->empty()) REQUIRE(json::apply_patch(got, json::parse(*patch).value()));
            if (edits > 1 && (has_alike(chosen) || editor.changed_wholly()))
                continue;  // one may be gone and another one there: nobody sees it
            CAPTURE(*patch);
            const bool same =
                normal(got) == normal(wanted) || without_order(normal(got)) == without_order(normal(wanted));
            CHECK_MESSAGE(same, json::serialize(got));
        }
    }
    MESSAGE(cases << " cases, " << refused << " refused");
    CHECK(cases > 1500);
    CHECK(refused < cases / 3);
}
