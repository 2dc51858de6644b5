// Host names as glibc's getaddrinfo() has them: both are asked the same, in namespaces of their own, where the files of
// /etc are the test's and a DNS server of the test listens on port 53. What is known to differ is left out, and stands
// in docs/dependencies.md: "localhost" without a hosts file, IPv4 addresses of our own network, and 6to4.
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/testing/temporary_directory.hpp>
#include <kcontrol/transport/impl/host_lookup.hpp>

#include "support/dns_server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <net/if.h>
#include <net/route.h>
#include <netdb.h>
#include <sched.h>
#include <sstream>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kcontrol;
using namespace kcontrol::test;
using texts = std::vector<std::string>;
using http::detail::host_lookup;

namespace {

// Their text, in order; or one word that says what went wrong.
std::string by_glibc(const std::string& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    const int failure = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);  // seam: ok, it is what we compare with
    if (failure != 0) return " none";
    std::string out;
    for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
        boost::asio::ip::tcp::endpoint at;
        at.resize(one->ai_addrlen);
        std::memcpy(at.data(), one->ai_addr, one->ai_addrlen);
        out += " " + at.address().to_string();
    }
    ::freeaddrinfo(list);
    return out;
}

std::string by_us(const std::string& host) {
    system_environment env;
    boost::asio::io_context context(1);
    std::string out;
    testing::run(context, [](environment& e, executor ex, std::string name, std::string& into) -> awaitable<void> {
        const auto lookup = host_lookup::start(e, ex, name, 0);
        const auto got = co_await lookup->wait(e.now() + std::chrono::minutes(1), {});
        if (!got) into = " none";
        if (!got) co_return;
        for (const auto& one : *got) into += " " + one.address().to_string();
    }(env, context.get_executor(), host, out));
    return out;
}

bool write_file(const std::string& path, const std::string& text) {
    std::ofstream out(path, std::ios::trunc);
    out << text;
    out.flush();
    return out.good();
}

// A user, mount and network namespace whose loopback device is up and has more addresses than its own.
class namespaces {
public:
    bool enter() {
        const auto user = std::to_string(::getuid()), group = std::to_string(::getgid());
        if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) != 0) return false;
        write_file("/proc/self/setgroups", "deny");
        return write_file("/proc/self/uid_map", "0 " + user + " 1") &&
               write_file("/proc/self/gid_map", "0 " + group + " 1") &&
               ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 && bring_up();
    }

    // The file of /etc is this one from now on.
    bool put(const std::string& name, const std::string& text) {
        const std::string path = dir_.path(name), target = "/etc/" + name;
        const bool is_new = !std::ifstream(path).good();
        if (!write_file(path, text)) return false;
        return !is_new || ::mount(path.c_str(), target.c_str(), nullptr, MS_BIND, nullptr) == 0;
    }

private:
    static bool bring_up() {
        const int any = ::socket(AF_INET, SOCK_DGRAM, 0);
        ifreq device{};
        std::strcpy(device.ifr_name, "lo");
        device.ifr_flags = IFF_UP | IFF_RUNNING;
        bool done = ::ioctl(any, SIOCSIFFLAGS, &device) == 0;
        // A second address, of a network, and a way to everywhere from there.
        std::strcpy(device.ifr_name, "lo:1");
        auto* const own = reinterpret_cast<sockaddr_in*>(&device.ifr_addr);
        own->sin_family = AF_INET;
        own->sin_addr.s_addr = ::htonl(0x0a010001);
        done = done && ::ioctl(any, SIOCSIFADDR, &device) == 0;
        rtentry route{};
        for (auto* part : {&route.rt_dst, &route.rt_genmask, &route.rt_gateway}) part->sa_family = AF_INET;
        route.rt_flags = RTF_UP;
        char lo[] = "lo";
        route.rt_dev = lo;
        done = done && ::ioctl(any, SIOCADDRT, &route) == 0;
        ::close(any);
        return done && add_ipv6();
    }

    // The same for IPv6. The C library's headers and the kernel's that declare these can't be included together.
    static bool add_ipv6() {
        struct {
            in6_addr address;
            std::uint32_t prefix;
            int device;
        } own{};
        struct {
            in6_addr to, from, gateway;
            std::uint32_t type;
            std::uint16_t to_length, from_length;
            std::uint32_t metric;
            unsigned long info;
            std::uint32_t flags;
            int device;
        } route{};
        const int any = ::socket(AF_INET6, SOCK_DGRAM, 0);
        own.device = route.device = static_cast<int>(::if_nametoindex("lo"));
        own.prefix = 64;
        ::inet_pton(AF_INET6, "2001:db8:1::1", &own.address);
        route.metric = 1;
        route.flags = RTF_UP;
        const bool done = ::ioctl(any, SIOCSIFADDR, &own) == 0 && ::ioctl(any, SIOCADDRT, &route) == 0;
        ::close(any);
        return done;
    }

    testing::temporary_directory dir_;
};

// Compares, and says on `out` what is not equal.
class comparison {
public:
    comparison(namespaces& etc, std::ostream& out) : etc_(etc), out_(out) {}

    void files(const std::string& hosts, const std::string& resolv_conf) {
        const bool done = etc_.put("hosts", hosts) && etc_.put("resolv.conf", resolv_conf);
        if (!done) out_ << "the files can't be written\n";
        what_ = resolv_conf;
    }

    void names(const texts& hosts) {
        for (const auto& host : hosts) {
            const auto expected = by_glibc(host), got = by_us(host);
            ++compared;
            if (expected != got)
                out_ << host << ":" << got << ", getaddrinfo:" << expected << " with " << what_ << "\n";
        }
    }

