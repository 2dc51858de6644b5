#pragma once

#include <kcontrol/client/impl/client_list.ipp>
#include <kcontrol/client/object_pager.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL list_pager::list_pager(client from, const resource_info& info, list_options which, expired_pages then)
    : client_(from.live()),
      info_(&info),
      options_(std::move(which)),
      then_(then),
      token_(std::as_const(options_).continue_token()),
      limits_(list_bounds().max_items(std::as_const(options_).max_items())),
      meter_(limits_, time_point()) {
    if (std::as_const(options_).limit() <= 0) options_.limit(default_page);
    // Pages share what their objects have in common.
    if (std::as_const(options_).pool() == nullptr) options_.pool(std::make_shared<share_pool>());
}

KCONTROL_DECL awaitable<result<any_list>> list_pager::ask(list_options how) {
    auto page = co_await client_.list_page(*info_, std::move(how));
    if (!page) co_return page.error();
    if (auto over = meter_.add(*page, time_point())) co_return std::move(*over);
    token_ = page->continue_token;
    done_ = token_.empty();
    co_return std::move(*page);
}

KCONTROL_DECL awaitable<result<std::optional<any_list>>> list_pager::next() {
    restarted_ = false;
    if (done_) co_return std::optional<any_list>();
    list_options how = options_;
    how.continue_token(token_);
    auto page = co_await ask(std::move(how));
    const bool expired = !page && page.error() == condition::expired && !token_.empty();
    if (expired && then_ == expired_pages::list_again) {
        meter_ = list_meter(limits_, time_point());
        list_options whole = options_;
        whole.limit(0).continue_token({}).max_items(limits_.max_items());
        whole.max_body(std::max<std::uint64_t>(std::as_const(whole).max_body(), limits_.max_bytes()));
        page = co_await ask(std::move(whole));
        restarted_ = page.has_value();
    }
    if (!page) co_return page.error();
    co_return std::optional<any_list>(std::move(*page));
}

KCONTROL_DECL awaitable<result<any_list>> list_pager::all() {
    any_list whole;
    for (bool first = true;; first = false) {
        auto page = co_await next();
        if (!page) co_return page.error();
        if (!*page) co_return whole;
        if (restarted_) whole = any_list();
        detail::append_page(whole, std::move(**page), first || restarted_);
    }
}

}  // namespace kcontrol
