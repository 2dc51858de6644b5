#include <doctest/doctest.h>

#include <kcontrol_gen/hand_over.hpp>

using namespace kcontrol_gen;

TEST_CASE("which arguments are kcontrol-apiserver's") {
    CHECK(is_for_apiserver({"--crds-of", "--", "./program"}));
    CHECK(is_for_apiserver({"--for", "1m", "--rbac-of", "./program"}));
    CHECK(!is_for_apiserver({"--out", "a", "--namespace", "b", "--", "--rbac-of"}));
    CHECK(!is_for_apiserver({"--out", "--rbac-of.hpp"}));
    CHECK(!is_for_apiserver({}));
}

TEST_CASE("where kcontrol-apiserver is looked for") {
    using places = std::vector<std::string>;
    CHECK(apiserver_places("/opt/bin", "/usr/bin:/bin") ==
          places{"/opt/bin/kcontrol-apiserver", "/usr/bin/kcontrol-apiserver", "/bin/kcontrol-apiserver"});
    // Not where somebody happens to be.
    CHECK(apiserver_places("", ".::relative:/bin:") == places{"/bin/kcontrol-apiserver"});
    CHECK(apiserver_places("", "").empty());
}
