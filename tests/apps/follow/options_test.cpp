#include "options.hpp"

#include <doctest/doctest.h>

using namespace follow;
using namespace std::chrono_literals;

namespace {

using words = std::vector<std::string_view>;

options read(const words& arguments) {
    const auto o = parse_options(arguments);
    REQUIRE_MESSAGE(o.has_value(), o.error().message());
    return *o;
}

}  // namespace

TEST_CASE("options: defaults") {
    const auto o = read({"endpoints", "shop/web"});
    CHECK(o.what == followed::endpoints);
    CHECK(o.in_namespace == "shop");
    CHECK(o.name == "web");
    CHECK(o.stale_after == 10s);
    CHECK(o.max_stale == 60s);
    CHECK(o.when_stale == on_stale::keep);
    CHECK(!o.once);
    CHECK(!o.timeout);
    CHECK(o.log_level == kcontrol::log_level::info);
    CHECK(o.log_format == kcontrol::log_format::text);
    CHECK(o.target() == "endpoints shop/web");
    CHECK(read({"endpoints", "shop/web", "--once"}).timeout == kcontrol::duration(30s));
    for (const char* each :
         {"(default 10s)", "(default 60s)", "(default keep)", "(default: 30s\n", "(default text)", "(default info)"}) {
        CHECK_MESSAGE(help_text().find(each) != std::string_view::npos, each);
    }
}

