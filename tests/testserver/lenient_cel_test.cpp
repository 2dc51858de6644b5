// Rules that this server's CEL does not know: refused, or taken with a warning and not enforced.
#include <kcontrol/base/log.hpp>
#include <kcontrol/testing/api_server.hpp>
#include <kcontrol/testing/manual_environment.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

json::value size_schema(const std::string& rules) {
    return json::parse(R"({"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{)"
                       R"("size":{"type":"integer","x-kubernetes-validations":[)" +
                       rules + "]}}}}}}")
        .value();
}

json::value definition(const std::vector<std::pair<std::string, std::string>>& rules_of_versions) {
    json::value out = json::parse(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
                                  R"("metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com",)"
                                  R"("scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},"versions":[]}})")
                          .value();
    json::array& versions = out.as_object()["spec"].as_object()["versions"].as_array();
    for (const auto& [name, rules] : rules_of_versions) {
        json::object version;
        version["name"] = name;
        version["served"] = true;
        version["storage"] = versions.empty();
        version["schema"] = size_schema(rules);
        versions.push_back(json::value(std::move(version)));
    }
    return out;
}

json::value widget(const std::string& name, int size) {
    return json::parse(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" + name +
                       R"("},"spec":{"size":)" + std::to_string(size) + "}}")
        .value();
}

class lenient_fixture {
public:
    explicit lenient_fixture(bool lenient)
        : server(env, context.get_executor(),
                 api_server_options().default_and_validate(true).lenient_cel(lenient).log(logger(
                     [this](const log_record& record) {
                         std::string line(record.message);
                         for (const auto& field : record.fields) line += "|" + field.value;
                         lines.push_back(line);
                     },
                     log_level::warning))) {}

    std::string refusal(const json::value& object) {
        const auto made = server.create(object);
        return made ? "" : made.error().what();
    }

    boost::asio::io_context context;
    manual_environment env;
    std::vector<std::string> lines;
    api_server server;
};

constexpr const char* unknown = R"x({"rule":"nope(self)"},{"rule":"self < 10"})x";

}  // namespace

TEST_CASE("a rule that this server's CEL does not know is refused unless the server is lenient") {
    lenient_fixture strict(false);
    CHECK(strict.refusal(definition({{"v1", unknown}})).find("1:1: kcontrol's CEL does not know nope()") !=
          std::string::npos);
    CHECK(strict.lines.empty());

    lenient_fixture lenient(true);
    const std::string zone = R"x({"rule":"self.getHours('Europe/Berlin') > 1"})x";
    CHECK(lenient.refusal(definition({{"v1", unknown}, {"v2", zone}})) == "");
    const std::string place = "].schema.openAPIV3Schema.properties[spec].properties[size].x-kubernetes-validations[0].";
    REQUIRE(lenient.lines.size() == 2);
    CHECK(lenient.lines[0] == "a rule is not enforced|widgets.example.com|v1|spec.versions[0" + place +
                                  "rule|nope(self)|1:1: kcontrol's CEL does not know nope()");
    CHECK(lenient.lines[1].starts_with("a rule is not enforced|widgets.example.com|v2|spec.versions[1" + place));

    // Once for each, however often the definition is written; the other rules hold.
    REQUIRE(lenient.server.patch({"apiextensions.k8s.io", "customresourcedefinitions"}, {"", "widgets.example.com"},
                                 json::parse(R"({"metadata":{"labels":{"a":"b"}}})").value()));
    CHECK(lenient.lines.size() == 2);
    CHECK(lenient.refusal(widget("small", 1)) == "");
    CHECK(lenient.refusal(widget("large", 20)).find("failed rule: self < 10") != std::string::npos);
}

TEST_CASE("a lenient server takes a message that can't be computed, and uses the fixed one") {
    lenient_fixture lenient(true);
    const std::string rule = R"x({"rule":"self < 10","message":"too large","messageExpression":"nope(self)"})x";
    CHECK(lenient.refusal(definition({{"v1", rule}})) == "");
    REQUIRE(lenient.lines.size() == 1);
    CHECK(lenient.lines[0].starts_with("a rule's message is not computed|"));
    CHECK(lenient.lines[0].find(".messageExpression|nope(self)|") != std::string::npos);
    CHECK(lenient.refusal(widget("large", 20)).find("too large") != std::string::npos);
}

TEST_CASE("a lenient server refuses rules that are wrong") {
    for (const char* rule :
         {R"x({"rule":"self + 1"})x", R"x({"rule":" "})x", R"x({"rule":"other > 1"})x",
          R"x({"rule":"nope(self)","message":"a\nb"})x", R"x({"rule":"self > 1","messageExpression":"self"})x"}) {
        CAPTURE(rule);
        lenient_fixture lenient(true);
        CHECK(lenient.refusal(definition({{"v1", rule}})) != "");
        CHECK(lenient.lines.empty());
    }
}
