#pragma once

#include <kcontrol/access/delegated_access.hpp>
#include <kcontrol/access/impl/review_parts.hpp>
#include <kcontrol/access/review_cache.hpp>
#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/documents/strict.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/backoff.hpp>
#include <kcontrol/runtime/log_rate_limit.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace kcontrol::inline v0_1 {

struct delegated_access::core : std::enable_shared_from_this<delegated_access::core> {
    using self_ptr = std::shared_ptr<core>;
    using key = http::keyed_digest::value;

    core(client c, access_options o, logger l, http::keyed_digest d)
        : cl(std::move(c)),
          options(std::move(o)),
          log(std::move(l)),
          digest(std::move(d)),
          somebodys(options.max_cached()),
          nobodys(options.max_cached()),
          decisions(options.max_cached()) {}

    void close() {
        closed = true;
        stop.request_stop();
    }

    static awaitable<void> serve(self_ptr self, http::handler inner, http::server_request asked, http::responder& out);
    static awaitable<std::optional<http::response>> refusal(self_ptr self, std::string path, std::string verb,
                                                            secret_string token, std::stop_token gone);
    static awaitable<result<detail::token_owner>> whose(self_ptr self, secret_string token, std::stop_token gone);
    static awaitable<result<bool>> may(self_ptr self, detail::token_owner who, std::string path, std::string verb,
                                       std::stop_token gone);

    template <class Value>
    std::shared_ptr<detail::open_review<Value>> open(detail::open_reviews<Value>& all, const key& of,
                                                     awaitable<result<Value>> question);
    template <class Value>
    static awaitable<result<Value>> answer_of(self_ptr self, std::shared_ptr<detail::open_review<Value>> to,
                                              std::stop_token gone);

    static awaitable<result<detail::token_owner>> ask_whose(self_ptr self, key of, secret_string token);
    static awaitable<result<bool>> ask_whether(self_ptr self, key of,
                                               std::shared_ptr<const detail::access_review> asked);
    // Shared: a generated type is an aggregate, which g++ 12 must not copy beside a co_await.
    template <class T>
    static awaitable<result<T>> review(self_ptr self, std::shared_ptr<const T> asked);
    template <class T>
    static awaitable<result<T>> review_once(self_ptr self, std::shared_ptr<const T> asked, time_point deadline);

    bool overloaded() const {
        return open_tokens.size() + open_accesses.size() >= options.max_reviews() + options.max_waiting();
    }
    std::optional<http::response> fail(const error& why, const char* what, std::string_view secret);

    client cl;
    access_options options;
    logger log;
    http::keyed_digest digest;
    review_cache<detail::token_owner> somebodys;
    review_cache<bool> nobodys, decisions;
    detail::open_reviews<detail::token_owner> open_tokens;
    detail::open_reviews<bool> open_accesses;
    std::size_t at_cluster = 0;
    async_event turn;
    std::stop_source stop;
    bool closed = false;
    access_stats stats;
    log_rate_limit pace;
};

// The question goes on though its first asker goes, for others may wait for it, and its answer is remembered.
template <class Value>
std::shared_ptr<detail::open_review<Value>> delegated_access::core::open(detail::open_reviews<Value>& all,
                                                                         const key& of,
                                                                         awaitable<result<Value>> question) {
    const auto made = std::make_shared<detail::open_review<Value>>();
    all.emplace(of, made);
    boost::asio::co_spawn(cl.get_executor(), std::move(question),
                          [self = shared_from_this(), &all, of, made](std::exception_ptr thrown, result<Value> answer) {
                              all.erase(of);
                              if (thrown) answer = error(errc::unavailable, "the question ended with an exception");
                              made->answer = std::move(answer);
                              made->answered.notify_all();
                          });
    return made;
}

