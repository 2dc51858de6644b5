#include <kcontrol/base/secret_string.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace kcontrol;

TEST_CASE("secret_string: what it takes over is wiped where it was, also where a string keeps it in itself") {
    for (const std::string& text : {std::string("hunter2"), std::string(100, 'x')}) {
        std::string from = text;
        const char* const there = from.data();
        const secret_string secret(std::move(from));
        CHECK(secret.reveal() == text);
        CHECK(from.empty());  // NOLINT(bugprone-use-after-move): promised
        CHECK(std::string(there, text.size()) == std::string(text.size(), '\0'));
    }
}

TEST_CASE("secret_string: a copy leaves what was copied, a move nothing") {
    const std::string text = "hunter2";
    secret_string first(text);
    CHECK(text == "hunter2");
    const secret_string copy = first;
    CHECK(copy == first);
    secret_string moved = std::move(first);
    CHECK(first.empty());  // NOLINT(bugprone-use-after-move): promised
    CHECK(moved == copy);
    first = std::move(moved);
    CHECK(moved.empty());  // NOLINT(bugprone-use-after-move): promised
    CHECK(first.reveal() == text);
}
