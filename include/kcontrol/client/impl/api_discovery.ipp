#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/thrown.hpp>
#include <kcontrol/client/api_discovery.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/resource_path.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace kcontrol::inline v0_1 {
namespace detail {

/// Shared by the copies of an api_discovery; touched on the client's executor only.
class discovery_state {
public:
    discovery_state(client c, discovery_options o, logger l) : from(std::move(c)), options(o), log(std::move(l)) {}

    time_point now() const { return from.env().now(); }
    /// Answers to questions before this don't count.
    time_point oldest(duration age) const { return now() - age; }

    client from;
    discovery_options options;
    logger log;

    std::shared_ptr<const api_catalog> catalog;
    time_point catalog_asked{};
    std::optional<error> failure;  // of the last question, if it had no answer
    time_point failure_asked{};
    bool asking = false;
    async_event answered;
    std::set<std::string> told;  // group-versions that fail

    std::optional<server_version> version;
    time_point version_asked{};
    std::map<std::string, std::string> openapi_urls;  // by path
    std::optional<time_point> openapi_asked;
    struct openapi_document {
        std::string url;  // with a hash of what is there
        std::shared_ptr<const std::string> text;
    };
    std::map<std::string, openapi_document> openapi;
};

using shared_discovery = std::shared_ptr<discovery_state>;

inline constexpr const char* aggregated_first =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

inline awaitable<result<http::response>> ask_document(shared_discovery state, std::string target, std::string accept,
                                                      std::stop_token stop) {
    http::request req("GET", std::move(target));
    req.headers.set("Accept", std::move(accept));
    http::exchange_options bounds;
    bounds.deadline(state->options.deadline()).stop(std::move(stop));
    auto answer = co_await state->from.raw(std::move(req), std::move(bounds));
    co_return answer;
}

// The group-versions that are asked for one by one, from servers without the aggregated form.
class legacy_questions {
public:
    struct place {
        std::string group;
        std::string version;
    };
    std::vector<place> places;
    std::vector<result<std::vector<api_resource>>> answers;
    std::size_t next = 0;
    std::size_t running = 0;
    async_event ended;
};

inline awaitable<result<std::vector<api_resource>>> ask_legacy(shared_discovery state, legacy_questions::place at,
                                                               std::stop_token stop) {
    auto path = version_path(at.group, at.version);
    if (!path) co_return path.error();
    auto answer = co_await ask_document(state, std::move(*path), "application/json", std::move(stop));
    if (!answer) co_return answer.error();
    json::document document;
    const auto root = answer_json(*answer, document);
    if (!root) co_return root.error();
    co_return read_api_resources(*root, at.group, at.version);
}

inline awaitable<void> legacy_worker(shared_discovery state, std::shared_ptr<legacy_questions> all,
                                     std::stop_token stop) {
    while (all->next < all->places.size()) {
        const std::size_t at = all->next++;
        try {
            all->answers[at] = co_await ask_legacy(state, all->places[at], stop);
        } catch (...) {
            all->answers[at] = error_of_thrown("discovery");
        }
    }
    if (--all->running == 0) all->ended.notify_all();
}

inline awaitable<void> ask_all_legacy(shared_discovery state, std::shared_ptr<legacy_questions> all,
                                      std::stop_token stop) {
    constexpr std::size_t at_once = 8;
    const executor ex = co_await boost::asio::this_coro::executor;
    all->answers.assign(all->places.size(), error(errc::unavailable));
    const std::size_t workers = std::min(at_once, all->places.size());
    all->running = workers;
    for (std::size_t i = 0; i < workers; ++i) {
        boost::asio::co_spawn(ex, legacy_worker(state, all, stop), boost::asio::detached);
    }
    // The deadline is for a context that goes: each worker ends by itself.
    while (all->running > 0) {
        (void)co_await all->ended.wait(state->from.env(), {}, state->now() + 2 * state->options.deadline());
    }
}

// The groups of a legacy server, with the kinds of each of their versions.
inline awaitable<result<void>> add_legacy(shared_discovery state, const json::node* groups, api_catalog* to,
                                          std::stop_token stop) {
    const std::size_t first = to->groups.size();
    auto added = add_groups(*groups, *to);
    if (!added) co_return added.error();
    const auto all = std::make_shared<legacy_questions>();
    for (std::size_t i = first; i < to->groups.size(); ++i) {
        for (const auto& version : to->groups[i].versions) all->places.push_back({to->groups[i].name, version});
    }
    co_await ask_all_legacy(state, all, stop);
    if (stop.stop_requested()) co_return error(errc::stopped);
    for (std::size_t i = 0; i < all->places.size(); ++i) {
        auto& answer = all->answers[i];
        if (answer) {
            for (auto& one : *answer) to->resources.push_back(std::move(one));
        } else {
            to->failures.push_back({all->places[i].group, all->places[i].version, answer.error()});
        }
    }
    co_return result<void>();
}

inline awaitable<result<std::shared_ptr<const api_catalog>>> fetch_catalog(shared_discovery state,
                                                                           std::stop_token stop) {
    auto made = std::make_shared<api_catalog>();
    const std::string accept = state->options.legacy() ? "application/json" : aggregated_first;
    for (const char* path : {"/api", "/apis"}) {
        const std::string target = path;
        auto answer = co_await ask_document(state, target, accept, stop);
        const bool is_core = target == "/api";
        // A server of aggregated or custom kinds alone has no core group.
        if (!answer && is_core && answer.error() == condition::not_found) continue;
        if (!answer) co_return answer.error();
        json::document document;
        const auto root = answer_json(*answer, document);
        if (!root) co_return root.error();
        result<void> added;
        if (answer_text((*root)["kind"]) == "APIGroupDiscoveryList") {
            added = add_aggregated(*root, *made);
        } else {
            const json::node groups = *root;
            added = co_await add_legacy(state, &groups, made.get(), stop);
        }
        if (!added) co_return added.error();
    }
    co_return std::shared_ptr<const api_catalog>(std::move(made));
}

inline void tell_failures(discovery_state& state) {
    std::set<std::string> now;
    for (const auto& one : state.catalog->failures) {
        const std::string name = one.group_version();
        now.insert(name);
        if (state.told.contains(name)) continue;
        state.log.warning("the kinds of an API group can't be had; all others are there",
                          {{"group_version", name}, {"error", one.why.what()}});
    }
    state.told = std::move(now);
}

// Whatever happens to the one who asks, the others go on.
class catalog_question {
public:
    explicit catalog_question(discovery_state& of) : of_(&of) { of.asking = true; }
    ~catalog_question() {
        of_->asking = false;
        of_->answered.notify_all();
    }
    catalog_question(const catalog_question&) = delete;
    catalog_question& operator=(const catalog_question&) = delete;

private:
    discovery_state* of_;
};

// The catalog, if it was asked for at `oldest` or later, else a new one.
inline awaitable<result<std::shared_ptr<const api_catalog>>> catalog_since(shared_discovery state, time_point oldest,
                                                                           std::stop_token stop) {
    for (;;) {
        if (state->catalog && state->catalog_asked >= oldest) co_return state->catalog;
        if (!state->asking) break;
        const time_point began = state->now();
        const wake why =
            co_await state->answered.wait(state->from.env(), stop, state->now() + 2 * state->options.deadline());
        if (why == wake::stopped) co_return error(errc::stopped);
        const bool failed = state->failure && state->failure_asked >= oldest && state->failure_asked <= began;
        if (failed && *state->failure != errc::stopped) co_return *state->failure;
    }
    const catalog_question question(*state);
    const time_point began = state->now();
    auto made = co_await fetch_catalog(state, stop);
    if (!made) {
        state->failure = made.error();
        state->failure_asked = began;
        co_return made.error();
    }
    state->failure.reset();
    state->catalog = *made;
    state->catalog_asked = began;
    tell_failures(*state);
    co_return state->catalog;
}

// `group` is what stands behind the first dot of a word: a group, or a version and a group.
inline error no_such_kind(const api_catalog& in, const std::string& what, std::string_view group) {
    std::string text = "the server serves no \"" + what + "\"";
    std::string missing;
    for (const auto& one : in.failures) {
        if (!one.group.empty() && (group == one.group || group.ends_with("." + one.group))) {
            return one.why.with_context(what + ": the kinds of " + one.group_version() + " can't be had");
        }
        missing += (missing.empty() ? "" : ", ") + one.group_version();
    }
    if (!missing.empty()) text += "; the kinds of these could not be had: " + missing;
    return error(errc::no_such_kind, std::move(text));
}

// Finds it in a catalog, or gives null.
using look_up_resource = std::function<const api_resource*(const api_catalog&)>;

inline awaitable<result<api_resource>> find_resource(shared_discovery state, look_up_resource look, std::string what,
                                                     std::string group, std::stop_token stop) {
    auto known = co_await catalog_since(state, state->oldest(state->options.lifetime()), stop);
    if (!known) co_return known.error();
    if (const api_resource* found = look(**known)) co_return *found;
    auto anew = co_await catalog_since(state, state->oldest(state->options.min_refresh_interval()), std::move(stop));
    if (!anew) co_return anew.error();
    if (const api_resource* found = look(**anew)) co_return *found;
    co_return no_such_kind(**anew, what, group);
}

inline result<std::map<std::string, std::string>> read_openapi_index(http::response answer) {
    answer.headers.erase("Content-Type");  // a kube-apiserver calls this JSON text/plain
    json::document document;
    const auto root = answer_json(answer, document);
    if (!root) return root.error();
    const json::node paths = (*root)["paths"];
    if (!paths.is_object()) return error(errc::decode_failed, "the server's answer is not an index of OpenAPI v3");
    std::map<std::string, std::string> out;
    for (const auto [path, where] : paths.members()) {
        if (!where.is_object()) continue;
        const std::string url(answer_text(where["serverRelativeURL"]));
        if (url.starts_with("/") && http::is_valid_target(url)) out.emplace(path, url);
    }
    return out;
}

inline awaitable<result<void>> openapi_index_since(shared_discovery state, time_point oldest, std::stop_token stop) {
    if (state->openapi_asked && *state->openapi_asked >= oldest) co_return result<void>();
    const time_point began = state->now();
    auto answer = co_await ask_document(state, "/openapi/v3", "application/json", std::move(stop));
    if (!answer) co_return answer.error();
    auto read = read_openapi_index(std::move(*answer));
    if (!read) co_return read.error();
    state->openapi_urls = std::move(*read);
    state->openapi_asked = began;
    std::erase_if(state->openapi, [&](const auto& one) { return !state->openapi_urls.contains(one.first); });
    co_return result<void>();
}

inline awaitable<result<std::shared_ptr<const std::string>>> openapi_call(shared_discovery state, std::string path,
                                                                          std::stop_token stop) {
    for (const duration age : {state->options.lifetime(), state->options.min_refresh_interval()}) {
        const auto known = co_await openapi_index_since(state, state->oldest(age), stop);
        if (!known) co_return known.error();
        if (state->openapi_urls.contains(path)) break;
    }
    const auto at = state->openapi_urls.find(path);
    if (at == state->openapi_urls.end()) {
        co_return error(api_errc::not_found, "the server has no OpenAPI v3 document of \"" + path + "\"");
    }
    const std::string url = at->second;
    const auto kept = state->openapi.find(path);
    if (kept != state->openapi.end() && kept->second.url == url) co_return kept->second.text;
    auto answer = co_await ask_document(state, url, "application/json", stop);
    // A hash that is not that of now is answered with a redirect: the document has changed since the index was made.
    if (!answer && answer.error() == errc::not_an_api_server && url.find('?') != std::string::npos) {
        answer = co_await ask_document(state, url.substr(0, url.find('?')), "application/json", std::move(stop));
    }
    if (!answer) co_return answer.error();
    if (auto refused = refuse_answer(*answer)) co_return std::move(*refused);
    if (auto refused = refuse_body(*answer)) co_return std::move(*refused);
    auto text = std::make_shared<const std::string>(std::move(answer->body));
    state->openapi[path] = {url, text};
    co_return std::shared_ptr<const std::string>(std::move(text));
}

inline awaitable<result<std::vector<std::string>>> openapi_paths_call(shared_discovery state, std::stop_token stop) {
    const auto known = co_await openapi_index_since(state, state->oldest(state->options.lifetime()), std::move(stop));
    if (!known) co_return known.error();
    std::vector<std::string> out;
    for (const auto& [path, url] : state->openapi_urls) out.push_back(path);
    co_return out;
}

inline awaitable<result<server_version>> version_call(shared_discovery state, std::stop_token stop) {
    if (state->version && state->version_asked >= state->oldest(state->options.lifetime())) co_return *state->version;
    const time_point began = state->now();
    auto answer = co_await ask_document(state, "/version", "application/json", std::move(stop));
    if (!answer) co_return answer.error();
    json::document document;
    const auto root = answer_json(*answer, document);
    if (!root) co_return root.error();
    server_version out;
    out.major = server_text(answer_text((*root)["major"]), 64);
    out.minor = server_text(answer_text((*root)["minor"]), 64);
    out.git_version = server_text(answer_text((*root)["gitVersion"]), 128);
    out.platform = server_text(answer_text((*root)["platform"]), 128);
    if (out.git_version.empty()) co_return error(errc::decode_failed, "/version: the answer has no gitVersion");
    state->version = out;
    state->version_asked = began;
    co_return out;
}

inline std::string group_of_word(std::string_view word) {
    const auto dot = word.find('.');
    return dot == std::string_view::npos ? std::string() : ascii_lower(word.substr(dot + 1));
}

}  // namespace detail