template <class Value>
awaitable<result<Value>> delegated_access::core::answer_of(self_ptr self,
                                                           std::shared_ptr<detail::open_review<Value>> to,
                                                           std::stop_token gone) {
    environment& env = self->cl.env();
    // The question has its own deadline; this one is for the case that nobody runs it any more.
    const time_point latest = env.now() + self->options.review_timeout() + std::chrono::seconds(5);
    while (!to->answer) {
        const wake why = co_await to->answered.wait(env, gone, latest);
        if (why == wake::stopped) co_return error(errc::stopped);
        if (why == wake::timeout && !to->answer) co_return error(errc::timeout, "the review has no answer");
    }
    co_return *to->answer;
}

template <class T>
awaitable<result<T>> delegated_access::core::review_once(self_ptr self, std::shared_ptr<const T> asked,
                                                         time_point deadline) {
    const resource_info& info = resource_of<T>();
    const auto body = info.encode(any_object(std::move(asked)));
    if (!body) co_return body.error();
    http::request question("POST", "/apis/" + info.gvk.group + "/" + info.gvk.version + "/" + info.plural);
    question.headers.set("Content-Type", "application/json");
    question.body = *body;
    http::exchange_options within;
    within.deadline(deadline - self->cl.env().now()).max_body(std::size_t{1} << 20).stop(self->stop.get_token());
    const auto answer = co_await self->cl.raw(std::move(question), within);
    if (!answer) co_return answer.error();
    json::document document;
    const auto root = json::parse_strict(document, answer->body);
    if (!root) co_return root.error().with_context(info.gvk.kind);
    const auto decoded = info.decode(*root);
    if (!decoded) co_return decoded.error().with_context(info.gvk.kind);
    co_return decoded->template get<T>();
}

template <class T>
awaitable<result<T>> delegated_access::core::review(self_ptr self, std::shared_ptr<const T> asked) {
    // k8s.io/apiserver's webhook retry backoff.
    constexpr int most_tries = 5;
    backoff between(backoff_policy().initial(std::chrono::milliseconds(500)).factor(1.5).jitter(0.2));
    environment& env = self->cl.env();
    const std::stop_token stopped = self->stop.get_token();
    const time_point deadline = env.now() + self->options.review_timeout();
    while (self->at_cluster >= self->options.max_reviews()) {
        const wake why = co_await self->turn.wait(env, stopped, deadline);
        if (why == wake::stopped) co_return error(errc::stopped);
        if (why == wake::timeout) co_return error(errc::timeout, "other reviews took all of its time");
    }
    ++self->at_cluster;
    const std::shared_ptr<void> at_end(nullptr, [self](void*) {
        --self->at_cluster;
        self->turn.notify_one();
    });
    for (int tried = 1;; ++tried) {
        auto answer = co_await review_once(self, asked, deadline);
        if (answer) co_return answer;
        const error& why = answer.error();
        // A review changes nothing, so it may be asked again where its answer was lost.
        const bool again = why == condition::retryable || why == errc::unknown_outcome;
        const duration delay = between.next(env.now(), random_unit(env));
        if (!again || tried == most_tries || env.now() + delay >= deadline) co_return answer;
        const wake woken = co_await sleep_for(env, delay, stopped);
        if (woken == wake::stopped) co_return error(errc::stopped);
    }
}

inline awaitable<result<detail::token_owner>> delegated_access::core::ask_whose(self_ptr self, key of,
                                                                                secret_string token) {
    const auto filled = std::make_shared<detail::token_review>();
    filled->spec.token = token.reveal();
    for (const std::string& one : self->options.audiences()) filled->spec.audiences.push_back(one);
    const std::shared_ptr<const detail::token_review> asked = filled;
    ++self->stats.token_reviews;
    const auto answer = co_await review(self, asked);
    if (!answer) {
        co_return error(answer.error().code(), detail::without_secret(answer.error().message(), token.reveal()));
    }
    const auto owner = detail::owner_of(*answer, self->options.audiences());
    const time_point until = self->cl.env().now() + self->options.token_ttl();
    if (owner) {
        self->somebodys.put(of, owner, until);
    } else {
        self->nobodys.put(of, true, until);
    }
    co_return owner;
}

