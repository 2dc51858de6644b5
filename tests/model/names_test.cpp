// Names and resource versions, against what k8s.io/apimachinery answers.
#include <kcontrol/model/names.hpp>
#include <kcontrol/model/resource_version.hpp>

#include "go_truth/go_table.hpp"

#include <map>

using namespace kcontrol;
using test::go_table;
using test::text_of;

TEST_CASE("names: the problems, in Go's words") {
    const std::map<std::string, name_problems (*)(std::string_view)> checks{
        {"dns1123_label", check_dns1123_label},   {"dns1123_subdomain", check_dns1123_subdomain},
        {"dns1035_label", check_dns1035_label},   {"label_key", check_label_key},
        {"label_value", check_label_value},       {"port_name", check_port_name},
        {"config_map_key", check_config_map_key}, {"env_var_name", check_env_var_name}};
    auto rows = go_table("names");
    const json::array messages = rows.front()[0].as_array();
    rows.erase(rows.begin());
    for (const auto& row : rows) {
        const std::string check = text_of(row[0]);
        const std::string text = text_of(row[1]);
        CAPTURE(check);
        CAPTURE(text);
        name_problems expected;
        for (const auto& index : row[2].as_array()) {
            expected.push_back(text_of(messages[static_cast<std::size_t>(index.as_int64())]));
        }
        CHECK(checks.at(check)(text) == expected);
    }
    CHECK(join_problems({"a", "b"}) == "a; b");
}

TEST_CASE("resource versions: compared as Go compares them; opaque ones only for equality") {
    for (const auto& row : go_table("resource_version")) {
        const std::string a = text_of(row[0]);
        const std::string b = text_of(row[1]);
        CAPTURE(a);
        CAPTURE(b);
        const auto order = compare_resource_version(a, b);
        if (!row[2].is_null()) {
            CHECK(order == (row[2].as_int64() <=> 0));
        } else {
            CHECK(order.has_value() == (a == b && a != "" && a != "0"));
        }
    }
}
