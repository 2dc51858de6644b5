// PB-2 and PB-3: an informer against the peers' replay server, over TLS: the time until every object is in the store,
// and what the objects take there afterwards.
//
// usage: informer URL CA_FILE full|projection|dynamic|metadata
// Prints "phase TAB value TAB unit" as the peers' programs do; "check" is the checksum of the objects, which must be
// the same for all.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/runtime/wait.hpp>
#include <kcontrol/transport/client.hpp>

#include "measure.hpp"
#include "seen_pod.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

using kcontrol::resource_info;
using namespace kcontrol_bench;

/// FNV-1a of what identifies the object; the sum over all objects is the peers' checksum.
std::uint64_t hash(const kcontrol::object_meta& meta) {
    std::uint64_t out = 0xcbf29ce484222325;
    for (const kcontrol::text* part : {&meta.namespace_, &meta.name, &meta.uid, &meta.resource_version}) {
        for (const char c : std::string(*part) + "/") out = (out ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return out;
}

resource_info variant(std::string_view name) {
    const kcontrol::group_version_kind pod{"", "v1", "Pod"};
    if (name == "full") return kcontrol::resource_of<kcontrol::api::core::v1::pod>();
    if (name == "projection") return kcontrol::resource_of<kcontrol_bench::seen_pod>();
    if (name == "dynamic") return kcontrol::dynamic_resource(pod, "pods");
    if (name == "metadata") return kcontrol::metadata_resource(pod, "pods");
    throw std::runtime_error("no such variant: " + std::string(name));
}

kcontrol::awaitable<void> measure(kcontrol::environment& env, kcontrol::any_informer& pods, kcontrol::client api,
                                  double cpu_before, double live_before, double anonymous_before,
                                  const std::uint64_t& checksum, std::string& failure) {
    const auto start = env.now();
    pods.start();
    const std::stop_token never;
    const std::optional<kcontrol::time_point> deadline = start + std::chrono::minutes(5);
    const bool synced = co_await pods.wait_synced(never, deadline);
    if (!synced) {
        failure = "not synced after 5 min: " + pods.status().reason;
    } else {
        const double seconds = std::chrono::duration<double>(env.now() - start).count();
        const auto count = static_cast<double>(pods.status().objects);
        print("sync", count / seconds, "objects/s");
        print("sync", (cpu_us() - cpu_before) / count, "us CPU/object");
        std::printf("check\t%.0f:%016lx\tobjects:hash\n", count, static_cast<unsigned long>(checksum));
        // What the peers wait before they look; the watch is open meanwhile.
        const kcontrol::duration quiet = std::chrono::seconds(2);
        co_await kcontrol::sleep_for(env, quiet, never);
        if (pods.status().state != kcontrol::informer_state::live) failure = "not live: " + pods.status().reason;
        print("rest", (anonymous() - anonymous_before) / count, "B RSS/object");
        print("rest", (live() - live_before) / count, "B live/object");
    }
    co_await pods.stop();
    api.close();  // or idle connections keep the event loop running
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return std::fprintf(stderr, "usage: informer URL CA_FILE full|projection|dynamic|metadata\n"), 2;
    try {
        const auto info = variant(argv[3]);
        kcontrol::system_environment env;
        boost::asio::io_context context(1);
        const auto api = kcontrol::client::connect(env, context.get_executor(), cluster(argv[1], argv[2]),
                                                   kcontrol::http::make_transport_factory(env));
        if (!api) throw std::runtime_error(api.error().what());
        std::uint64_t checksum = 0;
        std::string failure;
        const double cpu_before = cpu_us(), live_before = live(), anonymous_before = anonymous();
        {
            kcontrol::any_informer pods(env, context.get_executor(), *api, info);
            const auto counted =
                pods.subscribe([&checksum](const kcontrol::any_event& e) { checksum += hash(e.object().meta()); });
            boost::asio::co_spawn(
                context, measure(env, pods, *api, cpu_before, live_before, anonymous_before, checksum, failure),
                boost::asio::detached);
            context.run();
        }
        if (!failure.empty()) throw std::runtime_error(failure);
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "informer: %s\n", failed.what()), 1;
    }
    return 0;
}
