// A patch of any edit of any list of any built-in kind, through any projection, gives no element what belongs to
// another.
#include "support/list_edits.hpp"

#include <kcontrol/api/kinds.hpp>
#include <kcontrol/codec/patch_between.hpp>
#include <kcontrol/documents/patch.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol_test;

namespace {

any_object read(const resource_info& info, const json::value& object) {
    const auto out = info.decode_text(json::serialize(object));
    REQUIRE_MESSAGE(out.has_value(), out.error().message());
    return *out;
}

json::value applied(json::value target, const object_patch& patch) {
    if (patch.empty()) return target;
    const auto body = json::parse(patch.text).value();
    if (patch.content_type == "application/merge-patch+json") {
        json::apply_merge_patch(target, body);
    } else {
        const auto done = json::apply_patch(target, body);
        REQUIRE_MESSAGE(done.has_value(), patch.text);
    }
    return target;
}

}  // namespace

TEST_CASE("list edits: a built-in kind's own type declares all of its lists") {
    for (const resource_info* kind : api::builtin_kinds()) {
        CAPTURE(kind->gvk.kind);
        random_source random(7);
        for (int i = 0; i < 20; ++i) {
            json::value object = random_object_of(*kind, random);
            std::vector<placed_list> lists;
            find_lists(*kind->type, place_in_kind(*kind), object, "", lists);
            for (const auto& one : lists) {
                CAPTURE(one.path);
                if (one.path == "metadata.managedFields") continue;
                CHECK(one.place.is_builtin_list());
                CHECK(one.place.element().declares_all());
            }
        }
    }
}

TEST_CASE("list edits: what a projection does not declare stays with its element, or nothing is sent") {
    std::size_t cases = 0, refused = 0;
    for (const resource_info* kind : api::builtin_kinds()) {
        for (std::uint64_t seed = 0; seed < 120; ++seed) {
            random_source random(seed * 1000 + 17);
            const projection part(*kind, random, random.chance(50) ? 60 : 90);
            json::value original = random_object_of(*kind, random);
            std::vector<placed_list> lists;
            find_lists(*part.info().type, place_in_kind(part.info()), original, "", lists);
            list_editor::double_some(lists, random);
            lists.clear();
            find_lists(*part.info().type, place_in_kind(part.info()), original, "", lists);
            keep_declared_where_complete(lists);
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
            const auto patch = patch_between(part.info(), read(part.info(), original), read(part.info(), wanted));
            ++cases;
            if (!patch) {
                ++refused;
                CHECK(patch.error() == errc::invalid_argument);
                // The list, or one that it is in.
                const std::string prefix = "patch of ns/n: ";
                const std::string message = patch.error().message();
                CHECK(message.starts_with(prefix));
                const auto end = message.find(": ", prefix.size());
                CHECK_MESSAGE(chosen.path.starts_with(message.substr(prefix.size(), end - prefix.size())), message);
                continue;
            }
            const json::value got = applied(original, *patch);
            CAPTURE(patch->text);
            // Elements that look alike may have changed places, or one may be gone and another one there: nobody sees
            // it.
            if (edits > 1 && (has_alike(chosen) || editor.changed_wholly())) continue;
            const bool same =
                normal(got) == normal(wanted) || without_order(normal(got)) == without_order(normal(wanted));
            CHECK_MESSAGE(same, json::serialize(got));
        }
    }
    MESSAGE(cases << " cases, " << refused << " refused");
    CHECK(cases > 1500);
    CHECK(refused < cases / 3);
}
