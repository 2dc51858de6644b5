#include "hostile/play.hpp"

#include <kcontrol/http/url.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace kcontrol::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* canary = "canary-token-9f27";

std::uint64_t seed_from_environment() {
    const char* text = std::getenv("KCONTROL_HOSTILE_SEED");  // seam: ok, the seed of the rows
    return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

bool wants_table() { return std::getenv("KCONTROL_HOSTILE_TABLE") != nullptr; }  // seam: ok, the table is wanted

std::string describe(const any_event& e) {
    std::string out = e.type == event_type::added ? "+" : (e.type == event_type::updated ? "~" : "-");
    out += e.object().meta().name;
    if (e.final_state_unknown) out += "?";
    return out + " ";
}

std::string number_text(std::string text) {
    std::erase_if(text, [](char c) { return c == '\n'; });
    return text.substr(0, 90);
}

verb verb_of(const http::server_request& request) {
    if (request.target.find("/namespaces/kube-system") != std::string::npos) return verb::identity;
    if (request.target.find("/api/v1/namespaces?") != std::string::npos) return verb::identity;
    if (request.target.find("/widgets") == std::string::npos) return verb::other;
    if (request.target.find("watch=") != std::string::npos) return verb::watch;
    return request.target.find("continue=") != std::string::npos ? verb::page : verb::list;
}

std::string text_of(const ask& q) {
    switch (q.what) {
    case verb::list: return "list " + q.version + " limit " + std::to_string(q.limit);
    case verb::page: return "page " + q.token;
    case verb::watch: return "watch " + q.version;
    default: return "other";
    }
}

bool opens(verb what) { return what == verb::list || what == verb::watch; }

}  // namespace

play::play(const scenario& row, std::uint64_t seed)
    : widget_world(seed), honest(add("a")), row_(row), seed_(seed), checker_(row.name_) {
    behind_ = honest.api.handler();
    network.listen("a", honest.api.get_executor(), [this](http::server_request request, http::responder& out) {
        return serve(std::move(request), out);
    });
    std::int64_t value = 0;
    for (const auto* name : {"a", "b", "c"}) honest.create(name, ++value);
    const logger log(
        [this](const log_record& r) {
            std::string line(r.message);
            for (const auto& f : r.fields) ((line += " ") += f.name) += "=" + f.value;
            log_.push_back(std::move(line));
        },
        log_level::debug);
    auto options = row.options_;
    // The rows speak of lists; those of streamed ones say so.
    if (options.reflector().policy().streaming() == list_streaming::by_default) {
        options.streaming(list_streaming::off);
    }
    auto with = client::connect(env, home, honest.config(canary), network.factory(), log).value();
    watched = std::make_unique<any_informer>(env, home, std::move(with),
                                             row.info_ != nullptr ? *row.info_ : resource_of<widget>(),
                                             options.log(log).probe_period(5s));
    events_ = watched->subscribe([this](const any_event& e) { hear(e); });
    invalids_ =
        watched->on_invalid([this](const invalid_object& o) { heard_ += "!" + std::string(o.metadata.name) + " "; });
    statuses_ = watched->on_status_change([this](const informer_status& s) {
        if (bad_ && !s.reason.empty()) reasons_.push_back(s.reason);
    });
}

// A context that dies with coroutines suspended on their own events would leak them.
play::~play() {
    bad_ = false;
    network.break_connections("a");
    ends_within(5s, watched->stop());
    honest.api.break_watches();
    context.run_for(1s);
}

void play::hear(const any_event& e) {
    heard_ += describe(e);
    if (const auto known = e.object().as<widget>(); known && e.type == event_type::deleted) {
        last_states_ += std::string(known->metadata.name) + "=" + std::to_string(known->spec.value) + " ";
    }
    checker_.take(e);
}

ask play::ask_of(const http::server_request& request) {
    ask out(*this, verb_of(request));
    out.n = asked_[out.what]++;
    out.since = env.now() - began_;
    out.target = request.target;
    for (const auto& [name, value] : http::parse_query(http::split_target(request.target).second)) {
        if (name == "limit") out.limit = std::stoll(value);
        if (name == "continue") out.token = value;
        if (name == "resourceVersion") out.version = value;
        if (name == "timeoutSeconds") out.timeout = std::chrono::seconds(std::stoll(value));
    }
    return out;
}

// What a row's function throws would be lost with the exchange.
std::optional<reply> play::answer_to(const ask& question) {
    try {
        if (row_.answer_) return row_.answer_(question);
    } catch (const std::exception& e) {
        row_failed_ = e.what();
    }
    return std::nullopt;
}

awaitable<void> play::serve(http::server_request request, http::responder& out) {
    std::optional<reply> answer;
    if (bad_) {
        const ask question = ask_of(request);
        asked_with_.push_back(text_of(question));
        requests_.emplace_back(env.now(), question.what);
        answer = answer_to(question);
    }
    if (answer) {
        co_await perform(std::move(*answer), out);
    } else {
        co_await behind_(std::move(request), out);
    }
}

