// Nothing that is thrown gets out of a C function.
#include "service_c/barrier.hpp"

#include <kcontrol/base/error.hpp>

#include "service_c/handle_table.hpp"
#include "service_c/stage.hpp"

#include <new>
#include <stdexcept>
#include <system_error>

using namespace kcontrol;
using namespace kcontrol::service_c;

namespace {

template <class Thrown>
int code_of_thrown(Thrown what) {
    return guarded([&]() -> outcome<void> { throw what; });
}

}  // namespace

TEST_CASE("what is thrown becomes a code, and a text") {
    CHECK(code_of_thrown(std::bad_alloc()) == KC_ENOMEM);
    CHECK(test::last_error() == "out of memory: nothing was changed");
    CHECK(code_of_thrown(std::system_error(EAGAIN, std::system_category())) == KC_ENOMEM);
    CHECK(test::last_error().find("ulimit") != std::string::npos);
    CHECK(code_of_thrown(exception(error(api_errc::forbidden, "no right"))) == KC_EFORBIDDEN);
    CHECK(test::last_error().find("no right") != std::string::npos);
    CHECK(code_of_thrown(std::runtime_error("odd")) == KC_EINVAL);
    CHECK(test::last_error().find("odd") != std::string::npos);
    CHECK(code_of_thrown(7) == KC_EINVAL);
    CHECK(test::last_error().size() > 5);
    CHECK(guarded([]() -> outcome<void> { return {}; }) == KC_OK);
}

TEST_CASE("the library's errors have the codes of the interface") {
    const std::pair<error, int> table[] = {
        {error(errc::invalid_argument), KC_EINVAL},
        {error(errc::invalid_config), KC_EINVAL},
        {error(errc::file_failed), KC_EINVAL},
        {error(api_errc::invalid), KC_EINVAL},
        {error(errc::timeout), KC_ETIMEDOUT},
        {error(errc::connection_refused), KC_EUNREACHABLE},
        {error(errc::tls_failed), KC_EUNREACHABLE},
        {error(errc::not_an_api_server), KC_EUNREACHABLE},
        {error(api_errc::internal_error), KC_EUNREACHABLE},
        {error(api_errc::forbidden), KC_EFORBIDDEN},
        {error(api_errc::unauthorized), KC_EFORBIDDEN},
        {error(api_errc::not_found), KC_ENOTFOUND},
        {error(errc::no_such_kind), KC_ENOTFOUND},
        {error(errc::out_of_memory), KC_ENOMEM},
        {error(errc::stopped), KC_EHANDLE},
    };
    for (const auto& each : table) {
        const auto& [cause, code] = each;
        CAPTURE(each.first.what());
        CHECK(failure_of(cause).code == code);
        CHECK(failure_of(cause).text == cause.what());
    }
}

TEST_CASE("the table gives each handle once, and a client's parts newest first") {
    class thing final : public entry {
    public:
        explicit thing(kc_handle owner) : owner_(owner) {}
        const char* name() const noexcept override { return "a thing"; }
        void end() noexcept override {}
        kc_handle owner() const noexcept override { return owner_; }

    private:
        kc_handle owner_;
    };
    handle_table table;
    const kc_handle owner = table.reserve();
    std::vector<kc_handle> parts;
    for (int i = 0; i < 100; ++i) {
        parts.push_back(table.reserve());
        table.put(parts.back(), std::make_shared<thing>(owner));
    }
    table.put(table.reserve(), std::make_shared<thing>(0));
    CHECK(table.take(parts[40]) != nullptr);
    CHECK(table.take(parts[40]) == nullptr);
    CHECK(table.look_up(parts[40]).error().code == KC_EHANDLE);
    for (int i = 99; i >= 0; --i) {
        if (i == 40) continue;
        CHECK(table.look_up(parts[static_cast<std::size_t>(i)]));
        REQUIRE(table.take_part_of(owner) != nullptr);
        CHECK(!table.look_up(parts[static_cast<std::size_t>(i)]));
    }
    CHECK(table.take_part_of(owner) == nullptr);
    CHECK(table.all().size() == 1);
}
