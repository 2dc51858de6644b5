// A simulated cluster and a program of the user's in it, which starts, rests, dies and starts anew.
#pragma once

#include <kcontrol/testing/idempotence.hpp>
#include <kcontrol/testing/request_info.hpp>

#include "testing/end_state.hpp"

#include <memory>
#include <optional>
#include <stop_token>

namespace kcontrol::inline v0_1::testing::detail {

inline bool is_write(std::string_view verb) { return verb != "get" && verb != "list" && verb != "watch"; }

// The 409 that a server may say at any time: of an update, that somebody wrote; of a create, that of a quota.
inline fault conflict_of(const request_info& info) {
    const failure said =
        info.verb == "create"
            ? failure::conflict(group_resource("", "resourcequotas"), "quota",
                                "the object has been modified; please apply your changes to the latest version and try "
                                "again")
            : failure::modified(info.id(), info.name);
    return fault().answer(http::response(409, "application/json", json::serialize(said.status())));
}

/// A world from nothing on. Not thread-safe. Object lifetime: set-up and options outlive it.
class program_world {
public:
    program_world(const kcontrol::detail::setup_step& setup, const idempotence_options& options, std::uint64_t seed)
        : setup_(setup), options_(options), world_(seed) {
        server_ = &world_.add_server("cluster", options.server());
        for (const auto& kind : options.kinds()) {
            const auto known = api().get(kind.id(), {});
            if (!known && known.error() == errc::no_such_kind) api().register_resource(kind);
        }
        if (options.preparing()) options.preparing()(world_, *server_);
        listening_ = api().on_change([this](const resource_type& type, change, const json::value&) {
            if (!options_.ignored_kinds().contains(type.id())) ++changes_;
        });
    }
    ~program_world() {
        stop();
        api().set_faults({});
    }
    program_world(const program_world&) = delete;
    program_world& operator=(const program_world&) = delete;

    end_state state() { return read_end_state(api(), options_); }
    std::size_t changes() const { return changes_; }
    /// The writes since they were last cleared.
    const std::vector<std::string>& written() const { return written_; }

protected:
    api_server& api() { return server_->api(); }
    sim_world& world() { return world_; }
    sim_server& server() { return *server_; }
    const idempotence_options& options() const { return options_; }
    bool is_dead() const { return dead_; }
    void die() { dies_ = true; }

    result<void> make_seeds() {
        if (options_.fakes()) fakes_ = std::make_unique<fake_cluster>(world_, *server_, *options_.fakes());
        for (const auto& seed : options_.seeds()) {
            if (auto made = api().create(seed); !made) return made.error();
        }
        return {};
    }

    // What a request is, if it is a call and no watch; writes are remembered.
    std::optional<request_info> note_call(const http::server_request& request) {
        auto info = parse_request(request);
        if (!info || info->verb == "watch") return std::nullopt;
        const bool writes = info->is_resource && is_write(info->verb);
        if (writes && !options_.ignored_kinds().contains(info->id())) {
            written_.push_back(request.method + " " + request.target);
        }
        return std::move(*info);
    }

    // What fails in the set-up ends a program; whoever runs it starts it anew.
    result<void> start() {
        constexpr int attempts = 5;
        result<void> begun;
        for (int i = 0; i < attempts; ++i) {
            manager_ = std::make_unique<kcontrol::manager>(world_.env(), world_.get_executor(),
                                                           world_.connect(*server_), options_.manager());
            awaitable<result<void>> setting_up =
                kcontrol::detail::run_setup(*manager_, setup_, std::chrono::seconds(30), std::stop_token());
            begun = world_.run(std::move(setting_up));
            if (begun) {
                manager_->start();
                return {};
            }
            stop();
        }
        return begun;
    }

    void stop() {
        if (!manager_) return;
        world_.run(manager_->stop());
        manager_.reset();
    }

    // A program that dies: what it still has to say nobody hears.
    result<void> restart() {
        dies_ = false;
        dead_ = true;
        stop();
        dead_ = false;
        return start();
    }

    result<void> run_until_idle() {
        const time_point until = world_.context().now() + options_.limit();
        int deaths = 0;
        while (world_.context().now() < until) {
            const std::size_t before = changes_;
            const time_point end = world_.context().now() + options_.idle_time();
            const auto ends = [this] { return dies_ || manager_->state() == manager_state::idle; };
            if (world_.run_until(ends, options_.idle_time())) {
                if (++deaths > 10) return error(errc::timeout, "the program does not stay up: " + last_error());
                if (auto again = restart(); !again) return again;
                continue;
            }
            if (changes_ == before && (!fakes_ || fakes_->idle())) return {};
            if (world_.context().now() < end) world_.run_for(end - world_.context().now());
        }
        return error(errc::timeout, "no rest within " + std::to_string(in_seconds(options_.limit())) +
                                        " s; the last writes: " + last_writes());
    }

    // Runs until then; a program that dies starts anew.
    result<void> run_to(time_point when) {
        for (int deaths = 0; world_.context().now() < when;) {
            const auto ends = [this] { return dies_ || manager_->state() == manager_state::idle; };
            if (!world_.run_until(ends, when - world_.context().now())) return {};
            if (++deaths > 10) return error(errc::timeout, "the program does not stay up: " + last_error());
            if (auto again = restart(); !again) return again;
        }
        return {};
    }

    std::string last_error() const {
        const auto& why = manager_->last_error();
        return why ? why->what() : std::string("it stops without an error");
    }
    std::string last_writes() const {
        std::string out;
        for (std::size_t i = written_.size() > 3 ? written_.size() - 3 : 0; i < written_.size(); ++i) {
            out += (out.empty() ? "" : ", ") + written_[i];
        }
        return out.empty() ? "none by the program" : out;
    }
    static std::int64_t in_seconds(duration d) { return std::chrono::duration_cast<std::chrono::seconds>(d).count(); }

    std::vector<std::string> written_;

private:
    const kcontrol::detail::setup_step& setup_;
    const idempotence_options& options_;
    std::size_t changes_ = 0;
    bool dies_ = false, dead_ = false;
    sim_world world_;
    sim_server* server_ = nullptr;
    std::shared_ptr<void> listening_;
    std::unique_ptr<fake_cluster> fakes_;
    std::unique_ptr<kcontrol::manager> manager_;
};

}  // namespace kcontrol::testing::detail
