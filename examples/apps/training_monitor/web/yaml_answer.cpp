#include "web/yaml_answer.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/serve/responses.hpp>

#include "jobs/kind_names.hpp"
#include "pods/manifest_text.hpp"
#include "table/job_query.hpp"
#include "table/watched.hpp"
#include "web/compressed.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace training_monitor {
namespace {

namespace http = kcontrol::http;
using namespace std::chrono_literals;

constexpr int most_at_once = 4;
// etcd takes objects of 1.5 MiB, unless somebody told it otherwise.
constexpr std::size_t most_read = std::size_t{8} << 20;

// What the job is in its cluster's API; nothing of a kind that this program does not watch.
std::optional<kcontrol::resource_info> resource_of(const job_view& job) {
    for (const auto& choice : choose_kinds({std::string(job.kind)})) {
        for (const auto* version : choice.versions) {
            if (version->gvk.api_version() != job.api_version) continue;
            return kcontrol::dynamic_resource(version->gvk, version->plural);
        }
    }
    return std::nullopt;
}

// As a rule of a role has it.
std::string right_to_get(const kcontrol::resource_info& what) {
    return "get " + what.plural + (what.gvk.group.empty() ? "" : "." + what.gvk.group);
}

http::response answer(const kcontrol::resource_info& what, const kcontrol::result<kcontrol::any_object>& read) {
    if (!read) {
        const auto& why = read.error();
        if (why.code() == kcontrol::api_errc::forbidden) {
            return http::error_response(403,
                                        "the monitor may not read it there: it needs the right " + right_to_get(what));
        }
        if (why == kcontrol::errc::too_large) {
            return http::error_response(
                502, "it is larger than " + std::to_string(most_read) + " bytes: read it with kubectl get -o yaml");
        }
        const bool gone = why.code() == kcontrol::api_errc::not_found;
        return http::error_response(gone ? 404 : 502, kcontrol::escape_control(why.message()));
    }
    auto out = http::text_response(200, manifest_text(read->get<kcontrol::dynamic_object>().content.tree()));
    out.headers.set("Content-Type", "application/yaml");  // RFC 9512
    keep_as_it_is(out);
    return out;
}

kcontrol::awaitable<kcontrol::result<kcontrol::any_object>> read_object(
    kcontrol::client from, std::shared_ptr<const kcontrol::resource_info> what, kcontrol::namespaced_name key,
    std::stop_token stop) {
    kcontrol::get_options how;
    how.max_body(most_read).deadline(10s).stop(stop);
    auto read = co_await from.get(*what, std::move(key), std::move(how));
    co_return read;
}

struct yaml_question {
    std::shared_ptr<const kcontrol::resource_info> what;
    kcontrol::namespaced_name key;
    std::optional<kcontrol::client> from;
};

// Which object is to be read with which client, or the answer that says why none.
std::optional<http::response> understand(const http::routed_request& asked, monitor& of, yaml_question& out) {
    if (const auto checked = expect_no_query(asked.query()); !checked) {
        return http::error_response(400, checked.error().message());
    }
    const auto cluster = asked.parameter("cluster");
    const auto job = of.table().find(cluster, asked.parameter("namespace"), find_kind(asked.parameter("kind")),
                                     asked.parameter("name"));
    auto resource = job ? resource_of(*job) : std::nullopt;
    if (!resource) return http::error_response(404, "no such job is there: " + kcontrol::escape_control(asked.path()));
    out.from = of.knowledge().client_of(std::string(cluster));
    if (!out.from) return http::error_response(503, "the cluster is not there at present");
    out.what = std::make_shared<const kcontrol::resource_info>(std::move(*resource));
    out.key = {job->namespace_, job->name};
    return std::nullopt;
}

kcontrol::awaitable<void> serve(http::routed_request asked, http::responder& to, monitor& of,
                                std::shared_ptr<int> running) {
    yaml_question question;
    auto refused = understand(asked, of, question);
    if (!refused && *running >= most_at_once) {
        refused = http::error_response(429, "four objects are being read already: try again");
    }
    if (refused) {
        const auto sent = co_await to.send(std::move(*refused));
        static_cast<void>(sent);
        co_return;
    }
    const auto count = std::shared_ptr<void>(nullptr, [running](void*) { --*running; });
    ++*running;
    auto reading = read_object(std::move(*question.from), question.what, question.key, to.disconnected());
    const auto read =
        co_await boost::asio::co_spawn(of.clusters_executor(), std::move(reading), boost::asio::use_awaitable);
    auto whole = answer(*question.what, read);
    const auto sent = co_await to.send(std::move(whole));
    static_cast<void>(sent);
}

}  // namespace

kcontrol::awaitable<kcontrol::result<std::string>> read_yaml(monitor& of, job_ref which, std::stop_token stop) {
    const auto job = of.table().find(which.cluster, which.namespace_, which.kind, which.name);
    const auto from = of.knowledge().client_of(which.cluster);
    const auto resource = job ? resource_of(*job) : std::nullopt;
    if (!from || !resource)
        co_return kcontrol::error(kcontrol::errc::invalid_argument, "the job is not there at present");
    const auto what = std::make_shared<const kcontrol::resource_info>(*resource);
    auto reading = read_object(*from, what, {which.namespace_, which.name}, stop);
    const auto read =
        co_await boost::asio::co_spawn(of.clusters_executor(), std::move(reading), boost::asio::use_awaitable);
    if (!read) co_return read.error();
    co_return manifest_text(read->get<kcontrol::dynamic_object>().content.tree());
}

void add_yaml_route(http::router& to, monitor& of) {
    const auto running = std::make_shared<int>(0);
    to.stream("GET", "/api/v1/jobs/{cluster}/{namespace}/{kind}/{name}/yaml",
              [&of, running](http::routed_request asked, http::responder& out) {
                  return serve(std::move(asked), out, of, running);
              });
}

}  // namespace training_monitor
