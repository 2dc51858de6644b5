// Lossless writes on the in-process API server; tests/e2e/test_lossless.py is the same on a real one.
#include <kcontrol/documents/patch.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/transport/client.hpp>

#include "lossless/cases.hpp"

#include <doctest/doctest.h>

#include <optional>

using namespace kcontrol_test;

namespace {

namespace http = kcontrol::http;

json::value* child(json::value& of, const json::value& at) {
    if (of.is_array()) return &of.as_array().at(at.to_number<std::size_t>());
    return of.as_object().if_contains(at.as_string());
}

void apply(const json::array& edits, json::value& to) {
    for (const auto& each : edits) {
        const auto& path = each.at("path").as_array();
        auto* place = &to;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
            auto* next = child(*place, path[i]);
            if (next == nullptr) next = &(place->as_object()[path[i].as_string()] = json::object());
            place = next;
        }
        const auto& e = each.as_object();
        if (place->is_array()) {
            auto& list = place->as_array();
            const auto at = list.begin() + path.back().to_number<std::ptrdiff_t>();
            if (e.contains("remove")) {
                list.erase(at);
            } else if (e.contains("insert")) {
                list.insert(at, e.at("insert"));
            } else {
                *at = e.at("set");
            }
        } else if (e.contains("remove")) {
            place->as_object().erase(path.back().as_string());
        } else {
            place->as_object()[path.back().as_string()] = e.at("set");
        }
    }
}

json::value without_version(json::value object) {
    auto& metadata = object.as_object()["metadata"].as_object();
    metadata.erase("resourceVersion");
    metadata.erase("generation");
    for (const char* member : {"labels", "annotations"}) {
        const auto* entries = metadata.if_contains(member);
        if (entries != nullptr && entries->is_object() && entries->as_object().empty()) metadata.erase(member);
    }
    return object;
}

class fixture {
public:
    fixture() : server(env, context.get_executor(), {}, false) {
        for (const auto& each : lossless_cases()) {
            const auto& gvk = each.info->gvk;
            server.api().register_resource({gvk.group, gvk.version, gvk.kind, each.info->plural});
        }
        REQUIRE(server.start().has_value());
        api.emplace(
            kcontrol::client::connect(env, context.get_executor(), server.config(), http::make_transport_factory(env))
                .value());
    }
    ~fixture() {
        api->close();
        kcontrol::testing::run(context, server.stop());
    }

    template <class T>
    kcontrol::result<T> await(kcontrol::awaitable<kcontrol::result<T>> task) {
        std::optional<kcontrol::result<T>> out;
        kcontrol::testing::run(context, keep(std::move(task), out));
        return std::move(*out);
    }
    template <class T>
    static kcontrol::awaitable<void> keep(kcontrol::awaitable<kcontrol::result<T>> task,
                                          std::optional<kcontrol::result<T>>& out) {
        out.emplace(co_await std::move(task));
    }

    /// The object as it is stored.
    json::value stored(const made_object& of) {
        const auto name = std::string(json::get_string(of.object, {"metadata", "name"}));
        return server.api().get({of.of->info->gvk.group, of.of->info->plural}, {"default", name}).value();
    }

    kcontrol::system_environment env;
    boost::asio::io_context context;
    kcontrol::testing::local_api_server server;
    std::optional<kcontrol::client> api;
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "what was not edited is afterwards what it was before") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        auto made = make_object(seed);
        REQUIRE(server.api().create(made.object).has_value());
        const kcontrol::namespaced_name key("default",
                                            std::string(json::get_string(made.object, {"metadata", "name"})));
        for (std::size_t i = 0; i < made.of->types.size(); ++i) {
            const auto& type = made.of->types[i];
            INFO("seed ", seed, ", edited as ", std::string(type.name));
            auto wanted = stored(made);
            const auto before = json::serialize(wanted);
            const auto edits = await(type.run(*api, key, seed + i));
            CAPTURE(edits.has_error() ? edits.error().what() : "");
            REQUIRE(edits.has_value());
            apply(*edits, wanted);
            CHECK(json::serialize(wanted) != before);
            const auto after = without_version(stored(made));
            wanted = without_version(std::move(wanted));
            CAPTURE(json::serialize(json::diff(wanted, after)));
            CHECK(json::equal(after, wanted));
        }
    }
}

TEST_CASE_FIXTURE(fixture, "the same comparison sees what a replacement loses") {
    auto made = make_object(4);
    REQUIRE(made.of->unknown);
    REQUIRE(server.api().create(made.object).has_value());
    const kcontrol::namespaced_name key("default", std::string(json::get_string(made.object, {"metadata", "name"})));
    const auto before = without_version(stored(made));
    auto read = await(api->get<thing>(key));
    REQUIRE(read.has_value());
    read->spec.size = 3;
    REQUIRE(await(api->update(*read)).has_value());
    const auto after = without_version(stored(made));
    CHECK(json::diff(before, after).size() > 1);
}