TEST_CASE("options: every flag") {
    const auto o = read({"pods",
                         "shop",
                         "--selector",
                         "app=web,tier in (a,b)",
                         "--port",
                         "8080",
                         "--template",
                         "t",
                         "--out",
                         "o",
                         "--check",
                         "c $1",
                         "--reload",
                         "r",
                         "--haproxy",
                         "/s",
                         "--backend",
                         "web",
                         "--server-options",
                         "check inter 2s",
                         "--once",
                         "--timeout",
                         "5s",
                         "--stale-after",
                         "2s",
                         "--max-stale=3s",
                         "--on-stale",
                         "empty",
                         "--cache",
                         "f",
                         "--kubeconfig",
                         "k",
                         "--context",
                         "x",
                         "--log-format",
                         "json",
                         "--log-level",
                         "debug"});
    CHECK(o.what == followed::pods);
    CHECK(o.in_namespace == "shop");
    CHECK(o.selector == "app=web,tier in (a,b)");
    CHECK(o.port == "8080");
    CHECK(o.template_file == "t");
    CHECK(o.out_file == "o");
    CHECK(o.check == "c $1");
    CHECK(o.reload == "r");
    CHECK(o.haproxy == "/s");
    CHECK(o.backend == "web");
    CHECK(o.server_options == "check inter 2s");
    CHECK(o.once);
    CHECK(o.timeout == kcontrol::duration(5s));
    CHECK(o.stale_after == 2s);
    CHECK(o.max_stale == 3s);
    CHECK(o.when_stale == on_stale::empty);
    CHECK(o.cache == "f");
    CHECK(o.kubeconfig == "k");
    CHECK(o.context == "x");
    CHECK(o.log_format == kcontrol::log_format::json);
    CHECK(o.log_level == kcontrol::log_level::debug);
    CHECK(o.target() == "pods shop app=web,tier in (a,b)");
    CHECK(read({"leader", "shop/web.master", "--on-stale", "exit"}).target() == "leader shop/web.master");
    CHECK(!read({"leader", "shop/web", "--once=false"}).once);
    CHECK(read({"--help", "nonsense"}).help);
    CHECK(read({"-h"}).help);
    CHECK(read({"--version"}).version);
    for (const char* each :
         {"--port",        "--selector",  "-l,",        "--template",       "--out",        "--check",
          "--reload",      "--haproxy",   "--backend",  "--server-options", "--once",       "--timeout",
          "--stale-after", "--max-stale", "--on-stale", "--cache",          "--kubeconfig", "--context",
          "--log-format",  "--log-level", "-h,",        "--help",           "--version"}) {
        CHECK_MESSAGE(help_text().find(" " + std::string(each)) != std::string_view::npos, each);
    }
    for (std::string_view rest = help_text(); !rest.empty();) {  // the width of a terminal and a half
        const auto end = std::min(rest.find('\n'), rest.size());
        CHECK(end <= 90);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

TEST_CASE("options: each mistake names the flag, the value and the remedy") {
    const std::string which = "endpoints NS/SERVICE, pods NS or leader NS/LEASE";
    const std::pair<words, std::string> rows[] = {
        {{}, "what to follow? " + which + "; see kcontrol-follow --help"},
        {{"services", "a/b"}, "no such command: \"services\"; use " + which},
        {{"endpoints"}, "endpoints: of what? " + which},
        {{"endpoints", "a/b", "c/d"}, "one too many: \"c/d\"; one thing is followed"},
        {{"endpoints", "web"}, "endpoints: \"web\" is not of the form NAMESPACE/SERVICE"},
        {{"endpoints", "/web"}, "endpoints: \"/web\" is not of the form NAMESPACE/SERVICE"},
        {{"leader", "shop/"}, "leader: \"shop/\" is not of the form NAMESPACE/LEASE"},
        {{"pods", "shop", "--port", "1"}, "pods: which ones? Say --selector, for example --selector app=web"},
        {{"pods", "shop", "--selector", "a=b"},
         "pods: at which port? Say --port, a number or the name of a container's port"},
        {{"endpoints", "a/b", "--selector", "a=b"}, "--selector \"a=b\" goes with pods; leave it out"},
        {{"leader", "a/b", "--port", "80"},
         "--port \"80\" does not go with leader, whose address has one; leave it out"},
        {{"endpoints", "a/b", "--port", "65536"},
         "--port: \"65536\" is no port; use a number from 1 to 65535, or a name"},
        {{"endpoints", "a/b", "--port", "0"}, "--port: \"0\" is no port; use a number from 1 to 65535, or a name"},
        {{"endpoints", "a/b", "--template", "t"}, "--template \"t\": into which file? Say --out"},
        {{"endpoints", "a/b", "--out", "o"}, "--out \"o\": of which template? Say --template"},
        {{"endpoints", "a/b", "--check", "c"}, "--check \"c\": of which template? Say --template"},
        {{"endpoints", "a/b", "--reload", "r"}, "--reload \"r\": of which template? Say --template"},
        {{"endpoints", "a/b", "--haproxy", "/s"}, "--haproxy \"/s\": which of its backends? Say --backend"},
        {{"endpoints", "a/b", "--backend", "w"}, "--backend \"w\": of which HAProxy? Say --haproxy SOCKET"},
        {{"endpoints", "a/b", "--server-options", "check"},
         "--server-options \"check\": of which HAProxy? Say --haproxy SOCKET"},
        {{"endpoints", "a/b", "--haproxy", "/s", "--backend", "a b"},
         "--backend: \"a b\" is no backend's name; it has letters, digits, '.', ':', '-' and '_'"},
        {{"endpoints", "a/b", "--haproxy", "/s", "--backend", "a", "--server-options", "x;y"},
         "--server-options: \"x;y\" has a character that ends a command; use words and blanks"},
        {{"endpoints", "a/b", "--stale-after", "500ms"}, "--stale-after: \"500ms\" is too short; use 1s or more"},
        {{"endpoints", "a/b", "--timeout", "-1s"}, "--timeout: \"-1s\" is too short; use 1ms or more"},
        {{"endpoints", "a/b", "--max-stale", "5s"},
         "--max-stale 5s is less than --stale-after 10s; make it as long or longer"},
        {{"endpoints", "a/b", "--on-stale", "stop"}, "--on-stale: no such word: \"stop\"; use keep, empty or exit"},
        {{"endpoints", "a/b", "--log-format", "xml"}, "--log-format: no such word: \"xml\"; use text or json"},
        {{"endpoints", "a/b", "--log-level", "loud"},
         "--log-level: no such word: \"loud\"; use debug, info, warning or error"},
        {{"endpoints", "a/b", "--once=maybe"}, "--once: \"maybe\" is neither true nor false"},
    };
    for (const auto& each : rows) {
        const auto& [arguments, message] = each;
        CAPTURE(each.second);
        const auto o = parse_options(arguments);
        REQUIRE(!o);
        CHECK(o.error() == kcontrol::errc::invalid_argument);
        CHECK(o.error().message() == message);
    }
    // Of these the words are the library's.
    const std::pair<words, const char*> others[] = {
        {{"endpoints", "Shop/web"}, "endpoints: \"Shop\" is no namespace's name: "},
        {{"endpoints", "shop/web-"}, "endpoints: \"web-\" is no name of a SERVICE: "},
        {{"leader", "shop/we_b"}, "leader: \"we_b\" is no name of a LEASE: "},
        {{"pods", "shop", "--selector", "a in"}, "--selector: "},
        {{"endpoints", "a/b", "--port", "HTTP"}, "--port: \"HTTP\" is no port's name: "},
        {{"endpoints", "a/b", "--timeout", "5"}, "--timeout: "},
        {{"endpoints", "a/b", "--tempalte", "t"}, "--tempalte"},
    };
    for (const auto& each : others) {
        const auto& [arguments, beginning] = each;
        CAPTURE(each.second);
        const auto o = parse_options(arguments);
        REQUIRE(!o);
        CHECK_MESSAGE(o.error().message().find(beginning) != std::string::npos, o.error().message());
    }
}
