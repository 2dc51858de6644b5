// A list page by page, however long it is, and what happens when its pages expire.
#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/list_meter.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

/// What a pager does when the server no longer has the state that its pages are of (410): it keeps old states for some
/// minutes only.
enum class expired_pages {
    list_again,  ///< gets all of it anew, without pages, so that it comes to an end
    fail,        ///< ends with the error
};

/// Gets a list page by page, in pages of list_options::limit(), or of 500 objects where it has none.
///
///     list_pager pages(c, info, list_options().in_namespace("jobs"));
///     for (;;) {
///         auto page = co_await pages.next();
///         if (!page || !*page) break;
///         if (pages.restarted()) discard_earlier_pages();
///         use((*page)->items);
///     }
///
/// The server is asked, never a cache. Each page has the options' deadline for itself; limits() hold for all pages
/// together, but for their time. Thread-safety: shared objects unsafe; use it on the client's executor. Object
/// lifetime: it outlives its calls, and `info` outlives it.
class list_pager {
public:
    static constexpr std::int64_t default_page = 500;  ///< objects, as client-go's pager has it

    /// Asks nothing yet. It begins at the options' continue token, if there is one.
    KCONTROL_DECL list_pager(client from, const resource_info& info, list_options which,
                             expired_pages then = expired_pages::list_again);

    /// What all pages together may be, from the next one on; they are counted from there. By default those of
    /// list_bounds, with the options' max_items(). A server whose pages never end, with a fresh token each time, is
    /// left with limit_exceeded then.
    list_pager& limits(list_bounds b) {
        limits_ = b;
        meter_ = list_meter(b, time_point());
        return *this;
    }

    /// The next page, or nothing after the last one. After an error the same page is asked for again. Errors: those of
    /// client::list_page(), limit_exceeded that names the bound of limits(), protocol_error from a server that repeats
    /// itself.
    KCONTROL_DECL awaitable<result<std::optional<any_list>>> next();

    /// Whether the last page is the whole list, requested anew because the pages had expired: discard the pages before
    /// it.
    bool restarted() const noexcept { return restarted_; }

    /// All pages that are still to come as one list. Its version is that of the first.
    KCONTROL_DECL awaitable<result<any_list>> all();

private:
    KCONTROL_DECL awaitable<result<any_list>> ask(list_options how);

    client client_;
    const resource_info* info_;
    list_options options_;
    expired_pages then_;
    std::string token_;
    list_bounds limits_;
    list_meter meter_;
    bool restarted_ = false;
    bool done_ = false;
};

/// list_pager with a type.
template <resource T>
class object_pager {
public:
    /// As list_pager's, for the kind of T.
    explicit object_pager(client from, list_options which = {}, expired_pages then = expired_pages::list_again)
        : pages_(std::move(from), resource_of<T>(), std::move(which), then) {}

    /// See list_pager::limits().
    object_pager& limits(list_bounds b) { return pages_.limits(b), *this; }

    /// The next page, or nothing after the last one; see list_pager::next().
    awaitable<result<std::optional<object_page<T>>>> next() {
        auto page = co_await pages_.next();
        if (!page) co_return page.error();
        std::optional<object_page<T>> typed;
        if (*page) typed.emplace(std::move(**page));
        co_return typed;
    }
    /// All pages that are still to come as one; see list_pager::all().
    awaitable<result<object_page<T>>> all() { return detail::as_typed_page<T>(pages_.all()); }
    /// Whether the last page is the whole list, requested anew; see list_pager::restarted().
    bool restarted() const noexcept { return pages_.restarted(); }

private:
    list_pager pages_;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/object_pager.ipp>
#endif
