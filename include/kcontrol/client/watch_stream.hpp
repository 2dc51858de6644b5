// A watch as it arrives: typed events, one after another.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/watch_event.hpp>
#include <kcontrol/http/transport.hpp>
#include <kcontrol/http/watch_framer.hpp>
#include <kcontrol/model/resource.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kcontrol {

/// Reads events off one watch request.
///
/// Thread-safety: shared objects unsafe. Object lifetime: destruction ends the watch.
class watch_stream {
public:
    KCONTROL_DECL watch_stream(const resource_info& info, std::unique_ptr<http::body_stream> body, duration idle,
                               std::shared_ptr<share_pool> pool = nullptr, logger log = {});

    /// The next event; `end` after the server has ended the watch properly. An object that can't be decoded is counted,
    /// logged and left out, as in a list: if it is new it is passed over, else it comes as `deleted` with nothing but
    /// its metadata, so that no cache keeps its old state. Errors: connection_lost, truncated, timeout (no
    /// byte within the idle time), stopped, too_large, decode_failed (a frame that is not JSON).
    KCONTROL_DECL awaitable<result<watch_event>> next(std::stop_token stop);

    /// Objects skipped because they did not decode.
    std::size_t skipped() const noexcept { return skipped_; }

private:
    // An event, or nothing if the frame holds none that matters.
    KCONTROL_DECL result<std::optional<watch_event>> interpret(std::string_view frame);
    // A bookmark, or an object that a cursor could not read.
    KCONTROL_DECL std::optional<watch_event> interpret_other(watch_event event, std::string_view object);

    const resource_info* info_;
    std::unique_ptr<http::body_stream> body_;
    http::watch_framer framer_;
    std::vector<char> chunk_;
    duration idle_;
    std::shared_ptr<share_pool> pool_;
    logger log_;
    std::size_t skipped_ = 0;
    bool ended_ = false;
};

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/watch_stream.ipp>
#endif
