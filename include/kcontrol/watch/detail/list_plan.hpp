// Which list to ask for: at which version, with or without pages, how many objects a page.
#pragma once

#include <kcontrol/config.hpp>
#include <kcontrol/watch/reflector_action.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace kcontrol::inline v0_1::detail {

/// The list in progress, and what is known about the next one. A list asks for "at least the version known", which any
/// replica may answer; once that was refused or makes no sense, for the newest state.
///
/// Source: Kubernetes API concepts, "Resource versions" and "Retrieving large results sets in chunks".
/// Thread-safety: distinct objects safe; shared objects unsafe.
class list_plan {
public:
    explicit list_plan(std::int64_t page_size) : page_size_(page_size) {}

    /// Begins a list. `known` is the version of the store, empty before the first list.
    KCONTROL_DECL void begin(std::string_view known);
    /// Begins a list again without pages: its pages are no longer held.
    KCONTROL_DECL void begin_unpaged();
    /// The page to ask for now.
    KCONTROL_DECL reflector_action page() const;

    /// A page came. Returns whether it was the last one.
    KCONTROL_DECL bool take_page(std::string_view version, std::string_view token);
    /// One that did not fit is asked for again, half as large; a list that is not paged, in pages. False: there is
    /// nothing smaller.
    KCONTROL_DECL bool halve_page(std::string_view known);

    /// From the next begin() on, lists ask for the newest state. Returns whether they did before.
    bool ask_newest() noexcept { return std::exchange(newest_, true); }
    /// The list was taken over: its version makes sense again.
    void taken_over() noexcept { newest_ = due_ = false; }
    /// A watch is resumed in place of the list that was begun.
    void dropped() noexcept { due_ = false; }

    /// A list was begun, and not taken over yet: no watch may be opened before that.
    bool is_due() const noexcept { return due_; }
    bool is_later_page() const noexcept { return !token_.empty(); }
    /// The list in progress is consistent: no older than the moment it was asked for.
    bool is_consistent() const noexcept { return asked_.empty(); }
    /// It may come as a stream: it is to be at least as new as what is known, in no pages. What is to prove something
    /// is read from the store itself, as ever.
    bool may_stream() const noexcept { return token_.empty() && !unpaged_ && !asked_.empty(); }
    /// What a stream is asked for with: the newest state, if nothing is known.
    std::string stream_version() const { return asked_ == "0" ? std::string() : asked_; }
    /// Of the answer.
    const std::string& version() const noexcept { return version_; }
    std::int64_t page_size() const noexcept { return page_size_; }

private:
    std::int64_t page_size_;
    std::string asked_;  // what the list in progress asked for
    std::string token_;  // of the page in progress
    std::string version_;
    bool unpaged_ = false;
    bool newest_ = false;
    bool due_ = false;
};

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/watch/impl/list_plan.ipp>
#endif
