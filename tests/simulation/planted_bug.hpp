// Bugs that the library could have, planted from outside: the simulator must find them, or it can't find anything.
#pragma once

#include <kcontrol/http/transport.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace kcontrol::test {

enum class planted_bug {
    none,
    skip_one_resume,     // one resumed watch begins at "now" instead of the last version seen
    swallow_one_delete,  // one DELETED event is lost between the wire and the store
    deaf_predicate,      // a predicate that throws counts as "no"
    give_up_engaging,    // an on_engage() that throws is not called again
};

constexpr bool is_of_transport(planted_bug bug) noexcept {
    return bug == planted_bug::skip_one_resume || bug == planted_bug::swallow_one_delete;
}

/// Drops the first line of a watch that holds `needle`, as long as `armed` says that it has not happened yet.
class swallowing_body final : public http::body_stream {
public:
    swallowing_body(std::unique_ptr<http::body_stream> inner, std::string needle, std::shared_ptr<bool> armed)
        : inner_(std::move(inner)), needle_(std::move(needle)), armed_(std::move(armed)) {}

    awaitable<result<std::size_t>> read_some(std::span<char> into, duration idle, std::stop_token stop) override {
        while (ready_.empty() && !ended_) {
            char buffer[4096];
            auto n = co_await inner_->read_some(buffer, idle, stop);
            if (!n) co_return n.error();
            ended_ = *n == 0;
            partial_.append(buffer, *n);
            take_lines();
        }
        const std::size_t n = std::min(into.size(), ready_.size());
        std::memcpy(into.data(), ready_.data(), n);
        ready_.erase(0, n);
        co_return n;
    }

private:
    void take_lines() {
        for (auto end = partial_.find('\n'); end != std::string::npos; end = partial_.find('\n')) {
            const std::string line = partial_.substr(0, end + 1);
            partial_.erase(0, end + 1);
            if (*armed_ && line.find(needle_) != std::string::npos) {
                *armed_ = false;
                continue;
            }
            ready_ += line;
        }
        if (ended_) ready_ += std::exchange(partial_, {});
    }

    std::unique_ptr<http::body_stream> inner_;
    std::string needle_;
    std::shared_ptr<bool> armed_;
    std::string partial_;
    std::string ready_;
    bool ended_ = false;
};

class buggy_transport final : public http::transport {
public:
    buggy_transport(std::shared_ptr<http::transport> inner, planted_bug bug, std::shared_ptr<bool> armed,
                    std::function<std::string()> newest_version)
        : inner_(std::move(inner)), bug_(bug), armed_(std::move(armed)), newest_version_(std::move(newest_version)) {}

    awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override {
        const bool streamed = options.form() == http::exchange_form::streamed;
        if (streamed) ++watches_;
        if (streamed && bug_ == planted_bug::skip_one_resume && *armed_ && watches_ > 1) skip_to_now(req.target);
        auto opened = co_await inner_->open(std::move(req), std::move(options));
        if (opened && opened->stream && bug_ == planted_bug::swallow_one_delete) {
            opened->stream = std::make_unique<swallowing_body>(std::move(opened->stream), "\"DELETED\"", armed_);
        }
        co_return opened;
    }

    void close() override { inner_->close(); }

private:
    void skip_to_now(std::string& target) {
        const std::string name = "resourceVersion=";
        const auto begin = target.find(name);
        if (begin == std::string::npos) return;
        const auto value = begin + name.size();
        const auto end = std::min(target.find('&', value), target.size());
        const std::string newest = newest_version_();
        if (target.substr(value, end - value) == newest) return;
        target.replace(value, end - value, newest);
        *armed_ = false;
    }

    std::shared_ptr<http::transport> inner_;
    planted_bug bug_;
    std::shared_ptr<bool> armed_;
    std::function<std::string()> newest_version_;
    int watches_ = 0;
};

}  // namespace kcontrol::test
