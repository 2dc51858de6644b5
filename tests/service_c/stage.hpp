// The C interface against an API server that runs on a thread of its own, as in a program.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/executor.hpp>
#include <kcontrol/runtime/system_environment.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <future>
#include <kcontrol_service.h>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace kcontrol::test {

/// For what must come: longer than any machine takes.
inline constexpr std::chrono::seconds patience{120};

/// This thread's last failure.
inline std::string last_error() {
    std::string text(kc_error(nullptr, 0) + 1, '\0');
    kc_error(text.data(), text.size());
    text.pop_back();
    return text;
}

/// An API server on a port, with namespace "default". Its thread ends with it.
class server_stage {
public:
    server_stage() : work_(context_.get_executor()), server_(env_, context_.get_executor(), {}, false) {
        REQUIRE(server_.start());
        thread_ = std::thread([this] { context_.run(); });  // seam: ok, the server is another process elsewhere
        directory_.write("kubeconfig", server_.kubeconfig());
    }
    ~server_stage() {
        on_server([&] {
            asio::co_spawn(context_, server_.stop(), asio::detached);
            return 0;
        });
        work_.reset();
        thread_.join();
    }
    server_stage(const server_stage&) = delete;
    server_stage& operator=(const server_stage&) = delete;

    /// Calls it on the server's thread.
    template <class Call>
    auto on_server(Call call) -> std::invoke_result_t<Call> {
        std::packaged_task<std::invoke_result_t<Call>()> task(std::move(call));
        auto done = task.get_future();
        asio::post(context_, [&task] { task(); });
        return done.get();
    }
    testing::local_api_server& server() noexcept { return server_; }

    void create(const std::string& object) {
        const auto parsed = json::parse(object);
        REQUIRE(parsed);
        const auto made = on_server([&] { return server_.api().create(*parsed); });
        INFO((made ? std::string() : made.error().what()));
        REQUIRE(made);
    }
    /// The object, or null if it is not there.
    json::value get(const std::string& group, const std::string& plural, const std::string& name) {
        auto got = on_server([&] { return server_.api().get({group, plural}, {"default", name}); });
        return got ? *got : json::value();
    }
    /// Waits until `holds` is true of the object (null: not there), asking after each change.
    template <class Predicate>
    void wait_object(const std::string& group, const std::string& plural, const std::string& name, Predicate holds) {
        std::mutex mutex;
        std::condition_variable changed;
        std::uint64_t changes = 0;
        auto listener = on_server([&] {
            return server_.api().on_change([&](const auto&, auto, const auto&) {
                const std::lock_guard lock(mutex);
                ++changes;
                changed.notify_all();
            });
        });
        for (std::uint64_t handled = 0;;) {
            if (holds(get(group, plural, name))) break;
            std::unique_lock lock(mutex);
            REQUIRE(changed.wait_for(lock, patience, [&] { return changes != handled; }));
            handled = changes;
        }
        on_server([&] { return listener.reset(), 0; });
    }

    std::string path(const std::string& name) const { return directory_.path(name); }
    /// Options of a client of this server; `more` begins with a comma.
    std::string options(const std::string& more = {}) const {
        return R"({"kubeconfig":")" + path("kubeconfig") + R"(","log":"off")" + more + "}";
    }
    kc_handle client(const std::string& more = {}) const {
        kc_handle out = 0;
        const int code = kc_client_new(options(more).c_str(), &out);
        INFO(last_error());
        REQUIRE(code == KC_OK);
        REQUIRE(out != 0);
        return out;
    }

private:
    system_environment env_;
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_;
    testing::local_api_server server_;
    testing::temporary_directory directory_;
    std::thread thread_;  // seam: ok, that of the server
};

/// What callbacks were called with, on whichever thread.
class call_record {
public:
    struct call {
        kc_handle what = 0;
        int leading = -1;
        std::uint64_t token = 0;
    };

    static void changed(void* self, kc_handle what) { static_cast<call_record*>(self)->add({what, -1, 0}); }
    static void led(void* self, int leading, std::uint64_t token) {
        static_cast<call_record*>(self)->add({0, leading, token});
    }

    std::vector<call> calls() const {
        const std::lock_guard lock(mutex_);
        return calls_;
    }
    /// Waits until `holds` is true; asks after each call.
    template <class Predicate>
    void wait(Predicate holds) const {
        for (std::size_t handled = 0; !holds();) {
            std::unique_lock lock(mutex_);
            REQUIRE(changed_.wait_for(lock, patience, [&] { return calls_.size() != handled; }));
            handled = calls_.size();
        }
    }
    /// Waits until there were so many calls.
    void wait_count(std::size_t count) const {
        std::unique_lock lock(mutex_);
        REQUIRE(changed_.wait_for(lock, patience, [&] { return calls_.size() >= count; }));
    }

private:
    void add(call one) {
        const std::lock_guard lock(mutex_);
        calls_.push_back(one);
        changed_.notify_all();
    }

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::vector<call> calls_;
};

/// Service "web" as its controller writes it: one slice with these addresses, all ready, port http 8080.
inline std::string slice_of_web(const std::vector<std::string>& addresses) {
    std::string endpoints;
    for (const auto& address : addresses)
        endpoints +=
            std::string(endpoints.empty() ? "" : ",") + R"({"addresses":[")" + address +
            R"("],"conditions":{"ready":true},"nodeName":"n1","zone":"z1","targetRef":{"kind":"Pod","name":"web-)" +
            address + R"(","namespace":"default"}})";
    return R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"name":"web-1","namespace":"default",)"
           R"("labels":{"kubernetes.io/service-name":"web"}},"addressType":"IPv4","ports":[{"name":"http","port":8080,)"
           R"("protocol":"TCP"}],"endpoints":[)" +
           endpoints + "]}";
}
inline const char* const service_web =
    R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"web","namespace":"default"},"spec":{"selector":{"app":"web"},)"
    R"("ports":[{"name":"http","port":80,"targetPort":8080}]}})";

}  // namespace kcontrol::test
