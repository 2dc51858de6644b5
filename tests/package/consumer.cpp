// A tiny program that a user of the package might start with. It needs the headers, the library and its dependencies.
#include <kcontrol/base/errc.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/version.hpp>

#include <cstdio>
#include <string>

int main() {
    const auto pod = kcontrol::json::parse(R"({"metadata": {"name": "p"}})");
    if (!pod || kcontrol::json::get_string(*pod, {"metadata", "name"}) != "p") return 1;
    const kcontrol::error_code code = kcontrol::errc::timeout;
    std::printf("kcontrol %s: %s\n", KCONTROL_VERSION_STRING, code.message().c_str());
    return 0;
}
