// When a silent peer is asked for a sign of life, second by second.
#include <kcontrol/transport/impl/life_signs.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;
using kcontrol::http::detail::life_signs;
using namespace std::chrono_literals;

namespace {

time_point second(int n) { return time_point{} + std::chrono::seconds(n); }

// What happens in so many seconds, a letter each: '.' nothing, '?' it is asked, '!' it is dead. `heard` has an 'x' for
// each second in which something comes.
std::string life_of(life_signs signs, const std::string& heard) {
    std::string out;
    signs.begin(second(0));
    for (int now = 1; now <= static_cast<int>(heard.size()); ++now) {
        if (heard[static_cast<std::size_t>(now) - 1] == 'x') signs.heard(second(now));
        switch (signs.at(second(now))) {
        case life_signs::step::wait: out += '.'; break;
        case life_signs::step::ask: out += '?'; break;
        case life_signs::step::dead: return out + '!';
        }
    }
    return out;
}

}  // namespace

TEST_CASE("signs of life: a silent peer is asked once, and dead without an answer") {
    const life_signs signs(4s, 2s);
    CHECK(life_of(signs, "      ") == "...?.!");
    CHECK(life_of(signs, "x x x x x x") == "...........");
    CHECK(life_of(signs, "    x    x    x") == "...?....?....?.");
    CHECK(life_of(signs, "     x      ") == "...?.....?.!");
    CHECK(life_of(signs, "   x        ") == ".......?.!");
}

TEST_CASE("signs of life: the next look is when something may have to be done") {
    life_signs signs(30s, 15s);
    signs.begin(second(100));
    CHECK(signs.next() == second(130));
    signs.heard(second(120));
    CHECK(signs.at(second(130)) == life_signs::step::wait);
    CHECK(signs.next() == second(150));
    CHECK(signs.at(second(150)) == life_signs::step::ask);
    CHECK(signs.next() == second(165));
    // Who begins to wait anew does not owe for what nobody waited for.
    signs.begin(second(900));
    CHECK(signs.at(second(901)) == life_signs::step::wait);
    CHECK(signs.next() == second(930));
}

TEST_CASE("signs of life: none are wanted where the time is zero") {
    CHECK(!life_signs(0s, 15s).watches());
    CHECK(life_signs(1s, 0s).watches());
}

TEST_CASE("signs of life: the end says what was waited for") {
    const error why = life_signs(30s, 15s).verdict();
    CHECK(why == errc::connection_lost);
    CHECK(why.what().find("nothing came for 15000 ms, though the server was asked") != std::string::npos);
}
