#include "options.hpp"

#include <kcontrol/base/flags.hpp>
#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/model/names.hpp>
#include <kcontrol/values/api_duration.hpp>

#include "messages.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>

namespace follow {
namespace {

using kcontrol::flag_value;
using kcontrol::result;

constexpr auto timeout_of_once = std::chrono::seconds(30);
constexpr std::string_view commands = "endpoints NS/SERVICE, pods NS or leader NS/LEASE";

template <std::string options::*Member>
result<void> set_text(options& o, std::string_view value) {
    o.*Member = value;
    return {};
}

template <bool options::*Member>
result<void> set_switch(options& o, std::string_view value) {
    if (value != "" && value != "true" && value != "false") {
        return bad_argument(in_quotes(value) + " is neither true nor false");
    }
    o.*Member = value != "false";
    return {};
}

template <auto Member, std::int64_t LeastMilliseconds>
result<void> set_time(options& o, std::string_view value) {
    constexpr std::chrono::milliseconds least(LeastMilliseconds);
    const auto length = kcontrol::parse_duration(value);
    if (!length) return length.error();
    if (*length < least) {
        return bad_argument(in_quotes(value) + " is too short; use " + kcontrol::format_duration(least) + " or more");
    }
    o.*Member = kcontrol::duration(*length);
    return {};
}

// One of some words.
template <class Value, std::size_t N>
result<void> set_one_of(Value& to, std::string_view value, const std::pair<std::string_view, Value> (&all)[N]) {
    std::string names;
    for (std::size_t i = 0; i < N; ++i) {
        if (all[i].first == value) {
            to = all[i].second;
            return {};
        }
        names += (i == 0 ? "" : i + 1 == N ? " or " : ", ") + std::string(all[i].first);
    }
    return bad_argument("no such word: " + in_quotes(value) + "; use " + names);
}

result<void> set_on_stale(options& o, std::string_view value) {
    return set_one_of(o.when_stale, value,
                      {{"keep", on_stale::keep}, {"empty", on_stale::empty}, {"exit", on_stale::exit}});
}

result<void> set_log_format(options& o, std::string_view value) {
    using kcontrol::log_format;
    return set_one_of(o.log_format, value, {{"text", log_format::text}, {"json", log_format::json}});
}

result<void> set_log_level(options& o, std::string_view value) {
    using kcontrol::log_level;
    return set_one_of(o.log_level, value,
                      {{"debug", log_level::debug},
                       {"info", log_level::info},
                       {"warning", log_level::warning},
                       {"error", log_level::error}});
}

result<void> set_selector(options& o, std::string_view value) {
    const auto parsed = kcontrol::label_selector::parse(value);
    if (!parsed) return parsed.error();
    o.selector = value;
    return {};
}

result<void> set_port(options& o, std::string_view value) {
    const bool number = std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (number) {
        std::uint16_t port = 0;
        const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), port);
        if (failed != std::errc() || port == 0) {
            return bad_argument(in_quotes(value) + " is no port; use a number from 1 to 65535, or a name");
        }
    } else if (const auto problems = kcontrol::check_dns1123_label(value); !problems.empty()) {
        return bad_argument(in_quotes(value) + " is no port's name: " + kcontrol::join_problems(problems));
    }
    o.port = value;
    return {};
}

// The runtime API is lines of words: what stands in one must not end it.
result<void> set_backend(options& o, std::string_view value) {
    const bool fits = std::all_of(value.begin(), value.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == ':' ||
               c == '-' || c == '_';
    });
    if (!fits) {
        return bad_argument(in_quotes(value) + " is no backend's name; it has letters, digits, '.', ':', '-' and '_'");
    }
    o.backend = value;
    return {};
}

result<void> set_server_options(options& o, std::string_view value) {
    const bool fits = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c < 127 && c != ';'; });
    if (!fits) return bad_argument(in_quotes(value) + " has a character that ends a command; use words and blanks");
    o.server_options = value;
    return {};
}

struct flag {
    std::string_view name;
    flag_value value;
    result<void> (*set)(options& o, std::string_view value);
};

constexpr flag flags[] = {
    {"--help", flag_value::none, set_switch<&options::help>},
    {"-h", flag_value::none, set_switch<&options::help>},
    {"--version", flag_value::none, set_switch<&options::version>},
    {"--port", flag_value::text, set_port},
    {"--selector", flag_value::text, set_selector},
    {"-l", flag_value::text, set_selector},
    {"--template", flag_value::text, set_text<&options::template_file>},
    {"--out", flag_value::text, set_text<&options::out_file>},
    {"--check", flag_value::text, set_text<&options::check>},
    {"--reload", flag_value::text, set_text<&options::reload>},
    {"--haproxy", flag_value::text, set_text<&options::haproxy>},
    {"--backend", flag_value::text, set_backend},
    {"--server-options", flag_value::text, set_server_options},
    {"--once", flag_value::joined, set_switch<&options::once>},
    {"--timeout", flag_value::text, set_time<&options::timeout, 1>},
    {"--stale-after", flag_value::text, set_time<&options::stale_after, 1000>},
    {"--max-stale", flag_value::text, set_time<&options::max_stale, 1000>},
    {"--on-stale", flag_value::text, set_on_stale},
    {"--cache", flag_value::text, set_text<&options::cache>},
    {"--kubeconfig", flag_value::text, set_text<&options::kubeconfig>},
    {"--context", flag_value::text, set_text<&options::context>},
    {"--log-format", flag_value::text, set_log_format},
    {"--log-level", flag_value::text, set_log_level},
};

