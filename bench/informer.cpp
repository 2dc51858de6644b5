// PB-2 to PB-5: an informer against the peers' replay server, over TLS: the time until every object is in the store,
// what the objects take there, the most that the process took, a relist after 410, and a flood of events.
//
// usage: informer URL CA_FILE [protobuf-][streamed-]full|projection|dynamic|metadata [EVENTS] [relist]
//        informer URL CA_FILE [protobuf-]bytes OBJECTS      only reads the list of so many: the floor of a sync
// Prints "phase TAB value TAB unit" as the peers' programs do; "check" is the checksum of the objects, which must be
// the same for all.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "measure.hpp"
#include "seen_pod.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

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

// What the handler has heard, in all and since begin().
struct hearing {
    std::uint64_t checksum = 0;
    std::size_t heard = 0;
    kcontrol::time_point first{}, last{};

    void take(const kcontrol::any_event& e, const kcontrol::environment& env) {
        if (e.type == kcontrol::event_type::added) checksum += hash(e.object().meta());
        last = env.now();
        if (heard++ == 0) first = last;
    }
};

// The list as one answer, of which nothing is made but what memcpy would.
kcontrol::awaitable<void> read_bytes(replay_server& server, bool protobuf, double objects, std::string& failure) {
    try {
        const double before = cpu_us();
        const auto start = server.env.now();
        const std::string accept = protobuf ? "application/vnd.kubernetes.protobuf" : "application/json";
        const std::size_t bytes = co_await server.read("/api/v1/pods", accept);
        const double seconds = std::chrono::duration<double>(server.env.now() - start).count();
        print("sync", objects / seconds, "objects/s");
        print("sync", (cpu_us() - before) / objects, "us CPU/object");
        print("bytes", static_cast<double>(bytes) / objects, "B/object");
    } catch (const std::exception& failed) {
        failure = failed.what();
    }
    server.close();
}

// An informer that measures itself; what it measured is printed as it goes.
class session {
public:
    session(replay_server& server, kcontrol::any_informer& pods, hearing& all)
        : server_(server), env_(server.env), pods_(pods), all_(all) {}

    kcontrol::awaitable<void> run(std::size_t events, bool relists) {
        try {
            co_await sync();
            if (relists) co_await relist();
            if (events > 0) co_await flood(events);
        } catch (const std::exception& failed) {
            failure = failed.what();
        }
        co_await pods_.stop();
        server_.close();
    }

    std::string failure;

private:
    kcontrol::awaitable<void> sync() {
        const auto start = env_.now();
        pods_.start();
        const std::stop_token never;
        const std::optional<kcontrol::time_point> deadline = start + std::chrono::minutes(5);
        const bool synced = co_await pods_.wait_synced(never, deadline);
        if (!synced) throw std::runtime_error("not synced after 5 min: " + pods_.status().reason);
        const double seconds = std::chrono::duration<double>(env_.now() - start).count();
        const double cpu = cpu_us() - cpu_before_, peak = peak_anonymous();
        objects_ = static_cast<double>(pods_.status().objects);
        print("sync", objects_ / seconds, "objects/s");
        print("sync", cpu / objects_, "us CPU/object");
        print("sync", seconds, "s");
        std::printf("check\t%.0f:%016lx\tobjects:hash\n", objects_, static_cast<unsigned long>(all_.checksum));
        // What the peers wait before they look; the watch is open meanwhile.
        co_await pause(std::chrono::seconds(2));
        // A server that many ask at once may take its time.
        const auto patience = env_.now() + std::chrono::minutes(2);
        while (pods_.status().state != kcontrol::informer_state::live && env_.now() < patience) co_await pause(tick);
        if (pods_.status().state != kcontrol::informer_state::live) {
            throw std::runtime_error("not live: " + pods_.status().reason);
        }
        live_ = live() - live_before_;
        print("rest", (anonymous() - anonymous_before_) / objects_, "B RSS/object");
        print("rest", live_ / objects_, "B live/object");
        print("peak", (peak - anonymous_before_) / live_, "x live");
    }

