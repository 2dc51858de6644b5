// For tests/e2e/test_generator.py: what a stored object is after generated types have read and written it.
// Reads one object a line, writes it again by its type; a kind that is not linked in, or a bad object, ends it.
#include "kcontrol_gen/crds/registry.hpp"

#include <iostream>
#include <string>

using namespace kcontrol;

namespace {

result<std::string> again(const std::string& line) {
    json::document document;
    const auto object = document.parse(line);
    if (!object) return object.error();
    const auto version = (*object)["apiVersion"];
    const auto kind = (*object)["kind"];
    for (const auto* info : kcontrol_test::registered_kinds()) {
        if (!version.is_string() || info->gvk.api_version() != version.as_string()) continue;
        if (!kind.is_string() || info->gvk.kind != kind.as_string()) continue;
        const auto decoded = info->decode(*object);
        if (!decoded) return decoded.error();
        return info->encode(*decoded).value();
    }
    return error(errc::no_such_kind, "no type is linked for " + line.substr(0, 80));
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        const auto text = again(line);
        if (!text) return std::cerr << text.error().what() << '\n', 1;
        std::cout << *text << '\n';
    }
    return 0;
}