inline awaitable<result<bool>> delegated_access::core::ask_whether(self_ptr self, key of,
                                                                   std::shared_ptr<const detail::access_review> asked) {
    ++self->stats.access_reviews;
    const auto answer = co_await review(self, std::move(asked));
    if (!answer) co_return answer.error();
    const auto decided = detail::decision_of(*answer);
    if (!decided) co_return decided;
    const duration ttl = *decided ? self->options.allowed_ttl() : self->options.denied_ttl();
    self->decisions.put(of, *decided, self->cl.env().now() + ttl);
    co_return decided;
}

inline awaitable<result<detail::token_owner>> delegated_access::core::whose(self_ptr self, secret_string token,
                                                                            std::stop_token gone) {
    const key of = self->digest.of({token.reveal()});
    const time_point now = self->cl.env().now();
    if (const auto* known = self->somebodys.find(of, now)) {
        ++self->stats.cache_hits;
        co_return *known;
    }
    if (self->nobodys.find(of, now) != nullptr) {
        ++self->stats.cache_hits;
        co_return detail::token_owner();
    }
    std::shared_ptr<detail::open_review<detail::token_owner>> question;
    if (const auto found = self->open_tokens.find(of); found != self->open_tokens.end()) {
        question = found->second;
    } else if (self->overloaded()) {
        co_return error(errc::limit_exceeded);
    } else {
        question = self->open(self->open_tokens, of, ask_whose(self, of, std::move(token)));
    }
    auto answer = co_await answer_of(self, std::move(question), std::move(gone));
    co_return answer;
}

inline awaitable<result<bool>> delegated_access::core::may(self_ptr self, detail::token_owner who, std::string path,
                                                           std::string verb, std::stop_token gone) {
    auto asked = detail::access_question(*who, path, verb);
    const auto text = resource_of<detail::access_review>().encode(any_object(asked));
    if (!text) co_return text.error();
    const key of = self->digest.of({*text});
    if (const auto* known = self->decisions.find(of, self->cl.env().now())) {
        ++self->stats.cache_hits;
        co_return *known;
    }
    std::shared_ptr<detail::open_review<bool>> question;
    if (const auto found = self->open_accesses.find(of); found != self->open_accesses.end()) {
        question = found->second;
    } else if (self->overloaded()) {
        co_return error(errc::limit_exceeded);
    } else {
        question = self->open(self->open_accesses, of, ask_whether(self, of, std::move(asked)));
    }
    auto answer = co_await answer_of(self, std::move(question), std::move(gone));
    co_return answer;
}

inline std::optional<http::response> delegated_access::core::fail(const error& why, const char* what,
                                                                  std::string_view secret) {
    if (why == errc::stopped) {
        ++stats.ended;
        return detail::access_refusal(503, "the program ends, or you have gone");
    }
    if (why == errc::limit_exceeded) {
        ++stats.overloaded;
        return detail::access_refusal(503, "too many ask at a time; try again");
    }
    ++stats.failed;
    if (const auto times = pace.count(cl.env().now())) {
        log.error("requests to this program's own endpoints are refused: the cluster could not be asked",
                  {{"about", what},
                   {"error", detail::without_secret(why.what(), secret)},
                   {"times", std::to_string(*times)}});
    }
    return detail::access_refusal(
        500, std::string("the cluster could not be asked ") + what + "; this program's log says why");
}

inline awaitable<std::optional<http::response>> delegated_access::core::refusal(self_ptr self, std::string path,
                                                                                std::string verb, secret_string token,
                                                                                std::stop_token gone) {
    if (token.empty()) {
        ++self->stats.unauthorized;
        co_return detail::access_refusal(401, "a token of the cluster is needed, as Authorization: Bearer TOKEN");
    }
    const auto who = co_await whose(self, token, gone);
    if (!who) co_return self->fail(who.error(), "who asks", token.reveal());
    if (!*who) {
        ++self->stats.unauthorized;
        co_return detail::access_refusal(401, "the cluster does not know this token, or not any more");
    }
    const auto allowed = co_await may(self, *who, path, verb, gone);
    if (!allowed) co_return self->fail(allowed.error(), "what he may do", token.reveal());
    if (*allowed) co_return std::nullopt;
    ++self->stats.forbidden;
    const std::string user = escape_control(std::string_view((*who)->username));
    const std::string shown = escape_control(path);
    self->log.debug("a request is refused", {{"user", user}, {"verb", verb}, {"path", shown}});
    co_return detail::access_refusal(403, user + " may not " + verb + " " + shown +
                                              "; that takes a ClusterRole with nonResourceURLs and verbs for it");
}

