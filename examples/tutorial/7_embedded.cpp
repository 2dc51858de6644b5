// Embedded in a service that has a loop of its own, without a thread: a service answers lines on its standard input,
// knows meanwhile which pods there are, and has a controller label those that it drains. The loop gives kcontrol a turn
// whenever it has nothing else to do.
// usage: 7_embedded KUBECONFIG        then on standard input "count", "phase NAMESPACE NAME" (of the cache), "ask
// NAMESPACE NAME" (the server), "drain NAMESPACE NAME" and "quit"
#include <kcontrol/client/async.hpp>
#include <kcontrol/cluster/channel_source.hpp>
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/manager/find_config.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/transport/client.hpp>

#include "pod.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include <iostream>
#include <poll.h>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace kcontrol;

namespace {

void print(const std::string& text) { std::cout << text << std::endl; }

// What the service is: requests as lines. It reads the cache, asks the server, and says what a controller is to do.
class line_service {
public:
    explicit line_service(manager& m)
        : pods_(m.get_informer<pod>()),
          client_(m.get_client().live()),
          drains_(std::make_shared<channel_source>(m.env(), m.get_executor())) {}

    // Reads what there is, and answers whole lines. False at the end.
    bool serve() {
        char bytes[4096];
        const auto count = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (count <= 0) return false;
        unread_.append(bytes, static_cast<std::size_t>(count));
        for (auto end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
            const std::string line = unread_.substr(0, end);
            unread_.erase(0, end + 1);
            if (line == "quit") return false;
            answer(line);
        }
        return true;
    }

    // A controller that labels the pods that are drained, and labels them again if somebody takes that off.
    awaitable<result<void>> label(std::shared_ptr<const pod> found) {
        pod edited = *found;
        if (drained_.contains(key_of(found->metadata))) edited.metadata.labels["drained"] = "yes";
        const auto written = co_await client_.patch(*found, edited);  // sends nothing if nothing differs
        if (!written) co_return written.error();
        co_return result<void>();
    }
    const std::shared_ptr<channel_source>& drains() const { return drains_; }

private:
    void answer(const std::string& line) {
        std::istringstream words(line);
        std::string verb;
        namespaced_name key;
        words >> verb >> key.namespace_ >> key.name;
        if (verb == "ask") {  // the server, not the cache: the callback is called in a later turn
            return async_get<pod>(client_, key, get_options(),
                                  [](result<pod> now) { print(now ? now->status.phase : now.error().what()); });
        }
        if (verb == "drain") {  // the controller is told, and goes on trying until it is done
            drained_.insert(key);
            const auto sent = drains_->send(key);
            return print(sent ? "draining" : sent.error().what());
        }
        if (!pods_->status().synced) return print("not synced yet");  // a service that needs no answer goes on without
        if (verb == "count") return print(std::to_string(pods_->objects().size()));
        const auto found = verb == "phase" ? pods_->get(key) : nullptr;
        print(found ? found->status.phase : "unknown");
    }

    std::shared_ptr<informer<pod>> pods_;
    client client_;
    std::set<namespaced_name> drained_;
    std::shared_ptr<channel_source> drains_;
    std::string unread_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::cerr << "usage: 7_embedded KUBECONFIG\n", 2;
    system_environment env;
    boost::asio::io_context context(1);
    const auto config = find_cluster_config(env, argv[1]);
    if (!config) return std::cerr << config.error().what() << "\n", 1;
    const auto transport = http::make_transport_factory(env);
    auto cl = client::connect(env, context.get_executor(), *config, transport);
    if (!cl) return std::cerr << cl.error().what() << "\n", 1;

    manager m(env, context.get_executor(), *cl);
    line_service service(m);
    const auto label = [&](reconcile_context, std::shared_ptr<const pod> p) { return service.label(std::move(p)); };
    auto builder = controller_builder(m, "drains").for_<pod>();
    const auto built = builder.watches_source(service.drains(), enqueue_for_object).complete(label);
    if (!built) return std::cerr << built.error().what() << "\n", 1;
    m.start();

    // The service's own loop. kcontrol's turn lasts as long as something of it is ready, and never waits; what comes
    // for it meanwhile has a turn within 10 ms.
    pollfd input{STDIN_FILENO, POLLIN, 0};
    bool open = true;
    while (open) {
        context.poll();
        if (::poll(&input, 1, 10) > 0) open = service.serve();
    }

    // What runs is stopped in bounded time: 30 s by default, here at once.
    boost::asio::co_spawn(context, m.stop(), boost::asio::detached);
    cl->close();
    while (m.state() != manager_state::idle && context.run_one() > 0) {
    }
}
