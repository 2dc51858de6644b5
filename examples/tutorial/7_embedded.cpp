// Embedded in a service that has a loop of its own, without a thread: a service answers lines on its standard input,
// and knows meanwhile which pods there are. The loop gives kcontrol a turn whenever it has nothing else to do. usage:
// 7_embedded KUBECONFIG        then "count", "phase NAMESPACE NAME" and "quit" on standard input
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
#include <sstream>
#include <unistd.h>

namespace {

// What the service is: requests as lines. Nothing in it knows of kcontrol but the informer that it reads.
class line_service {
public:
    explicit line_service(std::shared_ptr<kcontrol::informer<pod>> pods) : pods_(std::move(pods)) {}

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
            std::cout << answer(line) << std::endl;
        }
        return true;
    }

private:
    std::string answer(const std::string& line) const {
        std::istringstream words(line);
        std::string verb;
        kcontrol::namespaced_name key;
        words >> verb >> key.namespace_ >> key.name;
        if (!pods_->status().synced) return "not synced yet";  // a service that needs no answer goes on without
        if (verb == "count") return std::to_string(pods_->objects().size());
        const auto found = verb == "phase" ? pods_->get(key) : nullptr;
        return found ? found->status.phase : "unknown";
    }

    std::shared_ptr<kcontrol::informer<pod>> pods_;
    std::string unread_;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) return std::cerr << "usage: 7_embedded KUBECONFIG\n", 2;
    kcontrol::system_environment env;
    boost::asio::io_context context(1);
    const auto config = kcontrol::find_cluster_config(env, argv[1]);
    if (!config) return std::cerr << config.error().what() << "\n", 1;
    const auto transport = kcontrol::http::make_transport_factory(env);
    auto cl = kcontrol::client::connect(env, context.get_executor(), *config, transport);
    if (!cl) return std::cerr << cl.error().what() << "\n", 1;

    kcontrol::manager m(env, context.get_executor(), *cl);  // controllers would be added to it
    line_service service(m.get_informer<pod>());
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
    while (m.state() != kcontrol::manager_state::idle && context.run_one() > 0) {
    }
}
