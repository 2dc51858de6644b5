#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/controllerutil/detail/dependents_plan.hpp>
#include <kcontrol/runtime/task_group.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {
namespace detail {

// What the coroutines of one round share.
struct dependents_round {
    client c;
    compared_apply by;
    object_meta owner;
    std::vector<dependent_part> parts;
    std::stop_token stop;
    dependents_plan plan;
    dependents_report report;
};

inline awaitable<result<bool>> serves_dependent(client c, const resource_info& kind, std::stop_token stop) {
    get_options how;
    how.stop(std::move(stop));
    const auto kinds = co_await c.discover(kind.gvk.group, kind.gvk.version, how);
    if (!kinds && kinds.error() == api_errc::not_found) co_return false;
    if (!kinds) co_return kinds.error();
    co_return std::any_of(kinds->begin(), kinds->end(),
                          [&kind](const served_resource& one) { return one.gvk.kind == kind.gvk.kind; });
}

// True: it is not there any more.
inline awaitable<result<bool>> remove_dependent(std::shared_ptr<dependents_round> of, const resource_info& kind,
                                                namespaced_name key) {
    get_options how;
    how.stop(of->stop);
    client live = of->c.live();
    auto found = co_await live.get(kind, key, how);
    if (!found && found.error() == condition::not_found) co_return true;
    if (!found) co_return found.error();
    if (!is_controlled_by(found->meta(), of->owner)) co_return true;
    if (found->meta().deletion_timestamp.present()) co_return false;
    delete_options precisely;
    precisely.precondition_uid(found->meta().uid.str()).propagation_policy(propagation::background);
    precisely.ignore_not_found().stop(of->stop);
    const auto deleted = co_await delete_this(of->c, kind, key, precisely);
    if (!deleted) co_return deleted.error();
    auto after = co_await live.get(kind, key, how);
    if (!after && after.error() == condition::not_found) co_return true;
    if (!after) co_return after.error();
    co_return after->meta().uid != found->meta().uid;
}

// Those that the owner controls and that no part of this kind names are removed; false: some are still there.
inline awaitable<result<bool>> prune_several(std::shared_ptr<dependents_round> of, std::size_t at) {
    const resource_info& kind = *of->parts[at].kind;
    std::vector<namespaced_name> wanted;
    for (const dependent_part& one : of->parts) {  // what a part names is that part's to remove, wanted or not
        if (one.kind->gvk != kind.gvk || !one.desired) continue;
        for (const any_object& each : *one.desired) wanted.push_back(each.key());
    }
    list_options how;
    how.stop(of->stop);
    const auto removed = co_await prune_dependents(of->c, kind, of->owner, std::move(wanted), how);
    if (!removed) co_return removed.error();
    co_return removed->empty();
}

inline awaitable<result<dependent_state>> apply_dependent(std::shared_ptr<dependents_round> of, std::size_t at) {
    dependent_part& part = of->parts[at];
    if (part.where_served) {
        const auto served = co_await serves_dependent(of->c, *part.kind, of->stop);
        if (!served) co_return served.error();
        if (!*served) co_return dependent_state::absent;
    }
    bool ready = true;
    for (const any_object& wanted : *part.desired) {
        auto stored = co_await of->by.apply(of->c, *part.kind, wanted, of->stop);
        if (!stored) co_return stored.error();
        ready = ready && !stored->meta().deletion_timestamp.present() && (!part.is_ready || part.is_ready(*stored));
        of->report.parts[at].objects.push_back(std::move(*stored));
    }
    if (part.has_several) {
        const auto pruned = co_await prune_several(of, at);
        if (!pruned) co_return pruned.error();
    }
    co_return ready ? dependent_state::ready : dependent_state::pending;
}

inline awaitable<result<dependent_state>> remove_part(std::shared_ptr<dependents_round> of, std::size_t at) {
    dependent_part& part = of->parts[at];
    bool gone = true;
    for (const any_object& one : *part.desired) {
        const auto removed = co_await remove_dependent(of, *part.kind, one.key());
        if (!removed) co_return removed.error();
        gone = gone && *removed;
    }
    if (part.has_several) {
        const auto pruned = co_await prune_several(of, at);
        if (!pruned && pruned.error() != condition::not_found) co_return pruned.error();
        gone = gone && (!pruned || *pruned);
    }
    if (gone && part.is_gone) {
        const auto is_gone = co_await part.is_gone(of->c, of->stop);
        if (!is_gone) co_return is_gone.error();
        gone = *is_gone;
    }
    co_return gone ? dependent_state::absent : dependent_state::removing;
}

inline awaitable<void> run_dependent(std::shared_ptr<dependents_round> of, std::size_t at, bool removes) {
    dependent_report& to = of->report.parts[at];
    result<dependent_state> end = dependent_state::failed;
    try {
        if (!of->parts[at].desired) {
            end = of->parts[at].desired.error();
        } else if (removes) {
            end = co_await remove_part(of, at);
        } else {
            end = co_await apply_dependent(of, at);
        }
    } catch (...) {  // of ready_when() and gone_when()
        end = error(errc::callback_failed, describe_thrown());
    }
    to.state = end ? *end : dependent_state::failed;
    if (!end) {
        to.objects.clear();
        to.why = end.error().with_context(to.name);
    }
    of->plan.told(at, to.state);
}

KCONTROL_DECL awaitable<dependents_report> run_dependents(client c, compared_apply by, object_meta owner,
                                                          std::vector<dependent_part> parts, std::stop_token stop) {
    const auto round = std::make_shared<dependents_round>(
        dependents_round{std::move(c), std::move(by), std::move(owner), std::move(parts), std::move(stop), {}, {}});
    for (const dependent_part& one : round->parts) {
        round->plan.add(one.after, one.is_wanted);
        round->report.parts.emplace_back().name = one.name;
    }
    std::size_t ended = 0;
    std::vector<bool> begun(round->parts.size());
    while (ended < round->parts.size()) {
        task_group level(round->c.env(), round->c.get_executor());
        for (std::size_t at = 0; at < round->parts.size(); ++at) {
            if (begun[at]) continue;
            const dependent_step step = round->plan.next(at);
            if (step == dependent_step::wait) continue;
            begun[at] = true;
            ++ended;
            if (step == dependent_step::apply || step == dependent_step::remove) {
                level.spawn(run_dependent(round, at, step == dependent_step::remove));
                continue;
            }
            const bool blocked = step == dependent_step::blocked;
            round->report.parts[at].state = blocked ? dependent_state::blocked : dependent_state::removing;
            round->plan.told(at, round->report.parts[at].state);
        }
        const bool joined = co_await level.join();
        static_cast<void>(joined);  // without a deadline it is true
    }
    co_return std::move(round->report);
}

}  // namespace detail

