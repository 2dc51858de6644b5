// Selectors of objects that are JSON, as PodDisruptionBudgets and webhook configurations have them.
#include "testserver/selector_match.hpp"

#include "testserver/admission_hooks.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using testing::selects_labels;
using testing::detail::selector_selects;

TEST_CASE("a selector of labels selects as Kubernetes' own") {
    struct row {
        const char* selector;
        bool selects;
    };
    const std::map<std::string, std::string> labels{{"app", "web"}, {"tier", "front"}};
    const row table[] = {
        {"{}", true},
        {R"({"matchLabels":{"app":"web","tier":"front"}})", true},
        {R"({"matchLabels":{"app":"web","tier":"back"}})", false},
        {R"({"matchExpressions":[{"key":"app","operator":"In","values":["api","web"]}]})", true},
        {R"({"matchExpressions":[{"key":"app","operator":"NotIn","values":["api","web"]}]})", false},
        {R"({"matchExpressions":[{"key":"zone","operator":"NotIn","values":["a"]}]})", true},
        {R"({"matchExpressions":[{"key":"app","operator":"Exists"},{"key":"zone","operator":"Exists"}]})", false},
        {R"({"matchExpressions":[{"key":"zone","operator":"DoesNotExist"}]})", true},
        {R"({"matchLabels":{"app":"web"},"matchExpressions":[{"key":"tier","operator":"DoesNotExist"}]})", false},
        // Wrong ones, which a server without validation stores, select nothing.
        {R"({"matchExpressions":[{"key":"app","operator":"Near","values":["web"]}]})", false},
        {R"({"matchExpressions":[{"key":"app","operator":"In"}]})", false},
        {R"({"matchExpressions":[{"key":"app","operator":"Gt","values":["1"]}]})", false},
        {R"({"matchLabels":{"app":"web","no/name/":"x"}})", false},
    };
    for (const row& one : table) {
        CAPTURE(one.selector);
        const json::value selector = json::parse(one.selector).value();
        CHECK(selector_selects(&selector, labels) == one.selects);
        CHECK(selects_labels(selector, labels) == one.selects);
    }
    CHECK_FALSE(selector_selects(nullptr, labels));
    CHECK(selects_labels(json::value(), labels));  // a webhook without a selector is for all
}
