// What the client's tests share: a client over a scripted transport, and a kind whose decoding is written by hand.
#pragma once

#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/json/writer.hpp>
#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/scripted_transport.hpp>

#include "support/print.hpp"

#include <exception>
#include <optional>

namespace kcontrol::test {

using testing::manual_environment;
using testing::scripted_transport;
using testing::start;
using testing::stream_end;

/// spec.size must be an integer, and metadata.name a string; a "bad" object has something else there.
struct widget {
    object_meta metadata;
    std::int64_t size = 0;
};

inline result<any_object> decode_widget(const resource_info&, json::node from, share_pool*) {
    widget out;
    const json::node meta = from["metadata"];
    const auto text = [](json::node n) { return n.is_string() ? std::string(n.as_string()) : std::string(); };
    if (!meta.is_object() || !meta["name"].is_string()) return error(errc::decode_failed, "metadata.name: missing");
    out.metadata.name = text(meta["name"]);
    out.metadata.namespace_ = text(meta["namespace"]);
    out.metadata.resource_version = text(meta["resourceVersion"]);
    const json::node spec = from["spec"];
    if (spec.is_object()) {
        if (spec["size"].kind() != json::kind::integer) {
            return error(errc::decode_failed, "spec.size: expected an integer");
        }
        out.size = spec["size"].as_int64();
    }
    return any_object(std::make_shared<const widget>(out));
}

inline std::string encode_widget(const any_object& object, const resource_info& info) {
    json::writer out;
    out.begin_object();
    out.member("apiVersion", info.gvk.api_version());
    out.member("kind", info.gvk.kind);
    out.key("metadata");
    out.begin_object();
    out.member("name", object.meta().name);
    out.end_object();
    out.end_object();
    return out.take();
}

inline const resource_info& widgets() {
    static const resource_info info({"example.com", "v1", "Widget"}, "widgets", resource_scope::namespaced,
                                    decode_widget, encode_widget);
    return info;
}

/// Of the core group, and cluster-scoped.
inline const resource_info& nodes() {
    static const resource_info info({"", "v1", "Node"}, "nodes", resource_scope::cluster, decode_widget, encode_widget);
    return info;
}

inline any_object make_widget(std::string ns, std::string name) {
    widget out;
    out.metadata.namespace_ = std::move(ns);
    out.metadata.name = std::move(name);
    return any_object(std::make_shared<const widget>(out));
}

inline std::string widget_json(std::string_view name, std::string_view version = "1", std::string_view size = "1") {
    return R"({"metadata":{"namespace":"default","name":")" + std::string(name) + R"(","resourceVersion":")" +
           std::string(version) + R"("},"spec":{"size":)" + std::string(size) + "}}";
}

template <class T>
awaitable<void> keep_outcome(awaitable<T> task, std::optional<T>& out) {
    out.emplace(co_await std::move(task));
}

class client_fixture {
public:
    client_fixture() {
        config.server(http::endpoint("https", "api.test", 6443));
        log = logger(
            [this](const log_record& record) {
                std::string line(record.message);
                for (const auto& field : record.fields) line += " " + std::string(field.name) + "=" + field.value;
                logged.push_back(std::move(line));
            },
            log_level::debug);
    }

    client connect() {
        auto made = client::connect(env, context.get_executor(), config, net->factory(), log);
        REQUIRE(made.has_value());
        return *made;
    }

    /// Runs a call to its end. Time jumps to the next timer when nothing else is left to do.
    template <class T>
    T await(awaitable<T> task) {
        return testing::run(context, env, std::move(task));
    }

    boost::asio::io_context context;
    manual_environment env;
    std::shared_ptr<scripted_transport> net = std::make_shared<scripted_transport>(env);
    auth::cluster_config config;
    logger log;
    std::vector<std::string> logged;
};

inline constexpr const char* widgets_path = "/apis/example.com/v1/namespaces/default/widgets";

}  // namespace kcontrol::test