awaitable<void> play::perform(reply what, http::responder& out) {
    const auto gone = out.disconnected();
    const std::stop_token never;
    if (what.delay() > duration::zero()) co_await sleep_for(env, what.delay(), gone);
    bool open = !gone.stop_requested();
    if (open && what.answers()) {
        const auto begun = co_await out.start(what.head());
        open = begun.has_value();
    }
    for (const auto& part : what.pieces()) {
        for (std::uint64_t i = 0; open && i < part.times; ++i) {
            if (part.pause > duration::zero()) co_await sleep_for(env, part.pause, gone);
            std::string text = part.make(i);
            if (text.empty()) continue;
            heap_most_ = std::max(heap_most_, heap_bytes());
            const auto written = co_await out.write(std::move(text));
            open = written.has_value();
        }
    }
    if (open && what.how() == reply::end::silent) co_await sleep_for(env, 1000h, gone);
    if (what.how() != reply::end::proper) out.abort();
}

std::string play::object(const std::string& name) const {
    return json::serialize(honest.api.get(widgets, {"default", name}).value());
}

std::string play::touch(const std::string& name) {
    honest.set_value(name, ++touched_);
    return event_text("MODIFIED", object(name));
}

std::string play::list_of(const std::vector<std::string>& items, const std::string& token,
                          const std::string& list_version) const {
    std::string out = R"({"kind":"WidgetList","apiVersion":"test.kcontrol.dev/v1","metadata":{"resourceVersion":")" +
                      (list_version.empty() ? version() : list_version) + "\"";
    if (!token.empty()) out += R"(,"continue":")" + token + "\"";
    out += R"(},"items":[)";
    for (std::size_t i = 0; i < items.size(); ++i) out += (i == 0 ? "" : ",") + items[i];
    return out + "]}";
}

std::string play::whole_list() const { return list_of(objects_with({})); }

std::vector<std::string> play::objects_with(const std::string& more) const {
    std::vector<std::string> out;
    for (const auto& o : honest.api.list(widgets)) out.push_back(json::serialize(o));
    if (!more.empty()) out.insert(out.begin() + static_cast<std::ptrdiff_t>(out.size() / 2), more);
    return out;
}

std::size_t play::logged(const std::string& part) const {
    return static_cast<std::size_t>(std::count_if(
        log_.begin(), log_.end(), [&](const std::string& line) { return line.find(part) != std::string::npos; }));
}

std::string play::stored() const {
    std::string out;
    for (const auto& o : watched->objects().list()) {
        if (!out.empty()) out += " ";
        out += std::string(o.meta().name) + "=" + std::to_string(o.as<widget>()->spec.value);
    }
    return out;
}

std::string play::held_by_server() const {
    std::string out;
    for (const auto& o : honest.api.list(widgets)) {
        if (!row_.label_.empty() && json::find(o, {"metadata", "labels", row_.label_}) == nullptr) continue;
        if (!out.empty()) out += " ";
        out += std::string(json::get_string(o, {"metadata", "name"})) + "=";
        out += json::serialize(*json::find(o, {"spec", "value"}));
    }
    return out;
}

void play::go(duration d) {
    unsigned steps = 0;
    const time_point until = context.now() + d;
    context.run_until(
        [&] {
            if (++steps % 8 == 0) heap_most_ = std::max(heap_most_, heap_bytes());
            return false;
        },
        until);
    context.run_for(until - context.now());
}

void play::misbehave() {
    if (row_.before_) row_.before_(*this);
    if (!row_.from_start_) {
        watched->start();
        context.run_for(2s);
        REQUIRE(status().state == informer_state::live);
    }
    heard_.clear();
    bad_ = true;
    began_ = env.now();
    heap_before_ = heap_most_ = heap_bytes();
    if (row_.from_start_) {
        watched->start();
    } else {
        honest.api.break_watches();
    }
    for (const auto& [when, what] : row_.moves_) {
        go(when - (env.now() - began_));
        what(*this);
    }
    go(row_.lasts_ - (env.now() - began_));
}

// Whatever the server does, nothing is opened more than once a second after a burst of five; the first list and the
// first watch are not counted, and neither are the looks at an open watch, one in 30 s. Nor is it asked who it is more
// often.
void play::check_pace() const {
    for (const bool of_identity : {false, true}) {
        std::vector<time_point> times;
        for (const auto& [when, what] : requests_) {
            if (of_identity ? what == verb::identity : opens(what)) times.push_back(when);
        }
        for (std::size_t i = 0; i < times.size(); ++i) {
            for (std::size_t j = i; j < times.size(); ++j) {
                const auto seconds =
                    static_cast<std::size_t>(std::chrono::ceil<std::chrono::seconds>(times[j] - times[i]).count());
                if (j - i + 1 <= 7 + seconds + seconds / 30) continue;
                FAIL_CHECK((of_identity ? "asked who it is " : "lists and watches opened ")
                           << j - i + 1 << " times in " << seconds << " s");
                return;
            }
        }
    }
}

