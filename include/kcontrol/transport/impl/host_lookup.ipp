#pragma once

#include <kcontrol/transport/impl/host_lookup.hpp>

#include <utility>

namespace kcontrol::inline v0_1::http::detail {

KCONTROL_DECL host_lookup::host_lookup(environment& env, executor ex, const std::string& host, std::uint16_t port)
    : env_(env), ex_(std::move(ex)), host_(host), port_(port) {}

KCONTROL_DECL std::shared_ptr<host_lookup> host_lookup::start(environment& env, executor ex, const std::string& host,
                                                              std::uint16_t port) {
    auto lookup = std::make_shared<host_lookup>(env, std::move(ex), host, port);
    lookup->begin();
    return lookup;
}

inline void host_lookup::begin() {
    auto in_file = read_hosts_file(env_, host_.ends_with('.') ? host_.substr(0, host_.size() - 1) : host_);
    if (!in_file.empty()) return finish(std::move(in_file));
    auto config = read_resolver_config(env_);
    const auto first = config.rotate ? env_.random() % config.servers.size() : 0;
    search_.emplace(host_, std::move(config), first);
    ask();
}

inline void host_lookup::ask() {
    while (!search_->over()) {
        question_ = dns_question::ask(env_, ex_, search_->current(), [weak = weak_from_this()] {
            const auto self = weak.lock();
            if (!self) return;
            self->search_->take(self->question_->answer());
            self->ask();
        });
        if (!question_->over()) return;
        search_->take(question_->answer());
    }
    finish(question_->addresses());
}

inline void host_lookup::finish(host_addresses found) {
    found_ = std::move(found);
    for (auto& address : found_) address.port(port_);
    question_.reset();
    done_ = true;
    ready_.notify_all();
}

KCONTROL_DECL awaitable<result<host_addresses>> host_lookup::wait(time_point deadline, std::stop_token stop) {
    const auto self = shared_from_this();
    const std::string host = "the host name \"" + host_ + "\"";
    const std::string remedy = "; check the server's address and DNS";
    while (!done_) {
        const wake reason = co_await ready_.wait(env_, stop, deadline);
        if (reason == wake::stopped) co_return error(errc::stopped);
        if (reason == wake::timeout) {
            std::string text = host + " was not resolved in time: ";
            text.append(search_->waiting_for()).append(remedy);
            co_return error(errc::timeout, std::move(text));
        }
    }
    if (!found_.empty()) co_return found_;
    co_return error(errc::name_not_found, host + " can't be resolved: " + search_->failure() + remedy);
}

}  // namespace kcontrol::http::detail
