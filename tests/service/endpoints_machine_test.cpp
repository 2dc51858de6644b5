#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/service/detail/endpoints_machine.hpp>

#include "service/stage.hpp"
#include "support/has.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace kcontrol::service::detail;

template <class T>
std::shared_ptr<const T> read(json::value object, const std::string& version = "1") {
    object.at("metadata").as_object()["resourceVersion"] = version;
    object.at("metadata").as_object()["namespace"] = "default";
    return resource_of<T>().decode_text(json::serialize(object)).value().template as<T>();
}

std::shared_ptr<const endpoint_slice> slice(const std::string& name, const std::vector<made_endpoint>& all,
                                            json::array ports = {{{"name", "http"}, {"port", 8080}}}) {
    return read<endpoint_slice>(slice_json(name, all, "web", std::move(ports)));
}

std::shared_ptr<const followed_service> web(json::array ports, json::object spec = {}) {
    auto object = service_json("web", std::move(ports));
    for (auto& [key, value] : spec) object.at("spec").as_object()[key] = value;
    object.at("metadata").as_object()["uid"] = "uid-1";
    return read<followed_service>(std::move(object));
}

endpoints_machine machine_of(const std::string& port = {}) {
    return endpoints_machine(service::endpoints_target::service({"default", "web"}), port_choice::parse(port).value());
}

std::string value_of(endpoints_machine& of) {
    of.take();
    return text_of(of.value());
}

