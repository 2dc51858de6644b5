// Lists in pages whose version expires between two of them: F05 of reliability's table of failures.
#include "hostile/play.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

using enum informer_state;

// As an API server says it: with a token for a list that goes on at another version. It must not be used.
reply expired_page() {
    return reply::whole(
        410, R"({"kind":"Status","apiVersion":"v1","metadata":{"continue":"inconsistent"},"status":"Failure",)"
             R"("message":"The provided continue parameter is too old","reason":"Expired","code":410})");
}

scenario in_pages(const std::string& name) {
    return scenario(name)
        .with(informer_options().page_size(1))
        .before([](play& p) {
            for (const auto* n : {"d", "e"}) p.honest.create(n, 7);
        })
        .from_the_start();
}

// A list at "0" comes from a cache, which knows no pages; so this server makes them, an object each.
std::optional<reply> page_of(const ask& q) {
    if (!q.is_list() || (q.what == verb::list && q.limit == 0)) return std::nullopt;
    const auto all = q.world.objects_with({});
    const std::size_t at = q.token.empty() ? 0 : std::stoull(q.token);
    return reply::whole(200, q.world.list_of({all[at]}, at + 1 < all.size() ? std::to_string(at + 1) : ""));
}

void uses_no_inconsistent_token(play& p) {
    for (const auto& line : p.asked_with()) CHECK(line != "page inconsistent");
}

std::vector<scenario> expired_pages() {
    std::vector<scenario> out;
    for (std::size_t k = 1; k <= 4; ++k) {
        out.push_back(in_pages("F05 410 on page " + std::to_string(k + 1) + " of a paged list")
                          .answers([k](const ask& q) -> std::optional<reply> {
                              if (q.what != verb::page || q.n != k - 1) return page_of(q);
                              // What the first pages said is no longer true.
                              q.world.honest.remove("c");
                              q.world.honest.set_value("b", 60);
                              return expired_page();
                          })
                          .well()
                          .heard("+a +b +d +e ")
                          .holds("a=1 b=60 d=7 e=7")
                          .lists(2, 2)
                          .also([k](play& p) {
                              uses_no_inconsistent_token(p);
                              CHECK(p.asked(verb::page) == k);
                              // At the newest version, and all at once.
                              std::vector<std::string> lists;
                              for (const auto& line : p.asked_with()) {
                                  if (line.starts_with("list")) lists.push_back(line);
                              }
                              CHECK(lists == std::vector<std::string>{"list 0 limit 1", "list  limit 0"});
                          }));
    }
    const auto no_page = [](const ask& q) { return q.what == verb::page ? std::optional(expired_page()) : page_of(q); };
    out.push_back(in_pages("F05 410 on every later page")
                      .answers(no_page)
                      .well()
                      .heard("+a +b +c +d +e ")
                      .lists(2, 2)
                      .also(uses_no_inconsistent_token));
    out.push_back(in_pages("F05 410 on every later page, and on lists without pages")
                      .lasts(5min)
                      .answers([](const ask& q) -> std::optional<reply> {
                          const bool refused = q.what == verb::page || (q.what == verb::list && q.limit == 0);
                          return refused ? std::optional(expired_page()) : page_of(q);
                      })
                      .state(failed)
                      .reason("continue parameter is too old")
                      .empty()
                      .per_minute(10)
                      .also(uses_no_inconsistent_token));
    out.push_back(in_pages("F05 410 on a later page, and the list without pages comes in pages all the same")
                      .answers([](const ask& q) -> std::optional<reply> {
                          if (q.what == verb::page && q.n == 0) return expired_page();
                          const auto all = q.world.objects_with({});
                          if (q.what == verb::list && q.limit == 0) {
                              return reply::whole(200, q.world.list_of({all[0], all[1]}, "rest"));
                          }
                          if (q.what == verb::page && q.token == "rest") {
                              return reply::whole(200, q.world.list_of({all[2], all[3], all[4]}));
                          }
                          return page_of(q);
                      })
                      .well()
                      .heard("+a +b +c +d +e ")
                      .lists(2, 2)
                      .also(uses_no_inconsistent_token));
    out.push_back(in_pages("F05 a later page is refused as 400, as another server's token")
                      .lasts(5min)
                      .answers([](const ask& q) -> std::optional<reply> {
                          if (q.what != verb::page || q.n > 0) return page_of(q);
                          return reply::failure(400, "BadRequest", "continue key is not valid");
                      })
                      .told("continue key is not valid")
                      .well()
                      .heard("+a +b +c +d +e ")
                      .lists(2, 2));
    out.push_back(in_pages("F05 the connection is lost between two pages")
                      .answers([](const ask& q) -> std::optional<reply> {
                          return q.what == verb::page && q.n == 1 ? std::optional(reply::drop()) : page_of(q);
                      })
                      .told("lost")
                      .well()
                      .heard("+a +b +c +d +e "));
    return out;
}

TEST_CASE("hostile: F05 lists that expire between two pages") { play_all(expired_pages()); }

}  // namespace
