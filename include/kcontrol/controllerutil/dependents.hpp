// Dependents of an object as a graph: each is applied once what it comes after is ready, and removed in the other
// order.
#pragma once

#include <kcontrol/codec/resource_of.hpp>
#include <kcontrol/controllerutil/compared_apply.hpp>
#include <kcontrol/controllerutil/owner.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What has become of a dependent.
enum class dependent_state {
    ready,     ///< it is there as wanted, and its ready_when() says yes
    pending,   ///< it is there as wanted, and not ready yet
    blocked,   ///< it is wanted, and waits for what it comes after
    removing,  ///< it is not wanted, and is not gone yet
    absent,    ///< it is not wanted, and is not there
    failed     ///< what was tried failed
};

/// "ready", "pending", "blocked", "removing", "absent" or "failed".
KCONTROL_DECL std::string_view to_string(dependent_state state);

/// What a round has done about one dependent.
class dependent_report {
public:
    std::string name;  ///< as it was added
    dependent_state state = dependent_state::absent;
    std::vector<any_object> objects;  ///< as they are there; empty unless ready or pending
    std::optional<error> why;         ///< of failed
};

/// What a round has done.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class dependents_report {
public:
    std::vector<dependent_report> parts;  ///< in the order of add()

    /// Whether nothing is left to do: each is ready or absent.
    KCONTROL_DECL bool is_done() const noexcept;
    /// Whether each is absent.
    KCONTROL_DECL bool is_gone() const noexcept;
    /// The errors of all that failed, as one with the code of the first: a reconciler that returns it is tried again.
    KCONTROL_DECL result<void> outcome() const;
    /// What is not done, for a condition's message: "web is pending; ingress is blocked". Empty if all is.
    KCONTROL_DECL std::string text() const;
    /// Null: none was added by that name.
    KCONTROL_DECL const dependent_report* find(std::string_view name) const noexcept;
    /// The object of a dependent that is ready or pending, the first if it has several; else null.
    template <class T>
    std::shared_ptr<const T> get(std::string_view name) const {
        const dependent_report* of = find(name);
        return of == nullptr || of->objects.empty() ? nullptr : of->objects.front().as<T>();
    }
};

namespace detail {

/// A dependent of one owner: what the typed ones below become.
class dependent_part {
public:
    std::string name;
    const resource_info* kind = nullptr;
    std::vector<std::size_t> after;
    bool is_wanted = true, where_served = false, has_several = false;
    result<std::vector<any_object>> desired{std::vector<any_object>()};       // with their owner
    std::function<bool(const any_object&)> is_ready;                          // null: they are
    std::function<awaitable<result<bool>>(client, std::stop_token)> is_gone;  // null: they are
};

/// One round. Parts that do not come after each other run at the same time.
KCONTROL_DECL awaitable<dependents_report> run_dependents(client c, compared_apply by, object_meta owner,
                                                          std::vector<dependent_part> parts, std::stop_token stop);

}  // namespace detail

template <resource Owner>
class dependents;

/// One dependent, while it is added.
template <resource Owner, resource T>
class dependent {
public:
    /// It comes after those, which were added before it, so no circle can be said: it is applied once they are ready.
    /// A name that was not added makes each round fail with invalid_argument.
    template <class... Names>
    dependent& after(const Names&... names) {
        return (of_->comes_after(at_, names), ...), *this;
    }
    /// `f(const Owner&)` says whether it is wanted; else it is removed, and what comes after it, first. Default: it is.
    dependent& wanted_when(std::function<bool(const Owner&)> f) {
        return of_->parts_[at_].is_wanted = std::move(f), *this;
    }
    /// `f(const T&)` says whether it does its work, so that what comes after it may begin. Default: once it is there.
    dependent& ready_when(std::function<bool(const T&)> f) {
        of_->parts_[at_].is_ready = [f = std::move(f)](const any_object& o) { return f(o.get<T>()); };
        return *this;
    }
    /// It is wanted while the server serves its kind, which each round asks by discovery; otherwise it is absent.
    dependent& where_served() { return of_->parts_[at_].where_served = true, *this; }
    /// What must hold, once the object is gone, for what it came after to be removed: `f(client, std::stop_token)`, a
    /// coroutine that returns result<bool>. Default: nothing more.
    dependent& gone_when(std::function<awaitable<result<bool>>(client, std::stop_token)> f) {
        return of_->parts_[at_].is_gone = std::move(f), *this;
    }

private:
    friend class dependents<Owner>;
    dependent(dependents<Owner>& of, std::size_t at) : of_(&of), at_(at) {}
    dependents<Owner>* of_;
    std::size_t at_;
};

