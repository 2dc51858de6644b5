// For tests/e2e/test_fencing.py: a service of which one instance leads, at a real API server, and whose store is a
// program of the test.
//     fencing_probe KUBECONFIG NAMESPACE POD IDENTITY STORE_PORT LEASE_MS RENEW_MS RETRY_MS
// It prints "leading TOKEN MS", MS from start() on, "lost TOKEN", and "leader IDENTITY" of whoever holds the Lease.
// Every 20 ms it writes into the store with the token that it got last, also when it leads no more: only the store is
// to refuse that. SIGTERM ends it in good order.
#include <kcontrol/service/connection.hpp>
#include <kcontrol/service/lead.hpp>

#include <arpa/inet.h>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace kcontrol;

namespace {

/// A connection to the store, which answers each line with one.
class store {
public:
    explicit store(const char* port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        open_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    }
    ~store() { ::close(socket_); }
    store(const store&) = delete;
    store& operator=(const store&) = delete;

    explicit operator bool() const noexcept { return open_; }

    /// False: the store is away.
    bool write(std::uint64_t token, const std::string& by) {
        const std::string line = std::to_string(token) + " " + by + "\n";
        char answer = 0;
        if (::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size())) return false;
        do {
            if (::recv(socket_, &answer, 1, 0) != 1) return false;
        } while (answer != '\n');
        return true;
    }

private:
    int socket_;
    bool open_ = false;
};

void log_to_stderr(const log_record& record) {
    std::cerr << record.message;
    for (const auto& field : record.fields) std::cerr << " " << field.name << "=" << field.value;
    std::cerr << "\n";
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 9) {
        std::cerr << "usage: fencing_probe KUBECONFIG NAMESPACE POD IDENTITY STORE_PORT LEASE_MS RENEW_MS RETRY_MS\n";
        return 2;
    }
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    store to(argv[5]);
    if (!to) return std::cerr << "there is no store at port " << argv[5] << "\n", 1;

    service::connection_options where;
    auto cluster = service::connection::open(where.kubeconfig(argv[1]).log(logger(log_to_stderr)));
    if (!cluster) return std::cerr << cluster.error().what() << "\n", 1;
    const auto time = [&](int i) { return std::chrono::milliseconds(std::atoi(argv[i])); };
    service::lead_options options({argv[2], "l"});
    options.identity(argv[4]).lease_duration(time(6)).renew_deadline(time(7)).retry_period(time(8));
    options.label(service::lead_label().pod(argv[3]).in_namespace(argv[2]));

    std::atomic<std::uint64_t> last = 0;
    const time_point begun = cluster->env().now();
    service::lead_callbacks calls;
    calls.on_change([&](bool leading, std::uint64_t token) {
        const std::chrono::duration<double, std::milli> since = cluster->env().now() - begun;
        if (leading) std::cout << "leading " << token << " " << since.count() << std::endl;
        if (!leading) std::cout << "lost " << token << std::endl;
        if (leading) last = token;
    });
    calls.on_leader([](const std::string& who) { std::cout << "leader " << who << std::endl; });
    const auto leader = cluster->start<service::lead>(options, calls);
    if (!leader) return std::cerr << leader.error().what() << "\n", 1;

    const timespec pace{0, 20'000'000};
    while (::sigtimedwait(&ends, nullptr, &pace) < 0) {
        if (last != 0 && !to.write(last, argv[4])) return std::cerr << "the store is away\n", 1;
    }
}