    // The watch ends with 410, and 1 % of the objects have changed meanwhile.
    kcontrol::awaitable<void> relist() {
        all_.heard = 0;
        reset_peak();
        const double cpu = cpu_us();
        const auto start = env_.now();
        co_await server_.order("/replay/expire");
        while (all_.heard == 0 || env_.now() < all_.last + std::chrono::seconds(1)) co_await pause(tick);
        print("relist", std::chrono::duration<double>(all_.last - start).count(), "s");
        print("relist", (cpu_us() - cpu) / objects_, "us CPU/object");
        print("relist", static_cast<double>(all_.heard), "updates emitted");
        print("relist", (peak_anonymous() - anonymous_before_) / live_, "x live");
    }

    kcontrol::awaitable<void> flood(std::size_t events) {
        all_.heard = 0;
        reset_peak();
        const double cpu = cpu_us(), memory = anonymous();
        const auto deadline = env_.now() + std::chrono::minutes(5);
        co_await server_.order("/replay/events?count=" + std::to_string(events));
        while (all_.heard < events && env_.now() < deadline) co_await pause(tick);
        if (all_.heard != events) throw std::runtime_error(std::to_string(all_.heard) + " updates of the flood");
        print_flood(events, all_.last - all_.first, cpu_us() - cpu, peak_anonymous() - memory);
    }

    kcontrol::awaitable<void> pause(kcontrol::duration time) {
        const std::stop_token never;
        co_await kcontrol::sleep_for(env_, time, never);
    }

    static constexpr std::chrono::milliseconds tick{1};
    replay_server& server_;
    kcontrol::environment& env_;
    kcontrol::any_informer& pods_;
    hearing& all_;
    const double cpu_before_ = cpu_us(), live_before_ = live(), anonymous_before_ = anonymous();
    double objects_ = 0, live_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const bool relists = argc > 4 && argv[argc - 1] == std::string("relist");
    const int last = argc - (relists ? 1 : 0);
    if (last != 4 && last != 5) {
        return std::fprintf(
                   stderr,
                   "usage: informer URL CA_FILE [protobuf-][streamed-]full|projection|dynamic|metadata [EVENTS] "
                   "[relist]\n"),
               2;
    }
    try {
        std::string_view name = argv[3];
        const auto take = [&name](std::string_view prefix) {
            const bool begins = name.starts_with(prefix);
            if (begins) name.remove_prefix(prefix.size());
            return begins;
        };
        const bool protobuf = take("protobuf-"), streamed = take("streamed-");
        const std::size_t events = last == 5 ? std::stoul(argv[4]) : 0;
        replay_server server(argv[1], argv[2], protobuf);
        if (name == "bytes") {
            std::string failure;
            auto reading = read_bytes(server, protobuf, static_cast<double>(events), failure);
            boost::asio::co_spawn(server.context, std::move(reading), boost::asio::detached);
            server.context.run();
            if (!failure.empty()) throw std::runtime_error(failure);
            return 0;
        }
        const auto info = variant(name);
        hearing all;
        const auto streaming = streamed ? kcontrol::list_streaming::on : kcontrol::list_streaming::by_default;
        kcontrol::any_informer pods(server.env, server.context.get_executor(), server.api(), info,
                                    kcontrol::informer_options().streaming(streaming));
        session measured(server, pods, all);
        const auto counted = pods.subscribe([&](const kcontrol::any_event& e) { all.take(e, server.env); });
        boost::asio::co_spawn(server.context, measured.run(events, relists), boost::asio::detached);
        server.context.run();
        if (!measured.failure.empty()) throw std::runtime_error(measured.failure);
    } catch (const std::exception& failed) {
        return std::fprintf(stderr, "informer: %s\n", failed.what()), 1;
    }
    return 0;
}
