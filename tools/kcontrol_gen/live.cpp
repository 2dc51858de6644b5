#include "live.hpp"

#include <kcontrol/auth/kubeconfig.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "naming.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <exception>

namespace kcontrol_gen {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

namespace {

constexpr std::string_view crd_path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=50";

/// Adds the page's CRDs; gives the continue token.
result<std::string> add_page(const std::string& body, const std::vector<std::string>& wanted, std::vector<bool>& found,
                             const std::string& cluster, input& into) {
    const auto page = json::parse(body);
    if (!page) return page.error().with_context(cluster);
    for (const auto& item : array_of(*page, "items")) {
        const auto* metadata = member(item, "metadata");
        const auto* spec = member(item, "spec");
        const auto name = metadata != nullptr ? text_of(*metadata, "name") : std::string_view();
        const auto group = spec != nullptr ? text_of(*spec, "group") : std::string_view();
        bool chosen = wanted.empty();
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (wanted[i] != name && wanted[i] != group) continue;
            chosen = true;
            found[i] = true;
        }
        if (!chosen) continue;
        json::value crd = item;
        crd.as_object()["apiVersion"] = "apiextensions.k8s.io/v1";
        crd.as_object()["kind"] = "CustomResourceDefinition";
        bool used = false;
        const auto done = into.add_document(crd, cluster + ", " + printable(name), used);
        if (!done) return done.error();
    }
    const auto* metadata = member(*page, "metadata");
    return std::string(metadata != nullptr ? text_of(*metadata, "continue") : std::string_view());
}

void run(kcontrol::client& from, const std::vector<std::string>& wanted, const std::string& name, input& into,
         boost::asio::io_context& loop, result<void>& outcome) {
    const auto finished = [&](const std::exception_ptr& thrown, result<void> done) {
        if (thrown) std::rethrow_exception(thrown);
        outcome = std::move(done);
        from.close();
    };
    boost::asio::co_spawn(loop, add_cluster(from, wanted, name, into), finished);
    loop.run();
}

}  // namespace

kcontrol::awaitable<result<void>> add_cluster(kcontrol::client from, std::vector<std::string> wanted,
                                              std::string cluster_name, input& into) {
    std::vector<bool> found(wanted.size(), false);
    std::string next;
    do {
        kcontrol::http::request request("GET", std::string(crd_path));
        if (!next.empty()) request.target += "&continue=" + kcontrol::http::percent_encode(next);
        kcontrol::http::exchange_options bounds;
        const auto answer = co_await from.raw(request, bounds);
        if (!answer) co_return answer.error().with_context(cluster_name);
        const auto token = add_page(answer->body, wanted, found, cluster_name, into);
        if (!token) co_return token.error();
        next = *token;
    } while (!next.empty());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (found[i]) continue;
        co_return error(kcontrol::api_errc::not_found, cluster_name +
                                                           ": no CustomResourceDefinition has the name or the group " +
                                                           printable(wanted[i]) + "; `kubectl get crds` lists them");
    }
    co_return result<void>();
}

result<void> add_cluster(const std::string& kubeconfig, const std::string& context,
                         const std::vector<std::string>& wanted, input& into) {
    kcontrol::system_environment env;
    const auto file = kcontrol::auth::kubeconfig::load(env, kubeconfig, kcontrol::auth::trust::trusted);
    if (!file) return file.error();
    const auto config = file->resolve(env, context);
    if (!config) return config.error();
    boost::asio::io_context loop;
    const auto transports = kcontrol::http::make_transport_factory(env);
    auto from = kcontrol::client::connect(env, loop.get_executor(), *config, transports);
    if (!from) return from.error();
    result<void> outcome = error(errc::unavailable, "the call did not end");
    run(*from, wanted, config->server_url(), into, loop, outcome);
    return outcome;
}

}  // namespace kcontrol_gen
