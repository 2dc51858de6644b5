// changed(&spec::member), status_changed and content_changed: which updates pass.
#include <kcontrol/controller/changed.hpp>
#include <kcontrol/controller/dynamic_predicate.hpp>
#include <kcontrol/testing/fake_source.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <string>

using namespace kcontrol;
using kcontrol::testing::added;
using kcontrol::testing::deleted;
using kcontrol::testing::updated;

namespace {

struct tls_options {
    std::string secret;
    static constexpr auto kcontrol_fields() { return fields(field("secret", &tls_options::secret)); }
};
struct website_spec {
    std::string image;
    std::optional<std::int32_t> replicas;
    std::optional<tls_options> tls;
    std::vector<std::string> hosts;
    static constexpr auto kcontrol_fields() {
        return fields(field("image", &website_spec::image), field("replicas", &website_spec::replicas),
                      field("tls", &website_spec::tls), field("hosts", &website_spec::hosts));
    }
};
struct website_status {
    std::string phase;
    static constexpr auto kcontrol_fields() { return fields(field("phase", &website_status::phase)); }
};
struct website {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Website", "websites"};
    object_meta metadata;
    website_spec spec;
    std::optional<website_status> status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &website::spec), field("status", &website::status));
    }
};
struct website_v2 : website {
    static constexpr resource_name kcontrol_resource{"example.com", "v2", "Website", "websites"};
};

template <class T = website>
any_event change(const std::function<void(std::type_identity_t<T>&)>& edit,
                 const std::function<void(std::type_identity_t<T>&)>& before_it = {}) {
    T before;
    before.metadata.name = "a";
    before.metadata.resource_version = "1";
    if (before_it) before_it(before);
    T after = before;
    after.metadata.resource_version = "2";
    edit(after);
    return updated(any_object(std::make_shared<const T>(before)), any_object(std::make_shared<const T>(after)));
}

}  // namespace

TEST_CASE("which predicates a change of one field passes") {
    const predicate replicas = predicate_on<website>(changed(&website::spec, &website_spec::replicas));
    const predicate short_replicas = predicate_on<website>(changed(&website_spec::replicas));
    const predicate spec = predicate_on<website>(changed(&website::spec));
    const predicate secret = predicate_on<website>(changed(&website_spec::tls, &tls_options::secret));
    const predicate phase = predicate_on<website>(changed(&website_status::phase));
    const predicate labels = predicate_on<website>(changed(&object_meta::labels));
    const predicate status = predicate_on<website>(status_changed);
    struct row {
        const char* name;
        any_event event;
        bool replicas, spec, secret, phase, labels, status;
    };
    const auto with_tls = [](website& w) { w.spec.tls = tls_options{"one"}; };
    const auto with_status = [](website& w) { w.status = website_status{"Ready"}; };
    const row rows[] = {
        {"nothing", change([](website&) {}), false, false, false, false, false, false},
        {"replicas appear", change([](website& w) { w.spec.replicas = 0; }), true, true, false, false, false, false},
        {"replicas", change([](website& w) { w.spec.replicas = 3; }, [](website& w) { w.spec.replicas = 2; }), true,
         true, false, false, false, false},
        {"image", change([](website& w) { w.spec.image = "b"; }), false, true, false, false, false, false},
        {"a list", change([](website& w) { w.spec.hosts.emplace_back("h"); }), false, true, false, false, false, false},
        {"an optional step appears", change(with_tls), false, true, true, false, false, false},
        {"within an optional step", change([](website& w) { w.spec.tls->secret = "two"; }, with_tls), false, true, true,
         false, false, false},
        {"an optional step goes", change([](website& w) { w.spec.tls.reset(); }, with_tls), false, true, true, false,
         false, false},
        {"an optional step stays", change([](website& w) { w.spec.image = "b"; }, with_tls), false, true, false, false,
         false, false},
        {"the status appears", change(with_status), false, false, false, true, false, true},
        {"the status", change([](website& w) { w.status->phase = "Failed"; }, with_status), false, false, false, true,
         false, true},
        {"a label", change([](website& w) { w.metadata.labels["a"] = "b"; }), false, false, false, false, true, false},
        {"added", added(change([](website&) {}).new_object), true, true, true, true, true, true},
        {"deleted", deleted(change([](website&) {}).new_object), true, true, true, true, true, true},
    };
    for (const row& r : rows) {
        CAPTURE(r.name);
        CHECK(replicas(r.event) == r.replicas);
        CHECK(short_replicas(r.event) == r.replicas);
        CHECK(spec(r.event) == r.spec);
        CHECK(secret(r.event) == r.secret);
        CHECK(phase(r.event) == r.phase);
        CHECK(labels(r.event) == r.labels);
        CHECK(status(r.event) == r.status);
    }
}

TEST_CASE("a field of the base of a kind is one of the kind, and changes combine") {
    const predicate p = predicate_on<website_v2>(
        or_(changed(&website_v2::spec, &website_spec::replicas), changed(&website_spec::image)));
    CHECK(p(change<website_v2>([](website_v2& w) { w.spec.replicas = 2; })));
    CHECK(p(change<website_v2>([](website_v2& w) { w.spec.image = "b"; })));
    CHECK_FALSE(p(change<website_v2>([](website_v2& w) { w.spec.hosts.emplace_back("h"); })));
}

TEST_CASE("what changed within a dynamic object is said by a path") {
    const auto object = [](json::object content) {
        dynamic_object out;
        out.metadata.name = "a";
        out.content = dynamic_content(std::move(content));
        return any_object(std::make_shared<const dynamic_object>(std::move(out)));
    };
    const auto before = object({{"spec", {{"replicas", 1}, {"image", "a"}}}});
    const auto scaled = object({{"spec", {{"image", "a"}, {"replicas", 2}}}});
    const auto reported = object({{"spec", {{"replicas", 1.0}, {"image", "a"}}}, {"status", {{"phase", "Ready"}}}});
    const predicate replicas = content_changed({"spec", "replicas"});
    const predicate status = content_changed({"status"});
    CHECK(replicas(updated(before, scaled)));
    CHECK_FALSE(status(updated(before, scaled)));
    CHECK_FALSE(replicas(updated(before, reported)));
    CHECK(status(updated(before, reported)));
    CHECK(replicas(added(before)));
    CHECK(replicas(deleted(before)));
    CHECK_FALSE(content_changed({"spec", "image", "tag"})(updated(before, scaled)));
    CHECK(content_changed({})(updated(before, scaled)));
}
