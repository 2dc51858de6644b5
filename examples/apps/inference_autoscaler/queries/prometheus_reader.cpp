#include "queries/prometheus_reader.hpp"

#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/task_group.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "readings/near_names.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace inference_autoscaler {
namespace {

using namespace std::chrono_literals;
namespace http = kcontrol::http;

constexpr auto patience = 5s;
constexpr auto shared_for = 1s;
constexpr auto names_for = 15s;
constexpr auto kept_for = 10min;  // a server that is not asked any more
constexpr std::size_t most_at_once = 8;
constexpr std::size_t largest_answer = std::size_t{1} << 20;

http::exchange_options bounds(kcontrol::duration left, std::stop_token stop) {
    http::exchange_options out;
    out.deadline(left).max_body(largest_answer).stop(std::move(stop));
    return out;
}

}  // namespace

struct prometheus_reader::shared : std::enable_shared_from_this<shared> {
    struct server {
        std::string prefix;
        std::shared_ptr<http::transport> over;
        std::size_t running = 0;
        kcontrol::async_event freed;
        kcontrol::time_point used{};
        std::set<std::string, std::less<>> seen;  // metrics that gave a value
        std::vector<std::string> names;           // of all metrics, as they were at:
        std::optional<kcontrol::time_point> named;
    };
    struct answer {
        kcontrol::time_point asked;
        std::optional<reading> value;
        kcontrol::async_event came;
    };

    shared(kcontrol::environment& e, kcontrol::executor x, http::transport_factory c)
        : env(e), ex(x), connect(std::move(c)), tasks(e, x) {}

    kcontrol::environment& env;
    kcontrol::executor ex;
    http::transport_factory connect;
    kcontrol::task_group tasks;
    std::stop_source stop;
    std::map<std::string, std::shared_ptr<server>> servers;
    std::map<std::string, std::shared_ptr<answer>> answers;

    kcontrol::result<std::shared_ptr<server>> find_server(const metric_server& where) {
        std::erase_if(servers, [&](const auto& each) {
            return each.second.use_count() == 1 && env.now() - each.second->used > kept_for;
        });
        auto& out = servers[where.url + '\n' + where.ca_pem];
        if (out) return out;
        const auto url = http::parse_base_url(where.url);
        if (!url) return url.error().with_context("prometheus.url");
        auto made = connect(ex, url->endpoint, http::tls_options().ca_pem(where.ca_pem));
        if (!made) return made.error();
        out = std::make_shared<server>();
        out->prefix = url->path_prefix;
        out->over = std::move(*made);
        return out;
    }

    kcontrol::awaitable<kcontrol::result<http::response>> send(std::shared_ptr<server> to, http::request what,
                                                               kcontrol::secret_string token) {
        if (!token.empty()) what.headers.set("Authorization", "Bearer " + std::string(token.reveal()));
        const auto end = env.now() + patience;  // the wait for its turn included
        while (to->running >= most_at_once && env.now() < end && !stop.stop_requested())
            co_await to->freed.wait(env, stop.get_token(), end);
        if (env.now() >= end)
            co_return kcontrol::error(kcontrol::errc::timeout, "other requests to the server took all of the 5 s");
        ++to->running;
        to->used = env.now();
        auto out = co_await to->over->round_trip(std::move(what), bounds(end - to->used, stop.get_token()));
        --to->running;
        to->freed.notify_one();
        co_return out;
    }

    // The query gave nothing: because there is no such metric?
    kcontrol::awaitable<missing_reading> look_into(std::shared_ptr<server> at, metric_server where, std::string query,
                                                   missing_reading empty) {
        auto wanted = metric_names(query);
        std::erase_if(wanted, [&](const std::string& each) { return at->seen.contains(each); });
        if (wanted.empty()) co_return empty;
        if (!at->named || env.now() - *at->named > names_for) {
            at->named = env.now();
            at->names.clear();
            auto what = names_query(at->prefix);
            const auto answered = co_await send(at, std::move(what), where.token);
            auto names = answered ? read_names(*answered) : answered.error();
            if (names) at->names = std::move(*names);
        }
        if (at->names.empty()) co_return empty;  // nothing is known
        for (const auto& each : wanted) {
            const bool there = std::find(at->names.begin(), at->names.end(), each) != at->names.end();
            if (!there) co_return missing_reading{missing_reason::never_seen, never_seen_words(each, at->names)};
        }
        co_return empty;
    }

    kcontrol::awaitable<known_or_missing> read(metric_server where, std::string query) {
        const auto to = find_server(where);
        if (!to) co_return missing_reading{missing_reason::no_answer, to.error().message()};
        auto what = instant_query((*to)->prefix, query, where.max_age);
        const auto answered = co_await send(*to, std::move(what), where.token);
        if (!answered) co_return missing_because(answered.error());
        auto out = read_instant(*answered);
        if (const auto* missing = std::get_if<missing_reading>(&out)) {
            if (missing->reason != missing_reason::empty) co_return out;
            co_return co_await look_into(*to, std::move(where), std::move(query), *missing);
        }
        for (auto& name : metric_names(query)) (*to)->seen.insert(std::move(name));
        co_return out;
    }

    static kcontrol::awaitable<void> fetch(std::shared_ptr<shared> self, std::shared_ptr<answer> into,
                                           metric_server where, std::string query) {
        auto value = co_await self->read(std::move(where), std::move(query));
        into->value = reading{into->asked, std::move(value)};
        into->came.notify_all();
    }
};

prometheus_reader::prometheus_reader(kcontrol::environment& env, kcontrol::executor ex, http::transport_factory connect)
    : shared_(std::make_shared<shared>(env, std::move(ex), std::move(connect))) {}

prometheus_reader::~prometheus_reader() { shared_->stop.request_stop(); }

kcontrol::awaitable<reading> prometheus_reader::ask(metric_server where, std::string query, std::stop_token stop) {
    const auto self = shared_;
    std::string key = where.url + '\n' + where.ca_pem + '\n' + std::string(where.token.reveal()) + '\n' +
                      std::to_string(where.max_age.count()) + '\n' + query;
    auto& slot = self->answers[std::move(key)];
    if (!slot || (slot->value && self->env.now() - slot->asked > shared_for)) {
        slot = std::make_shared<shared::answer>();
        slot->asked = self->env.now();
        self->tasks.spawn(shared::fetch(self, slot, std::move(where), std::move(query)));
    }
    const auto mine = slot;
    std::erase_if(self->answers, [&](const auto& each) {
        return each.second->value && self->env.now() - each.second->asked > shared_for;
    });
    while (!mine->value) {
        const auto came = co_await mine->came.wait(self->env, stop);
        if (came == kcontrol::wake::stopped) {
            co_return missing_at(self->env.now(), missing_reason::no_answer, "the program stops");
        }
    }
    co_return *mine->value;
}

}  // namespace inference_autoscaler
