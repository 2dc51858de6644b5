// Whatever a peer sends as lists and watches, in whatever pieces: an informer neither crashes nor hangs, its handlers
// are told what its store holds, and it recovers once a proper server answers.
//
// The input is eight bytes that choose the order of events, the pieces, and the options; then answers, each after a
// 0x1e.
#include <kcontrol/auth/cluster_config.hpp>
#include <kcontrol/cache/informer.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/testing/sim_context.hpp>
#include <kcontrol/testing/sim_environment.hpp>

#include "part.hpp"
#include "require.hpp"
#include "stream_peer.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/strand.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using fuzz::part;
using fuzz::require;

constexpr std::size_t most_answers = 40;
constexpr std::uint64_t most_steps = 2'000'000;

struct thing {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Thing", "things"};
    object_meta metadata;
    text a;
    list<part> l;
    std::optional<std::int64_t> i;
    static constexpr auto kcontrol_fields() {
        return fields(field("a", &thing::a), field("l", &thing::l), field("i", &thing::i));
    }
};

/// What the handlers were told, held against what an informer promises.
class told {
public:
    void take(const any_event& e) {
        const auto key = e.object().key();
        const auto known = objects_.find(key);
        const bool is_known = known != objects_.end();
        if (e.resync) return require(is_known && same(known->second, e.object()));
        switch (e.type) {
        case event_type::added:
            require(!is_known);
            objects_[key] = e.new_object;
            break;
        case event_type::updated:
            require(is_known && same(known->second, e.old_object));
            require(e.old_object.meta().uid == e.new_object.meta().uid);
            known->second = e.new_object;
            break;
        case event_type::deleted:
            require(is_known && known->second.meta().uid == e.object().meta().uid);
            objects_.erase(known);
            break;
        case event_type::generic: require(false);  // no informer tells it
        }
    }

    void compare(const store& held) const {
        const auto all = held.list();
        require(all.size() == objects_.size());
        for (const auto& object : all) {
            const auto known = objects_.find(object.key());
            require(known != objects_.end() && same(known->second, object));
            require(!object.meta().name.empty() && !object.meta().uid.empty());
        }
    }

    static bool same(const any_object& a, const any_object& b) {
        return a.meta().uid == b.meta().uid && a.meta().resource_version == b.meta().resource_version;
    }

private:
    std::map<namespaced_name, any_object> objects_;
};

class world {
public:
    world(std::uint64_t seed, std::uint64_t version)
        : context_(seed),
          env_(context_),
          home_(boost::asio::make_strand(context_.get_executor())),
          peer_(std::make_shared<fuzz::peer>(env_, seed + 1, (seed & 1) != 0, version)),
          dynamic_(dynamic_resource({"example.com", "v1", "Thing"}, "things")),
          watched_(env_, home_, connect(), (seed & 2) != 0 ? dynamic_ : resource_of<thing>(), options(seed)) {
        held_ = watched_.subscribe([this](const any_event& e) { told_.take(e); },
                                   (seed & 4) != 0 ? duration(10min) : duration::zero());
        invalid_ = watched_.on_invalid([](const invalid_object& object) { require(!object.why.what().empty()); });
    }

    fuzz::peer& server() { return *peer_; }

    void run() {
        watched_.start();
        // Each answer is over in less than an hour: lists, watches and waits have their bounds.
        const auto limit = context_.now() + std::chrono::hours(most_answers + 1);
        if (!context_.run_until([this] { return look(), peer_->proper(); }, limit)) fail("it stopped asking");
        if (!context_.run_until([this] { return look(), recovered(); }, context_.now() + 1h))
            fail("it does not recover");
        bool stopped = false;
        boost::asio::co_spawn(home_, watched_.stop(), [&stopped](const std::exception_ptr& thrown, bool) {
            require(thrown == nullptr);
            stopped = true;
        });
        require(context_.run_until([&stopped] { return stopped; }, context_.now() + 10s));
        look();
    }

private:
    client connect() {
        const auto make = [this](executor, const http::endpoint&,
                                 const http::tls_options&) -> result<std::shared_ptr<http::transport>> {
            return std::shared_ptr<http::transport>(peer_);
        };
        return client::connect(env_, home_, auth::cluster_config({"http", "peer", 80}), make).value();
    }

    static informer_options options(std::uint64_t seed) {
        static constexpr std::int64_t sizes[] = {500, 0, 1, 2};
        informer_options out;
        out.page_size(sizes[seed >> 3 & 3]);
        if ((seed & 32) != 0) out.list_limits(list_bounds().max_items(3));
        return out;
    }

    [[noreturn]] void fail(const char* what) const {
        const auto status = watched_.status();
        std::fprintf(stderr, "%s: %s (%s), %zu objects, %zu invalid, %llu lists, %llu watches\n", what,
                     std::string(to_string(status.state)).c_str(), status.reason.c_str(), status.objects,
                     status.invalid, static_cast<unsigned long long>(status.lists),
                     static_cast<unsigned long long>(status.watches));
        std::abort();
    }

    void look() {
        if (context_.steps() >= most_steps) fail("it does too much");
        if (context_.steps() % 64 != 0) return;
        const auto& held = watched_.objects();
        told_.compare(held);
        require(watched_.status().invalid == held.invalid().size());
    }

    bool recovered() const {
        if (watched_.status().state != informer_state::live) return false;
        const auto all = watched_.objects().list();
        return all.size() == 2 && all[0].meta().uid == "proper-1" && all[0].meta().resource_version == "7" &&
               all[1].meta().uid == "proper-2" && all[1].meta().resource_version == "9" &&
               watched_.status().invalid == 0;
    }

    testing::sim_context context_;
    testing::sim_environment env_;
    executor home_;
    std::shared_ptr<fuzz::peer> peer_;
    resource_info dynamic_;
    any_informer watched_;
    told told_;
    subscription held_;
    subscription invalid_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::uint64_t seed = 0;
    if (size < sizeof(seed)) return 0;
    std::memcpy(&seed, data, sizeof(seed));
    std::string_view text(reinterpret_cast<const char*>(data) + sizeof(seed), size - sizeof(seed));
    std::uint64_t version = 0xcbf29ce484222325U;
    for (const char c : text) version = (version ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    world tried(seed, version % 1'000'000'000 + 1'000'000);
    while (!text.empty() && tried.server().script.size() < most_answers) {
        const auto end = text.find('\x1e');
        tried.server().script.push_back(fuzz::peer_answer::from(text.substr(0, end)));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    tried.run();
    return 0;
}
