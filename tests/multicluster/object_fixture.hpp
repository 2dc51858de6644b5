// A source whose clusters are objects of a home cluster, and what it has told.
#pragma once

#include <kcontrol/multicluster/cluster_source.hpp>

#include "support/has.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::test {

struct object_fixture : widget_world {
    using words = std::vector<std::string>;

    object_fixture() : at_home(add("home")) {}
    ~object_fixture() {
        source.reset();
        context.run_for(std::chrono::seconds(1));
    }

    template <class Source, class... Options>
    void use(Options&&... options) {
        source =
            std::make_unique<Source>(env, home, at_home.config(), network.factory(), std::forward<Options>(options)...);
    }
    void start() {
        REQUIRE(source
                    ->start([this](std::vector<desired_cluster> clusters) {
                        ++told;
                        last.clear();
                        for (auto& c : clusters) last.emplace(c.name, std::move(c));
                    })
                    .has_value());
        settle();
    }
    void settle(duration d = std::chrono::seconds(1)) { context.run_for(d); }

    /// Creates the object, or updates the one of its name.
    void put(const testing::group_resource& kind, json::value object) {
        const auto& meta = object.get_object().at("metadata").get_object();
        const json::value* ns = meta.if_contains("namespace");
        const namespaced_name key(ns == nullptr ? std::string() : std::string(ns->get_string()),
                                  std::string(meta.at("name").get_string()));
        if (const auto now = at_home.api.get(kind, key)) {
            const auto& version = now->get_object().at("metadata").get_object().at("resourceVersion");
            object.get_object()["metadata"].get_object()["resourceVersion"] = version;
            (void)at_home.api.update(std::move(object)).value();
        } else {
            (void)at_home.api.create(std::move(object)).value();
        }
        settle();
    }
    void remove(const testing::group_resource& kind, const std::string& ns, const std::string& name) {
        (void)at_home.api.remove(kind, {ns, name});
        settle();
    }
    words names() const {
        words out;
        for (const auto& [name, c] : last) out.push_back(name);
        return out;
    }
    /// Why it can't be used, or what is wrong though it can be.
    std::string why(const std::string& name) {
        const auto& c = last.at(name);
        return c.config ? c.warning : "failed: " + c.config.error().message();
    }

    widget_server& at_home;
    std::unique_ptr<cluster_source> source;
    std::map<std::string, desired_cluster> last;
    int told = 0;
};

}  // namespace kcontrol::test