inline awaitable<void> delegated_access::core::serve(self_ptr self, http::handler inner, http::server_request asked,
                                                     http::responder& out) {
    const auto path = http::percent_decode(http::split_target(asked.target).first);
    std::optional<http::response> refused;
    if (self->closed) {
        ++self->stats.ended;
        refused = detail::access_refusal(503, "the program ends");
    } else if (!path || !path->starts_with('/')) {
        ++self->stats.malformed;
        refused = detail::access_refusal(400, "the path has a broken escape, or does not begin with a slash");
    } else if (const auto& open = self->options.always_allowed();
               std::find(open.begin(), open.end(), *path) == open.end()) {
        secret_string token(std::string(detail::bearer_token_of(asked.headers.get("Authorization"))));
        std::string verb = ascii_lower(asked.method);
        refused = co_await refusal(self, *path, std::move(verb), std::move(token), out.disconnected());
        if (!refused) out.admit();
    }
    if (refused) {
        const auto sent = co_await out.send(std::move(*refused));
        static_cast<void>(sent);  // whoever asked has gone
        co_return;
    }
    ++self->stats.allowed;
    asked.headers.erase("Authorization");
    self.reset();
    awaitable<void> served = inner(std::move(asked), out);
    co_await std::move(served);
}

KCONTROL_DECL delegated_access::delegated_access(std::shared_ptr<core> c) : core_(std::move(c)) {}

KCONTROL_DECL result<delegated_access> delegated_access::create(client cl, access_options options, logger log) {
    auto digest = http::keyed_digest::create();
    if (!digest) return digest.error();
    return delegated_access(
        std::make_shared<core>(std::move(cl), std::move(options), std::move(log), std::move(*digest)));
}

KCONTROL_DECL delegated_access::~delegated_access() {
    if (core_) core_->close();
}

KCONTROL_DECL delegated_access::delegated_access(delegated_access&&) noexcept = default;

KCONTROL_DECL delegated_access& delegated_access::operator=(delegated_access&& other) noexcept {
    if (core_ && core_ != other.core_) core_->close();
    core_ = std::move(other.core_);
    return *this;
}

KCONTROL_DECL http::handler delegated_access::guard(http::handler inner) const {
    return [self = core_, inner = std::move(inner)](http::server_request asked, http::responder& out) {
        return core::serve(self, inner, std::move(asked), out);
    };
}

KCONTROL_DECL access_stats delegated_access::stats() const { return core_->stats; }

KCONTROL_DECL void write_access_metrics(metrics_writer& out, const std::string& server, const access_stats& of) {
    const auto total = [&](const char* outcome, std::uint64_t value) {
        out.counter("kcontrol_http_access_total", "Requests by what became of them.",
                    {{"server", server}, {"outcome", outcome}}, static_cast<double>(value));
    };
    total("allowed", of.allowed);
    total("unauthorized", of.unauthorized);
    total("forbidden", of.forbidden);
    total("failed", of.failed);
    total("crowded", of.overloaded);
    total("malformed", of.malformed);
    total("ended", of.ended);
    const auto reviews = [&](const char* review, std::uint64_t value) {
        out.counter("kcontrol_http_access_reviews_total",
                    "Questions about requests, by who answered: a review of the cluster, or what was remembered.",
                    {{"server", server}, {"review", review}}, static_cast<double>(value));
    };
    reviews("token", of.token_reviews);
    reviews("access", of.access_reviews);
    reviews("remembered", of.cache_hits);
}

}  // namespace kcontrol