void play::check_end() {
    const auto now = status();
    CHECK_MESSAGE(std::find(row_.states_.begin(), row_.states_.end(), now.state) != row_.states_.end(),
                  std::string(to_string(now.state)), ": ", now.reason);
    if (row_.reason_) {
        const bool as_said =
            row_.reason_->empty() ? now.reason.empty() : now.reason.find(*row_.reason_) != std::string::npos;
        CHECK_MESSAGE(as_said, now.reason);
    }
    for (const auto& part : row_.told_) {
        const bool was_told = std::any_of(reasons_.begin(), reasons_.end(),
                                          [&](const std::string& r) { return r.find(part) != std::string::npos; });
        CHECK_MESSAGE(was_told, part, "; last: ", reasons_.empty() ? std::string("nothing") : reasons_.back());
    }
    CHECK(stored() == row_.holds_.value_or(held_by_server()));
    if (row_.heard_) CHECK(heard_ == *row_.heard_);
    std::string invalid;
    for (const auto& o : watched->objects().invalid()) {
        invalid += o->describe() + " " + std::string(o->metadata.resource_version) + ": " + o->why.what() + "\n";
    }
    if (row_.invalid_.empty()) CHECK_MESSAGE(now.invalid == 0, invalid);
    for (const auto& part : row_.invalid_) {
        const bool is_told = invalid.find(part) != std::string::npos;
        CHECK_MESSAGE(is_told, part, " not in ", invalid);
    }
    check_pace();
    const time_point last_minute = env.now() - 1min;
    const auto recent = static_cast<std::size_t>(std::count_if(requests_.begin(), requests_.end(), [&](const auto& r) {
        return r.first > last_minute && r.second != verb::page;
    }));
    if (row_.per_minute_ > 0) CHECK_MESSAGE(recent <= row_.per_minute_, recent);
    if (row_.lists_) {
        CHECK_MESSAGE(asked_[verb::list] >= row_.lists_->first, asked_[verb::list]);
        CHECK_MESSAGE(asked_[verb::list] <= row_.lists_->second, asked_[verb::list]);
    }
    if (row_.watches_) {
        CHECK_MESSAGE(asked(verb::watch) >= row_.watches_->first, asked(verb::watch));
        CHECK_MESSAGE(asked(verb::watch) <= row_.watches_->second, asked(verb::watch));
    }
    if (row_.peak_ > 0) CHECK_MESSAGE(heap_most_ - heap_before_ <= row_.peak_, (heap_most_ - heap_before_));
    CHECK_MESSAGE(row_failed_.empty(), row_failed_);
    if (row_.also_) row_.also_(*this);
    for (const auto& line : log_) CHECK_MESSAGE(line.find(canary) == std::string::npos, line);
    for (const auto& line : reasons_) CHECK_MESSAGE(line.find(canary) == std::string::npos, line);
}

void play::heal() {
    bad_ = false;
    if (row_.mends_) row_.mends_(*this);
    if (!row_.keeps_) network.break_connections("a");
    const auto right = [this] {
        const auto now = status();
        return now.state == informer_state::live && now.reason.empty() && now.invalid == 0 &&
               stored() == held_by_server();
    };
    const bool in_time = context.run_until(right, env.now() + row_.heals_in_);
    CHECK_MESSAGE(in_time, "not right again: ", std::string(to_string(status().state)), ": ", status().reason, " ",
                  stored());
    honest.create("late", 9);
    honest.set_value("a", 77);
    context.run_for(2s);
    CHECK(stored() == held_by_server());
    if (row_.healed_) row_.healed_(*this);
    if (row_.other_history_) return;
    for (const auto& violation : checker_.violations()) FAIL_CHECK(violation);
}

std::string play::run_row() {
    misbehave();
    check_end();
    std::size_t most = 0;
    for (const auto& [from, ignored] : requests_) {
        const auto in_second = std::count_if(requests_.begin(), requests_.end(), [&, begin = from](const auto& r) {
            return r.first >= begin && r.first < begin + 1s;
        });
        most = std::max(most, static_cast<std::size_t>(in_second));
    }
    const auto seconds = std::chrono::duration<double>(row_.lasts_).count();
    std::ostringstream line;
    line << std::left << std::setw(72) << row_.name_.substr(0, 71) << std::right << std::fixed << std::setprecision(2)
         << std::setw(6) << static_cast<double>(requests_.size()) / seconds << std::setw(5) << most << "  " << std::left
         << std::setw(14) << std::string(to_string(status().state)) << std::right << std::setw(10)
         << (heap_most_ - heap_before_) << "  " << number_text(status().reason);
    heal();
    return line.str();
}

void play_all(const std::vector<scenario>& rows) {
    for (const auto& row : rows) {
        play p(row, seed_from_environment());
        INFO("row ", p.name());
        const std::string line = p.run_row();
        if (wants_table()) std::cout << line << std::endl;
    }
}

}  // namespace kcontrol::test
