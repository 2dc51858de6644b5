#include "mustache/document.hpp"

#include <doctest/doctest.h>

using namespace follow;

namespace {

const mustache::names known("endpoints", {"address", "port", "zone", "last"});

mustache::object two() {
    std::vector<mustache::object> items;
    items.push_back(std::move(mustache::object().text("address", "10.0.0.1").text("port", "80").text("zone", "a")));
    items.push_back(std::move(mustache::object().text("address", "10.0.0.2").text("port", "81").text("last", "true")));
    return std::move(mustache::object().list("endpoints", std::move(items)));
}

mustache::object none() { return std::move(mustache::object().list("endpoints", {})); }

std::string rendered(std::string_view text, const mustache::object& values) {
    const auto parsed = mustache::document::parse(text, "t", known);
    REQUIRE_MESSAGE(parsed.has_value(), parsed.error().message());
    return parsed->render(values);
}

std::string refused(std::string_view text) {
    const auto parsed = mustache::document::parse(text, "web.mustache", known);
    REQUIRE(!parsed);
    return parsed.error().message();
}

}  // namespace

TEST_CASE("mustache: what is rendered of two endpoints, and of none") {
    struct row {
        const char* text;
        const char* of_two;
        const char* of_none;
    };
    const row rows[] = {
        {"", "", ""},
        {"plain } { text\n", "plain } { text\n", "plain } { text\n"},
        {"{{#endpoints}}{{address}}:{{port}};{{/endpoints}}", "10.0.0.1:80;10.0.0.2:81;", ""},
        {"{{^endpoints}}none{{/endpoints}}", "", "none"},
        {"{{# endpoints }}{{ address }}{{^last}},{{/last}}{{/ endpoints }}", "10.0.0.1,10.0.0.2", ""},
        {"{{#endpoints}}{{#zone}}[{{zone}}]{{/zone}}{{^zone}}-{{/zone}}{{/endpoints}}", "[a]-", ""},
        {"{{#endpoints}}{{{address}}} {{&port}} {{/endpoints}}", "10.0.0.1 80 10.0.0.2 81 ", ""},
        {"{{! a comment\nof two lines }}x", "x", "x"},
        // A tag of a section that is alone on its line takes the line with it.
        {"a\n{{#endpoints}}\n  {{port}}\n{{/endpoints}}\nb\n", "a\n  80\n  81\nb\n", "a\nb\n"},
        {"a\n  {{#endpoints}}  \n{{port}}\n\t{{/endpoints}}\nb", "a\n80\n81\nb", "a\nb"},
        {"a\r\n{{#endpoints}}\r\n{{port}}\r\n{{/endpoints}}\r\nb", "a\r\n80\r\n81\r\nb", "a\r\nb"},
        {"{{#endpoints}}\n{{port}}\n{{/endpoints}}", "80\n81\n", ""},
        {"  {{! alone }}\nb", "b", "b"},
        {"x {{! not alone }}\n", "x \n", "x \n"},
        {"| {{#endpoints}} |{{/endpoints}}\n", "|  | |\n", "| \n"},
        {"{{#endpoints}}\n\n{{/endpoints}}", "\n\n", ""},
        // A variable alone on its line does not.
        {"{{#endpoints}}\n{{zone}}\n{{/endpoints}}", "a\n\n", ""},
        // The list may be asked for inside of itself, inverted only.
        {"{{#endpoints}}{{^endpoints}}never{{/endpoints}}.{{/endpoints}}", "..", ""},
    };
    for (const auto& each : rows) {
        const auto& [text, of_two, of_none] = each;
        CAPTURE(each.text);
        CHECK(rendered(text, two()) == of_two);
        CHECK(rendered(text, none()) == of_none);
    }
}

TEST_CASE("mustache: nothing is escaped, and what values hold is no template") {
    std::vector<mustache::object> items;
    items.push_back(std::move(mustache::object().text("address", "a<&>\"'{{port}}").text("port", "1")));
    const auto values = std::move(mustache::object().list("endpoints", std::move(items)));
    CHECK(rendered("{{#endpoints}}{{address}}{{/endpoints}}", values) == "a<&>\"'{{port}}");
}

TEST_CASE("mustache: errors name the file, the line and the remedy") {
    const std::pair<const char*, const char*> rows[] = {
        {"a\n{{#endpoints", "web.mustache:2: the tag that begins here has no }}; close it"},
        {"{{{address}}", "web.mustache:1: the tag that begins here has no }}}; close it"},
        {"\n\n{{#endpoints}}\nx", "web.mustache:3: {{#endpoints}} has no {{/endpoints}}; close it"},
        {"x{{/endpoints}}", "web.mustache:1: {{/endpoints}} closes nothing; open it before, or remove it"},
        {"{{#endpoints}}\n{{#zone}}\n{{/endpoints}}",
         "web.mustache:3: {{/endpoints}} comes before the end of {{#zone}} of line 2; close that one first"},
        {"{{#endpoints}}{{adress}}{{/endpoints}}",
         "web.mustache:1: no such name: \"adress\"; there are endpoints and, inside of it, address, port, zone and "
         "last"},
        {"{{#servers}}{{/servers}}",
         "web.mustache:1: no such name: \"servers\"; there are endpoints and, inside of it, address, port, zone and "
         "last"},
        {"{{endpoints}}",
         "web.mustache:1: no such name: \"endpoints\"; there are endpoints and, inside of it, address, port, zone and "
         "last"},
        {"\n{{address}}",
         "web.mustache:2: {{address}} is a part of one of the endpoints; write it between {{#endpoints}} and "
         "{{/endpoints}}"},
        {"{{^endpoints}}{{port}}{{/endpoints}}",
         "web.mustache:1: {{port}} is a part of one of the endpoints; write it between {{#endpoints}} and "
         "{{/endpoints}}"},
        {"{{#endpoints}}\n{{#endpoints}}{{/endpoints}}{{/endpoints}}",
         "web.mustache:2: {{#endpoints}} is inside another one; close that one first"},
        {"{{> other}}", "web.mustache:1: \"{{> other}}\": partials are not supported; write the text here"},
        {"{{=<% %>=}}", "web.mustache:1: \"{{=<% %>=}}\": other delimiters are not supported; use {{ and }}"},
        {"{{}}", "web.mustache:1: \"{{}}\" has no name; write {{address}}"},
        {"{{# }}", "web.mustache:1: \"{{# }}\" has no name; write {{address}}"},
        {"{{a b}}", "web.mustache:1: \"{{a b}}\" has no name; write {{address}}"},
    };
    for (const auto& each : rows) {
        const auto& [text, message] = each;
        CAPTURE(each.first);
        CHECK(refused(text) == message);
    }
}