/// A graph of dependents, as JOSDK's workflows are. It is declared once, and apply() is a reconciler's work:
///
///     dependents<website> parts(apply_options("website-operator").force());
///     parts.add<config_map>("settings", settings_of);
///     parts.add<deployment>("web", web_of).after("settings").ready_when(is_available);
///     parts.add<ingress>("ingress", ingress_of).after("web").wanted_when(has_host);
///
/// An object without a name gets its owner's, and the owner controls it, as in apply_owned(). Nothing is sent for what
/// is there already (compared_apply). Objects of that name that the owner does not control are never removed.
///
/// Thread-safety: shared objects unsafe; use it on the client's executor. Object lifetime: calls may outlive it.
template <resource Owner>
class dependents {
public:
    /// `by`: who applies, and how.
    explicit dependents(apply_options by) : by_(std::move(by)) {}

    /// `desired(const Owner&)` makes the object: a T or a result<T>. It is also called for what is not wanted, for its
    /// name.
    template <resource T, class Desired>
    dependent<Owner, T> add(std::string name, Desired desired) {
        return add_part<T>(std::move(name), false, [desired = std::move(desired)](const Owner& owner) {
            result<std::vector<any_object>> out{std::vector<any_object>()};
            result<T> made = desired(owner);
            const auto taken = made ? take_part(owner, std::move(*made), *out) : result<void>(made.error());
            if (!taken) out = taken.error();
            return out;
        });
    }
    /// The same of any number of objects: `desired` makes a std::vector<T>, each with a name. Those of kind T that the
    /// owner controls and that no part of the graph wants are removed in each round; it takes a list of that kind. Such
    /// a part is ready when each object is.
    template <resource T, class Desired>
    dependent<Owner, T> add_each(std::string name, Desired desired) {
        return add_part<T>(std::move(name), true, [desired = std::move(desired)](const Owner& owner) {
            result<std::vector<any_object>> out{std::vector<any_object>()};
            std::vector<T> made = desired(owner);
            for (T& one : made) {
                const auto taken = take_part(owner, std::move(one), *out);
                if (!taken) return result<std::vector<any_object>>(taken.error());
            }
            return out;
        });
    }

    /// One round for an owner: what can be done now is done. It is called again when a dependent changes
    /// (controller_builder::owns). Failures are in the report, and stop only what comes after them.
    awaitable<dependents_report> apply(client c, const Owner& owner, std::stop_token stop) const {
        return detail::run_dependents(std::move(c), by_, owner.metadata, parts_of(owner, true), std::move(stop));
    }
    /// One round of removing all of it, last things first: for a finalizer (finalize()), until is_gone().
    awaitable<dependents_report> remove(client c, const Owner& owner, std::stop_token stop) const {
        return detail::run_dependents(std::move(c), by_, owner.metadata, parts_of(owner, false), std::move(stop));
    }

private:
    template <resource O, resource T>
    friend class dependent;

    struct part {
        std::string name;
        const resource_info* kind;
        bool has_several;
        std::function<result<std::vector<any_object>>(const Owner&)> desired;
        std::vector<std::size_t> after;
        std::optional<error> wrong;
        std::function<bool(const Owner&)> is_wanted;
        std::function<bool(const any_object&)> is_ready;
        bool where_served = false;
        std::function<awaitable<result<bool>>(client, std::stop_token)> is_gone;
    };

    template <resource T>
    static result<void> take_part(const Owner& owner, T made, std::vector<any_object>& to) {
        if (auto owned = detail::adopt(owner, made); !owned) return owned;
        to.emplace_back(std::make_shared<const T>(std::move(made)));
        return {};
    }

    template <resource T>
    dependent<Owner, T> add_part(std::string name, bool several,
                                 std::function<result<std::vector<any_object>>(const Owner&)> desired) {
        parts_.push_back({std::move(name), &resource_of<T>(), several, std::move(desired), {}, {}, {}, {}, false, {}});
        return dependent<Owner, T>(*this, parts_.size() - 1);
    }

    void comes_after(std::size_t at, std::string_view name) {
        std::size_t before = 0;
        while (before < at && parts_[before].name != name) ++before;
        if (before < at) return parts_[at].after.push_back(before);
        parts_[at].wrong = error(errc::invalid_argument, "dependent \"" + parts_[at].name + "\" comes after \"" +
                                                             std::string(name) + "\", which was not added before it");
    }

    std::vector<detail::dependent_part> parts_of(const Owner& owner, bool wanted) const {
        std::vector<detail::dependent_part> out;
        for (const part& one : parts_) {
            detail::dependent_part& to = out.emplace_back();
            to.name = one.name;
            to.kind = one.kind;
            to.after = one.after;
            to.is_wanted = wanted && (!one.is_wanted || one.is_wanted(owner));
            to.where_served = one.where_served;
            to.has_several = one.has_several;
            if (one.wrong) {
                to.desired = *one.wrong;
            } else {
                to.desired = one.desired(owner);
            }
            to.is_ready = one.is_ready;
            to.is_gone = one.is_gone;
        }
        return out;
    }

    compared_apply by_;
    std::vector<part> parts_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/controllerutil/impl/dependents.ipp>
#endif