json::value pod_json(const std::string& name, const std::string& ip, bool ready = true) {
    return {{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", name}, {"labels", {{"app", "web"}}}}},
            {"spec",
             {{"nodeName", "n1"},
              {"containers",
               json::array{{{"name", "c"}, {"ports", json::array{{{"name", "http"}, {"containerPort", 8080}}}}}}}}},
            {"status",
             {{"phase", "Running"},
              {"podIP", ip},
              {"podIPs", json::array{{{"ip", ip}}}},
              {"conditions", json::array{{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}}}}};
}

}  // namespace

TEST_CASE("endpoints_machine: conditions that are absent") {
    auto object = slice_json("a", {{"10.0.0.1", "p1", ""}, {"10.0.0.2", "", "r"}, {"10.0.0.3", "", "st"}});
    auto& all = object.at("endpoints").as_array();
    all[0].as_object()["zone"] = "z1";
    all[0].as_object()["nodeName"] = "n1";
    all[1].at("conditions").as_object().erase("serving");
    all[1].at("conditions").as_object()["ready"] = false;
    all.push_back({{"addresses", json::array{"10.0.0.4", "10.0.0.5"}}, {"conditions", {{"ready", nullptr}}}});
    const auto read_ = read_slice(*read<endpoint_slice>(object), 80);
    REQUIRE(read_.size() == 4);
    CHECK(read_[0].ready);  // absent: true
    CHECK(read_[0].serving);
    CHECK_FALSE(read_[0].terminating);
    CHECK(read_[0].zone == "z1");
    CHECK(read_[0].node == "n1");
    CHECK(read_[0].pod == "p1");
    CHECK_FALSE(read_[1].ready);
    CHECK_FALSE(read_[1].serving);  // absent: as ready
    CHECK(read_[2].serving);
    CHECK(read_[2].terminating);
    CHECK(read_[3].address == "10.0.0.4");  // the first
    CHECK(read_[3].ready);
}

TEST_CASE("endpoints_machine: which port is meant") {
    const json::array of_service{{{"name", "http"}, {"port", 80}}, {{"name", "metrics"}, {"port", 9000}}};
    const json::array of_slice{{{"name", "metrics"}, {"port", 9090}}, {{"name", "http"}, {"port", 8080}}};
    struct {
        const char* port;
        bool known;  // the Service
        std::uint16_t expected;
    } const table[] = {
        {"", true, 8080},                           // the Service's first
        {"", false, 9090},                          // the slice's first
        {"http", true, 8080},                       // by name
        {"http", false, 8080}, {"80", true, 8080},  // the Service's number
        {"80", false, 0},                           // which nobody knows here
        {"9090", true, 9090},                       // the endpoints' own number
        {"8080", false, 8080},                      // likewise
        {"htp", true, 0},
    };
    for (const auto& row : table) {
        CAPTURE(row.port);
        CAPTURE(row.known);
        auto m = machine_of(row.port);
        if (row.known) m.put_service(web(of_service));
        m.put(slice("a", {"10.0.0.1"}, of_slice));
        m.take();
        CHECK(m.value().size() == (row.expected != 0 ? 1 : 0));
        if (row.expected != 0) CHECK(m.value()[0].port == row.expected);
        CHECK(m.problem().has_value() == (row.expected == 0));
    }
}

TEST_CASE("endpoints_machine: an unknown port is an error that lists those there are") {
    auto m = machine_of("htp");
    m.put(slice("a", {"10.0.0.1"}, {{{"name", "http"}, {"port", 8080}}, {{"name", "metrics"}, {"port", 9090}}}));
    REQUIRE(m.problem());
    CHECK(*m.problem() == errc::invalid_argument);
    CHECK(m.problem()->message() ==
          "service default/web: there is no port \"htp\"; choose one of http (8080), metrics (9090)");
    m.put_service(web({{{"name", "web"}, {"port", 80}}}));
    CHECK(test::has(m.problem()->message(), "choose one of web (80)"));
    m.put_service(web({{{"name", "htp"}, {"port", 80}}}));  // it has one now, if no endpoint listens there yet
    CHECK_FALSE(m.problem());
    CHECK(port_choice::parse("0").has_error());
    CHECK(port_choice::parse("65536").has_error());
    CHECK(port_choice::parse("99999999999999999999").has_error());
    CHECK(port_choice::parse("a b").has_error());
}

TEST_CASE("endpoints_machine: a Service's own number is known only with the Service") {
    auto m = machine_of("80");
    m.put(slice("a", {"10.0.0.1"}));
    CHECK(value_of(m).empty());
    m.put_service(web({{{"name", "http"}, {"port", 80}}}));
    CHECK(value_of(m) == "10.0.0.1:8080");
}

TEST_CASE("endpoints_machine: headless Services without ports, and ports without a number") {
    auto m = machine_of("7000");
    m.put_service(web({}));
    m.put(slice("a", {"10.0.0.1"}, {}));
    CHECK(value_of(m) == "10.0.0.1:7000");
    auto first = machine_of();
    first.put(slice("a", {"10.0.0.1"}, {}));
    CHECK(value_of(first) == "10.0.0.1:0");
    auto named = machine_of("http");
    named.put(slice("a", {"10.0.0.1"}, {{{"name", "http"}}}));
    CHECK(value_of(named).empty());
}

TEST_CASE("endpoints_machine: TCP before UDP where a number is both") {
    const json::array ports{{{"name", "dns"}, {"port", 53}, {"protocol", "UDP"}},
                            {{"name", "dns-tcp"}, {"port", 53}, {"protocol", "TCP"}}};
    auto m = machine_of("53");
    m.put_service(web(ports));
    m.put(slice("a", {"10.0.0.1"},
                {{{"name", "dns"}, {"port", 1053}, {"protocol", "UDP"}}, {{"name", "dns-tcp"}, {"port", 2053}}}));
    CHECK(value_of(m) == "10.0.0.1:2053");
}

TEST_CASE("endpoints_machine: dual stack, and addresses that are names") {
    auto m = machine_of();
    m.put(slice("four", {"10.0.0.1"}));
    m.put(slice("six", {"fd00::1"}));
    auto names = slice_json("names", {"a.example.com"});
    names.as_object()["addressType"] = "FQDN";
    m.put(read<endpoint_slice>(names));
    CHECK(value_of(m) == "10.0.0.1:8080 fd00::1:8080");
}

TEST_CASE("endpoints_machine: what is wrong with a Service") {
    auto m = machine_of();
    CHECK_FALSE(m.problem());  // nothing is known of it
    m.put_service(nullptr);
    CHECK(*m.problem() == api_errc::not_found);
    m.put_service(web({}, {{"type", "ExternalName"}, {"externalName", "db.example.com"}}));
    CHECK(*m.problem() == errc::invalid_argument);
    CHECK(test::has(m.problem()->message(), "connect to \"db.example.com\""));
    m.put_service(web({{{"port", 80}}}, {{"selector", nullptr}}));
    CHECK(test::has(m.problem()->message(), "no selector"));
    m.put(slice("a", {"10.0.0.1"}, {{{"name", ""}, {"port", 8080}}}));  // made by hand
    CHECK_FALSE(m.problem());
    CHECK(value_of(m) == "10.0.0.1:8080");
}

TEST_CASE("endpoints_machine: a Service that was deleted takes its slices along") {
    auto m = machine_of();
    auto owned = slice_json("a", {"10.0.0.1"});
    owned.at("metadata").as_object()["ownerReferences"] =
        json::array{{{"apiVersion", "v1"}, {"kind", "Service"}, {"name", "web"}, {"uid", "uid-1"}}};
    m.put_service(web({{{"name", "http"}, {"port", 80}}}));
    m.put(read<endpoint_slice>(owned));
    CHECK(value_of(m) == "10.0.0.1:8080");
    m.put_service(nullptr);
    CHECK(value_of(m).empty());
    // Created again, before the garbage collector came.
    auto again = service_json("web");
    again.at("metadata").as_object()["uid"] = "uid-2";
    m.put_service(read<followed_service>(again));
    CHECK(value_of(m).empty());
    m.put(slice("b", {"10.0.0.2"}));
    CHECK(value_of(m) == "10.0.0.2:8080");
    // An older etcd has the first one.
    m.put_service(web({{{"name", "http"}, {"port", 80}}}));
    CHECK(value_of(m) == "10.0.0.1:8080 10.0.0.2:8080");
}

TEST_CASE("endpoints_machine: a list replaces all, the file's endpoints included") {
    auto m = machine_of();
    service::endpoint saved;
    saved.address = "10.0.0.9";
    m.load({saved});
    CHECK(value_of(m) == "10.0.0.9:0(down)");
    m.replace({slice("a", {"10.0.0.1"}), slice("b", {"10.0.0.2"})});
    CHECK(value_of(m) == "10.0.0.1:8080 10.0.0.2:8080");
    m.replace({slice("b", {"10.0.0.3"})});
    CHECK(value_of(m) == "10.0.0.3:8080");
    m.replace(std::vector<std::shared_ptr<const endpoint_slice>>());
    CHECK(value_of(m).empty());
}

TEST_CASE("endpoints_machine: pods") {
    const auto target = service::endpoints_target::pods("default", "app=web");
    endpoints_machine m(target, port_choice::parse("http").value());
    m.put(*read<followed_pod>(pod_json("a", "10.0.0.1")));
    m.put(*read<followed_pod>(pod_json("b", "10.0.0.2", false)));
    auto ended = pod_json("c", "10.0.0.3");
    ended.at("status").as_object()["phase"] = "Succeeded";
    m.put(*read<followed_pod>(ended));
    auto dying = pod_json("d", "10.0.0.4");
    dying.at("metadata").as_object()["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    m.put(*read<followed_pod>(dying));
    auto pending = pod_json("e", "");
    pending.at("status").as_object() = {{"phase", "Pending"}};
    m.put(*read<followed_pod>(pending));
    auto both = pod_json("f", "10.0.0.6");
    both.at("status").as_object()["podIPs"] = json::array{{{"ip", "10.0.0.6"}}, {{"ip", "fd00::6"}}};
    m.put(*read<followed_pod>(both));
    CHECK(value_of(m) == "10.0.0.1:8080 10.0.0.2:8080(down) 10.0.0.4:8080(terminating) 10.0.0.6:8080 fd00::6:8080");
    CHECK(m.value()[0].pod == "a");
    CHECK(m.value()[0].node == "n1");
    CHECK(m.value()[2].serving);
    m.remove("a");
    CHECK(value_of(m) == "10.0.0.2:8080(down) 10.0.0.4:8080(terminating) 10.0.0.6:8080 fd00::6:8080");

    endpoints_machine wrong(target, port_choice::parse("htp").value());
    wrong.put(*read<followed_pod>(pod_json("a", "10.0.0.1")));
    CHECK(wrong.problem()->message() ==
          "pods of default with app=web: there is no port \"htp\"; choose one of http (8080)");
    endpoints_machine number(target, port_choice::parse("1234").value());
    number.put(*read<followed_pod>(pod_json("a", "10.0.0.1")));
    CHECK(value_of(number) == "10.0.0.1:1234");
    auto bare = pod_json("a", "10.0.0.1");
    bare.at("spec").as_object()["containers"] = json::array{{{"name", "c"}}};
    endpoints_machine none(target, {});
    none.put(*read<followed_pod>(bare));
    CHECK(test::has(none.problem()->message(), "the pods declare no port; choose one by its number"));
}

TEST_CASE("endpoints_target: what can't be meant") {
    using service::endpoints_target;
    CHECK(endpoints_target::parse("default/web").value() == endpoints_target::service({"default", "web"}));
    struct {
        const char *text, *part;
    } const table[] = {
        {"web", "the form is NAMESPACE/SERVICE"}, {"/web", "namespace: it is missing"},
        {"default/", "service: it is missing"},   {"default/Web", "service \"Web\""},
        {"a b/web", "namespace \"a b\""},         {"default/web/x", "service \"web/x\""},
    };
    for (const auto& row : table) {
        CAPTURE(row.text);
        const auto read_ = endpoints_target::parse(row.text);
        REQUIRE(read_.has_error());
        CHECK(read_.error() == errc::invalid_argument);
        CHECK(test::has(read_.error().what(), row.part));
    }
    CHECK(endpoints_target::pods("default", "").validate().has_error());
    CHECK(endpoints_target::pods("default", "app in (").validate().has_error());
    CHECK(endpoints_target::pods("default", "app in (a,b),!c").validate().has_value());
}