result<void> set_namespace(options& o, std::string_view value) {
    const auto problems = kcontrol::check_dns1123_label(value);
    if (!problems.empty()) {
        return bad_argument(in_quotes(value) + " is no namespace's name: " + kcontrol::join_problems(problems));
    }
    o.in_namespace = value;
    return {};
}

// "NS/NAME"; `kind` is what the name is of.
result<void> set_target(options& o, std::string_view value, std::string_view kind) {
    const auto slash = value.find('/');
    if (slash == value.npos || slash == 0 || slash + 1 == value.size()) {
        return bad_argument(in_quotes(value) + " is not of the form NAMESPACE/" + std::string(kind));
    }
    if (const auto done = set_namespace(o, value.substr(0, slash)); !done) return done;
    const auto name = value.substr(slash + 1);
    const auto problems =
        o.what == followed::endpoints ? kcontrol::check_dns1123_label(name) : kcontrol::check_dns1123_subdomain(name);
    if (!problems.empty()) {
        return bad_argument(in_quotes(name) + " is no name of a " + std::string(kind) + ": " +
                            kcontrol::join_problems(problems));
    }
    o.name = name;
    return {};
}

result<void> set_words(options& o, const std::vector<std::string_view>& words) {
    static constexpr std::pair<std::string_view, followed> all[] = {
        {"endpoints", followed::endpoints}, {"pods", followed::pods}, {"leader", followed::leader}};
    if (words.empty()) return bad_argument("what to follow? " + std::string(commands) + "; see kcontrol-follow --help");
    const auto* found = std::find_if(std::begin(all), std::end(all), [&](auto& c) { return c.first == words[0]; });
    if (found == std::end(all)) {
        return bad_argument("no such command: " + in_quotes(words[0]) + "; use " + std::string(commands));
    }
    o.what = found->second;
    if (words.size() == 1) return bad_argument(std::string(words[0]) + ": of what? " + std::string(commands));
    if (words.size() > 2) return bad_argument("one too many: " + in_quotes(words[2]) + "; one thing is followed");
    const auto done = o.what == followed::pods        ? set_namespace(o, words[1])
                      : o.what == followed::endpoints ? set_target(o, words[1], "SERVICE")
                                                      : set_target(o, words[1], "LEASE");
    if (!done) return done.error().with_context(words[0]);
    return {};
}

result<void> check_target(const options& o) {
    if (o.what == followed::pods && o.selector.empty()) {
        return bad_argument("pods: which ones? Say --selector, for example --selector app=web");
    }
    if (o.what == followed::pods && o.port.empty()) {
        return bad_argument("pods: at which port? Say --port, a number or the name of a container's port");
    }
    if (o.what != followed::pods && !o.selector.empty()) {
        return bad_argument("--selector " + in_quotes(o.selector) + " goes with pods; leave it out");
    }
    if (o.what == followed::leader && !o.port.empty()) {
        return bad_argument("--port " + in_quotes(o.port) + " does not go with leader, whose address has one; leave " +
                            "it out");
    }
    return {};
}

result<void> check_together(const options& o) {
    if (const auto target = check_target(o); !target) return target;
    if (!o.template_file.empty() && o.out_file.empty()) {
        return bad_argument("--template " + in_quotes(o.template_file) + ": into which file? Say --out");
    }
    for (const auto& [name, value] :
         {std::pair("--out", o.out_file), std::pair("--check", o.check), std::pair("--reload", o.reload)}) {
        if (!value.empty() && o.template_file.empty()) {
            return bad_argument(name + (" " + in_quotes(value)) + ": of which template? Say --template");
        }
    }
    if (!o.haproxy.empty() && o.backend.empty()) {
        return bad_argument("--haproxy " + in_quotes(o.haproxy) + ": which of its backends? Say --backend");
    }
    for (const auto& [name, value] :
         {std::pair("--backend", o.backend), std::pair("--server-options", o.server_options)}) {
        if (!value.empty() && o.haproxy.empty()) {
            return bad_argument(name + (" " + in_quotes(value)) + ": of which HAProxy? Say --haproxy SOCKET");
        }
    }
    if (o.max_stale < o.stale_after) {
        return bad_argument("--max-stale " + kcontrol::format_duration(o.max_stale) + " is less than --stale-after " +
                            kcontrol::format_duration(o.stale_after) + "; make it as long or longer");
    }
    return {};
}

}  // namespace

std::string options::target() const {
    switch (what) {
    case followed::pods: return "pods " + in_namespace + " " + selector;
    case followed::leader: return "leader " + in_namespace + "/" + name;
    case followed::endpoints: break;
    }
    return "endpoints " + in_namespace + "/" + name;
}

result<options> parse_options(const std::vector<std::string_view>& arguments) {
    const auto split = kcontrol::split_arguments(arguments, kcontrol::shapes_of(flags), "kcontrol-follow --help");
    if (!split) return split.error();
    options o;
    std::vector<std::string_view> words;
    for (const auto& one : *split) {
        if (one.is_word()) {
            words.push_back(one.text);
            continue;
        }
        const auto& known = flags[one.flag];
        if (const auto done = known.set(o, one.text); !done) return done.error().with_context(known.name);
    }
    if (o.help || o.version) return o;
    if (const auto done = set_words(o, words); !done) return done.error();
    if (const auto done = check_together(o); !done) return done.error();
    if (o.once && !o.timeout) o.timeout = timeout_of_once;
    return o;
}

}  // namespace follow
