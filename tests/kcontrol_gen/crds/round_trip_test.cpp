// What manifests say survives reading into generated types and writing again.
#include <kcontrol/documents/yaml.hpp>

#include "registry.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace kcontrol;
using namespace kcontrol_test;

namespace {

const resource_info* find_kind(const json::value& object) {
    for (const auto* info : registered_kinds()) {
        if (info->gvk.api_version() == json::get_string(object, {"apiVersion"}) &&
            info->gvk.kind == json::get_string(object, {"kind"})) {
            return info;
        }
    }
    return nullptr;
}

/// Whether the value has no content: {}, [], or objects of such.
bool is_empty(const json::value& v) {
    if (v.is_array()) return v.get_array().empty();
    if (!v.is_object()) return false;
    for (const auto& entry : v.get_object()) {
        if (!is_empty(entry.value())) return false;
    }
    return true;
}

/// Whether a number became the same number as text: quantities are texts, and the server reads both.
bool is_quantity_as_text(const json::value& from, const json::value& to) {
    return from.is_int64() && to.is_string() && json::serialize(to) == '"' + json::serialize(from) + '"';
}

/// What reading and writing changed, but for quantities and for empty objects that structs held by value add.
void find_changes(const json::value& from, const json::value& to, const std::string& path, std::string& out) {
    if (json::equal(from, to) || is_quantity_as_text(from, to)) return;
    if (from.is_array() && to.is_array() && from.get_array().size() == to.get_array().size()) {
        for (std::size_t i = 0; i < from.get_array().size(); ++i) {
            find_changes(from.get_array()[i], to.get_array()[i], path + "/" + std::to_string(i), out);
        }
        return;
    }
    if (!from.is_object() || !to.is_object()) {
        out += path + ": " + json::serialize(from) + " became " + json::serialize(to) + "\n";
        return;
    }
    for (const auto& entry : from.get_object()) {
        const auto* other = to.get_object().if_contains(entry.key());
        const auto where = path + "/" + std::string(entry.key());
        if (other != nullptr) {
            find_changes(entry.value(), *other, where, out);
        } else {
            out += where + ": lost\n";
        }
    }
    for (const auto& entry : to.get_object()) {
        if (from.get_object().contains(entry.key()) || is_empty(entry.value())) continue;
        out += path + "/" + std::string(entry.key()) + ": came up\n";
    }
}

std::string changes(const json::value& from, const json::value& to) {
    std::string out;
    find_changes(from, to, "", out);
    return out;
}

}  // namespace

TEST_CASE("five CRDs are linked") { CHECK(registered_kinds().size() == 5); }

TEST_CASE("manifests round-trip") {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(KCONTROL_SHARED_DATA "/manifests")) {
        files.push_back(entry.path());
    }
    std::size_t objects = 0;
    for (const auto& file : files) {
        CAPTURE(file.string());
        std::stringstream text;
        text << std::ifstream(file).rdbuf();
        const auto documents = json::parse_yaml(text.str());
        REQUIRE(documents.has_value());
        for (const auto& object : *documents) {
            const auto* info = find_kind(object);
            if (info == nullptr) continue;
            ++objects;
            json::document document;
            const auto node = document.parse(json::serialize(object));
            REQUIRE(node.has_value());
            const auto decoded = info->decode(*node);
            CAPTURE(decoded.has_error() ? decoded.error().what() : "");
            REQUIRE(decoded.has_value());
            const auto again = json::parse(info->encode(*decoded).value());
            REQUIRE(again.has_value());
            CHECK(changes(object, *again) == "");
        }
    }
    CHECK(objects >= 9);
}
