#include "simulation/operator_replica.hpp"

#include <kcontrol/controller/builder.hpp>
#include <kcontrol/controllerutil/create_or.hpp>
#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/controllerutil/owner.hpp>
#include <kcontrol/controllerutil/status_machine.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/model/resource_version.hpp>
#include <kcontrol/runtime/make_ready.hpp>
#include <kcontrol/runtime/wait.hpp>

#include <boost/asio/strand.hpp>

#include <utility>

namespace kcontrol::test {

using namespace std::chrono_literals;
using testing::link_state;

namespace {

// A reconcile of an object; two at once are one too many.
struct in_progress {
    in_progress(std::map<std::string, int>& all, std::string k) : of(all), key(std::move(k)) { ++of[key]; }
    ~in_progress() { --of[key]; }
    in_progress(const in_progress&) = delete;
    in_progress& operator=(const in_progress&) = delete;
    bool alone() const { return of.at(key) == 1; }

    std::map<std::string, int>& of;
    std::string key;
};

}  // namespace

operator_replica::operator_replica(testing::sim_world& world, testing::sim_server& server, std::string name,
                                   client_options treats, operator_bug bug, std::function<void(std::string)> violation)
    : world_(world),
      api_(server.api()),
      name_(std::move(name)),
      host_("via-" + name_),
      bug_(bug),
      violation_(std::move(violation)) {
    world.network().listen(host_, server.api().get_executor(), server.api().handler());
    auth::cluster_config config;
    config.server(http::endpoint("https", host_, 443)).token(secret_string(name_));
    const executor home = asio::make_strand(world.context().get_executor());
    const auto c = client::connect(world.env(), home, config, world.network().factory());
    manager_options options;
    options.leader_election(leader_options({"default", "operator"}).identity(name_));
    const bool streams = world.env().random() % 2 == 0;
    options.informers(
        informer_options().watch_idle(15s).page_size(7).streaming(streams ? list_streaming::on : list_streaming::off));
    manager_ = std::make_unique<manager>(world.env(), home, c->with(treats), options);
    const auto run = [this](reconcile_context ctx, std::shared_ptr<const site> found) {
        return reconcile(std::move(ctx), std::move(found));
    };
    auto builder = controller_builder(*manager_, "sites").for_<site>();
    if (bug != operator_bug::no_owned) builder.owns<leaf>();
    const auto made = builder.complete(run);
    if (!made) violation_(name_ + ": no controller can be built: " + made.error().what());
}

void operator_replica::start() { manager_->start(); }

void operator_replica::crash() {
    crashed_ = true;
    world_.network().set_link(host_, link_state::refused);
    world_.network().break_connections(host_);
}

awaitable<void> operator_replica::stop() { return manager_->stop(); }

// What a reconcile does beside requests: mostly nothing, and now and then something that lasts longer than a Lease. It
// does not heed its stop token, as many don't: the fence is for these.
awaitable<void> operator_replica::work() {
    const std::uint64_t what = world_.env().random() % 16;
    if (what > 1) co_return;
    const std::uint64_t most = what == 0 ? 30'000 : 5'000;
    co_await sleep_for(world_.env(), 1ms * (world_.env().random() % most), {});
}

awaitable<result<void>> operator_replica::reconcile(reconcile_context ctx, std::shared_ptr<const site> found) {
    ++reconciles_;
    const in_progress mine(active_, found->metadata.name.str());
    if (!mine.alone()) violation_(name_ + ": two reconciles of " + mine.key + " at once");
    world_.context().trace(name_ + found->metadata.resource_version.str());
    client c = bug_ == operator_bug::unfenced ? manager_->get_unfenced_client() : manager_->get_client();
    if (bug_ == operator_bug::unnoted) c = c.reading_from(nullptr);
    co_await work();
    result<void> outcome;
    if (is_being_deleted(found->metadata)) {
        outcome = co_await clean_up(std::move(c), found, ctx.stop());
    } else {
        outcome = co_await bring_up(std::move(c), found, ctx.stop());
    }
    if (bug_ == operator_bug::error_is_done) co_return result<void>();
    co_return outcome;
}

awaitable<result<void>> operator_replica::clean_up(client c, std::shared_ptr<const site> found, std::stop_token stop) {
    const namespaced_name key = key_of(found->metadata);
    if (bug_ == operator_bug::early_finalizer) {
        const auto nothing = [](const site&) { return make_ready(result<void>()); };
        auto removed = co_await finalize(c, *found, site_finalizer, nothing, stop);
        if (!removed) co_return removed;
    }
    const auto without_leaf = [this, c, key, stop](const site&) mutable -> awaitable<result<void>> {
        co_await work();
        auto removed = co_await remove_leaf(c, key, stop);
        co_return removed;
    };
    if (bug_ != operator_bug::early_finalizer) {
        auto finalized = co_await finalize(c, *found, site_finalizer, without_leaf, stop);
        co_return finalized;
    }
    auto removed = co_await remove_leaf(std::move(c), key, stop);
    co_return removed;
}

get_options operator_replica::careful(std::stop_token stop) const {
    get_options out;
    out.stop(std::move(stop));
    if (bug_ == operator_bug::stale_reads) out.stale_ok();
    return out;
}

// What its cache has and it deletes it reads no more, but for finalizers.
awaitable<result<void>> operator_replica::remove_leaf(client c, namespaced_name key, std::stop_token stop) {
    const auto known = co_await c.get<leaf>(key, get_options().stop(stop).stale_ok());
    auto removed = co_await c.delete_<leaf>(key, delete_options().ignore_not_found());
    if (!removed || !known) co_return removed;
    const auto found = co_await c.get<leaf>(key, careful(std::move(stop)));
    const bool same = found && found->metadata.uid == known->metadata.uid && !is_being_deleted(found->metadata);
    if (same) violation_(name_ + " reads leaf " + key.name + ", which it has deleted");
    co_return removed;
}

// No object of that uid comes back once it is deleted.
void operator_replica::check_read(const leaf* found, const object_meta& written, const char* how) {
    const auto there = api_.get({"test.kcontrol.dev", "leaves"}, key_of(written));
    const bool still_there = there && json::get_string(*there, {"metadata", "uid"}) == written.uid;
    bool older = found == nullptr && still_there;
    if (found != nullptr) {
        const auto order = compare_resource_version(found->metadata.resource_version, written.resource_version);
        older = !order || *order < 0;
    }
    if (older) violation_(name_ + " " + how + " leaf " + written.name.str() + " as it was before its own write");
}

// What it has written it reads, or something newer.
awaitable<void> operator_replica::read_back(client c, leaf written, std::stop_token stop) {
    const namespaced_name key = key_of(written.metadata);
    const auto found = co_await c.get<leaf>(key, careful(stop));
    if (found) check_read(&*found, written.metadata, "gets");
    if (!found && found.error() == api_errc::not_found) check_read(nullptr, written.metadata, "gets");
    list_options which;
    which.in_namespace(key.namespace_).stop(stop);
    if (bug_ == operator_bug::stale_reads) which.stale_ok();
    const auto all = co_await c.list<leaf>(which);
    if (!all) co_return;
    const leaf* listed = nullptr;
    for (const auto& one : *all) {
        if (key_of(one->metadata) == key) listed = one.get();
    }
    check_read(listed, written.metadata, "lists");
}

awaitable<result<void>> operator_replica::bring_up(client c, std::shared_ptr<const site> found, std::stop_token stop) {
    site now = *found;
    if (bug_ != operator_bug::no_finalizer) {
        auto kept = co_await ensure_finalizer(c, *found, site_finalizer, stop);
        if (!kept) co_return kept.error();
        now = std::move(*kept);
    }
    co_await work();
    leaf wanted;
    wanted.metadata.namespace_ = now.metadata.namespace_;
    wanted.metadata.name = now.metadata.name;
    const auto edit = [now](leaf& made) {
        made.spec.value = now.spec.value;
        return set_controller_reference(now, made);
    };
    auto made = co_await create_or_update(c, wanted, edit);
    if (!made) co_return made.error();
    if (made->outcome != write_outcome::unchanged) co_await read_back(c, made->object, stop);
    co_await work();
    auto shown = co_await show(std::move(c), std::move(now), made->object.status.value);
    co_return shown;
}

// The next step on the way, by the phase that this process knows of.
awaitable<result<void>> operator_replica::show(client c, site now, std::int64_t served) {
    const bool ready = served == now.spec.value;
    for (bool there = false; !there;) {
        const std::string_view phase = now.status.phase;
        auto to = phase_of<site_phases>("Building");
        if (!ready && phase == "Ready") to = phase_of<site_phases>("Changing");
        if (ready && (phase == "Building" || phase == "Ready")) to = phase_of<site_phases>("Ready");
        there = to->name() == (ready ? "Ready" : "Building");
        auto written = co_await enter(c, now, to, served);
        if (!written) co_return written.error();
        now = std::move(*written);
    }
    co_return result<void>();
}

awaitable<result<site>> operator_replica::enter(client c, site now, phase_of<site_phases> to, std::int64_t served) {
    const bool begun = !now.status.phase.empty();
    if (bug_ != operator_bug::blind_status || !begun) {
        const auto count = [served](site& s) { s.status.served = served; };
        auto written = co_await ensure_phase(std::move(c), now, to, count);
        co_return written;
    }
    const json::value status = {{"phase", std::string(to->name())}, {"served", served}};
    std::string text = json::serialize(json::value{{"status", status}});
    write_options how;
    how.subresource("status");
    auto written = co_await c.patch(resource_of<site>(), key_of(now.metadata), "application/merge-patch+json",
                                    std::move(text), how);
    if (!written) co_return written.error();
    co_return written->get<site>();
}

}  // namespace kcontrol::test