KCONTROL_DECL std::string_view to_string(dependent_state state) {
    switch (state) {
    case dependent_state::ready: return "ready";
    case dependent_state::pending: return "pending";
    case dependent_state::blocked: return "blocked";
    case dependent_state::removing: return "removing";
    case dependent_state::absent: return "absent";
    case dependent_state::failed: return "failed";
    }
    return "failed";
}

KCONTROL_DECL bool dependents_report::is_done() const noexcept {
    return std::all_of(parts.begin(), parts.end(), [](const dependent_report& one) {
        return one.state == dependent_state::ready || one.state == dependent_state::absent;
    });
}

KCONTROL_DECL bool dependents_report::is_gone() const noexcept {
    return std::all_of(parts.begin(), parts.end(),
                       [](const dependent_report& one) { return one.state == dependent_state::absent; });
}

KCONTROL_DECL result<void> dependents_report::outcome() const {
    std::optional<error> first;
    std::string all;
    for (const dependent_report& one : parts) {
        if (!one.why) continue;
        all += (all.empty() ? "" : "; ") + one.why->message();
        if (!first) first = one.why;
    }
    if (!first) return {};
    return error(first->code(), all);
}

KCONTROL_DECL std::string dependents_report::text() const {
    std::string out;
    for (const dependent_report& one : parts) {
        if (one.state == dependent_state::ready || one.state == dependent_state::absent) continue;
        out += (out.empty() ? "" : "; ") + one.name + " is " + std::string(to_string(one.state));
    }
    return out;
}

KCONTROL_DECL const dependent_report* dependents_report::find(std::string_view name) const noexcept {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [name](const dependent_report& one) { return one.name == name; });
    return found == parts.end() ? nullptr : &*found;
}

}  // namespace kcontrol