KCONTROL_DECL api_discovery::api_discovery(client of, discovery_options options, logger log)
    : state_(std::make_shared<detail::discovery_state>(std::move(of), options, std::move(log))) {}

KCONTROL_DECL awaitable<result<std::shared_ptr<const api_catalog>>> api_discovery::catalog(std::stop_token stop) {
    return detail::catalog_since(state_, state_->oldest(state_->options.lifetime()), std::move(stop));
}

KCONTROL_DECL awaitable<result<api_resource>> api_discovery::find(std::string word, std::stop_token stop) {
    detail::look_up_resource look = [word](const api_catalog& in) { return in.find(word); };
    std::string group = detail::group_of_word(word);
    return detail::find_resource(state_, std::move(look), std::move(word), std::move(group), std::move(stop));
}

KCONTROL_DECL awaitable<result<api_resource>> api_discovery::find(group_version_kind gvk, std::stop_token stop) {
    detail::look_up_resource look = [gvk](const api_catalog& in) { return in.find(gvk); };
    std::string what = gvk.version.empty() ? gvk.kind + "." + gvk.group : gvk.api_version() + " " + gvk.kind;
    return detail::find_resource(state_, std::move(look), std::move(what), std::move(gvk.group), std::move(stop));
}

KCONTROL_DECL awaitable<result<std::shared_ptr<const std::string>>> api_discovery::openapi(std::string group,
                                                                                           std::string version,
                                                                                           std::stop_token stop) {
    auto path = detail::version_path(group, version);
    if (!path) return make_ready<result<std::shared_ptr<const std::string>>>(path.error());
    return detail::openapi_call(state_, path->substr(1), std::move(stop));
}

KCONTROL_DECL awaitable<result<std::vector<std::string>>> api_discovery::openapi_paths(std::stop_token stop) {
    return detail::openapi_paths_call(state_, std::move(stop));
}

KCONTROL_DECL awaitable<result<server_version>> api_discovery::version(std::stop_token stop) {
    return detail::version_call(state_, std::move(stop));
}

KCONTROL_DECL void api_discovery::invalidate() {
    state_->catalog.reset();
    state_->version.reset();
    state_->openapi_asked.reset();
    state_->openapi.clear();
}

}  // namespace kcontrol