    int compared = 0;

private:
    namespaces& etc_;
    std::ostream& out_;
    std::string what_;
};

void fill(dns_server& server) {
    auto& names = server.names();
    names["api.test"] = dns_entry({"10.1.2.3"});
    names["six.test"] = dns_entry({"2001:db8::1"});
    names["both.test"] = dns_entry({"2001:db8::1", "10.1.2.3"});
    names["local.test"] = dns_entry({"127.0.0.1", "::1"});
    names["mixed.test"] = dns_entry({"fd00::1", "10.1.2.3", "::1", "2001:db8::1", "127.0.0.1"});
    names["near.test"] = dns_entry({"2001:db8:2::1", "2001:db8:1::9", "2001:db8:1::2"});
    names["round.test"] = dns_entry({"192.0.2.9", "192.0.2.1", "192.0.2.5"});
    names["empty.test"] = dns_entry();
    names["alias.test"] = dns_entry().alias("api.test");
    names["large.test"] = dns_entry({"192.0.2.1", "192.0.2.2"}).large();
    names["api.prod.svc"] = dns_entry({"10.1.0.1"});
    names["api.svc"] = dns_entry({"10.1.0.2"});
    names["web.svc"] = dns_entry({"10.1.0.3"});
    names["empty.prod.svc"] = dns_entry();
    names["empty.svc"] = dns_entry({"10.1.0.4"});
    names["failed.prod.svc"] = dns_entry::failed;
    names["failed.svc"] = dns_entry({"10.1.0.5"});
    names["refused.prod.svc"] = dns_entry::refused;
    names["refused.svc"] = dns_entry({"10.1.0.6"});
    names["refused"] = dns_entry({"10.1.0.7"});
    names["a.b.svc"] = dns_entry({"10.1.0.8"});
    names["a.b"] = dns_entry({"10.1.0.9"});
    names["single"] = dns_entry({"10.1.0.10"});
    names["failed"] = dns_entry::failed;
    names["silent.test"] = dns_entry::silent;
}

void compare_all(comparison& both) {
    const std::string server = "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n";
    const texts all{
        "api.test",          "six.test",   "both.test",  "local.test", "round.test", "mixed.test", "near.test",
        "empty.test",        "alias.test", "large.test", "api",        "web",        "empty",      "failed",
        "refused",           "a.b",        "single",     "gone",       "gone.test",  "gone.",      "api.test.",
        "API.Test",          "localhost",  "api.svc",    "api.svc.",   "a..b",       "-x.test",    "x_y.test",
        std::string(64, 'a')};
    const std::string local = "127.0.0.1 localhost\n::1 localhost ip6-localhost\n";
    for (const std::string search : {"", "search prod.svc svc\n", "search .\n", "domain svc\n"}) {
        for (const std::string dots : {"", "options ndots:0\n", "options ndots:2\n", "options ndots:5\n"}) {
            both.files(local, server + search + dots);
            both.names(all);
        }
    }
    both.files(local, server);
    both.names({"silent.test"});
    both.files(local, "nameserver 127.0.0.2\nnameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
    both.names({"api.test", "gone.test"});  // nobody listens at the first one
    both.files(
        "10.9.0.1 api.test other # comment\n10.9.0.2\tmany\n10.9.0.8 \tlone.test\tlone \n10.9.0.3 many\n10.9.0.4 many\n"
        "::1 many\n# 10.9.0.9 commented\nnonsense broken\n10.9.0.5\n fe80::1 indented\n127.0.0.1 API2.test\n",
        server + "search test\n");
    both.names({"api.test", "other", "many", "lone.test", "lone", "commented", "broken", "indented", "api2.test",
                "API.TEST", "alias"});
    both.files("10.9.0.7 api.test\n", server);
    both.names({"api.test", "other", "many"});
}

// In a process of its own, for there is no way back from a namespace.
void child(int report) {
    namespaces etc;
    std::ostringstream out;
    if (!etc.enter() || !etc.put("nsswitch.conf", "hosts: files dns\n")) {
        out << "skipped: " << std::strerror(errno) << "\n";
    } else {
        boost::asio::io_context context(1);
        dns_server server(context, 53);
        fill(server);
        std::thread serving([&context] { context.run(); });  // seam: ok, getaddrinfo() blocks
        comparison both(etc, out);
        compare_all(both);
        context.stop();
        serving.join();
        out << "compared: " << both.compared << "\n";
    }
    const std::string text = out.str();
    if (::write(report, text.data(), text.size()) < 0) std::abort();
}

}  // namespace

TEST_CASE("names come out as getaddrinfo() has them: files, search domains, dots, failures, order") {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    const pid_t process = ::fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        child(ends[1]);
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(n));
    ::close(ends[0]);
    int status = 0;
    REQUIRE(::waitpid(process, &status, 0) == process);
    CHECK(status == 0);
    if (text.starts_with("skipped: ")) {
        MESSAGE("there are no namespaces here: ", text);
        return;
    }
    CHECK_MESSAGE(text.starts_with("compared: "), text);
}

TEST_CASE("this machine's own names come out as getaddrinfo() has them") {
    texts names{"localhost"};
    std::ifstream hosts("/etc/hosts");
    for (std::string line; std::getline(hosts, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string word;
        words >> word;
        while (words >> word) names.push_back(word);
    }
    for (const auto& name : names) {
        CAPTURE(name);
        // Later versions of c-ares add the other loopback address.
        if (name == "localhost") CHECK(by_us(name).find(by_glibc(name)) != std::string::npos);
        if (name != "localhost") CHECK(by_us(name) == by_glibc(name));
    }
}
