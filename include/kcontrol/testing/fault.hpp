// What may go wrong with one request, on purpose: the vocabulary of fault injection at the in-process API server.
#pragma once

#include <kcontrol/http/handler.hpp>
#include <kcontrol/runtime/time.hpp>
#include <kcontrol/testing/failure.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace kcontrol::inline v0_1::testing {

/// The faults of one request: `fault().delay(1s).cut_after_events(3)`. Of several answers the last counts; of several
/// faults inside a body (`stream`), too.
///
/// Events of a watch are counted from 0, bookmarks included.
class fault {
public:
    /// What happens inside a body.
    enum class stream {
        none,
        cut_after_events,
        end_after_events,
        cut_after_bytes,
        truncated_event,
        garbage_event,
        huge_event,
        error_event,
        lost_event
    };

    fault() = default;

    /// Answer (or begin to process) only after that time.
    fault& delay(duration d) { return delay_ = d, *this; }
    /// Answer with this instead of processing the request.
    fault& answer(http::response response) { return answer_ = std::move(response), *this; }
    /// Answer with a Status. `retry_after` ≥ 0 sets the header Retry-After, in seconds.
    fault& status(int code, std::string_view reason, std::string message, int retry_after = -1);
    /// Answer with a page, as a proxy in the way would.
    fault& html(int code, std::string page = "<html><body>Sign in</body></html>");
    /// Answer with a redirect.
    fault& redirect(int code, std::string location);
    /// Break the connection off instead of answering.
    fault& drop() { return drop_ = true, *this; }
    /// Process the request, then break the connection off instead of answering: an unknown outcome. It does nothing to
    /// watches, logs, exec, attach and port-forward.
    fault& drop_response() { return drop_response_ = true, *this; }
    /// Never answer; ends when the peer goes away.
    fault& hang() { return hang_ = true, *this; }
    /// Lists and watches read that replica's cache (see api_server::replica).
    fault& replica(std::string name) { return replica_ = std::move(name), *this; }

    /// Break a watch off after `n` whole events.
    fault& cut_after_events(std::size_t n) { return in_stream(stream::cut_after_events, n); }
    /// End a watch properly after `n` events.
    fault& end_after_events(std::size_t n) { return in_stream(stream::end_after_events, n); }
    /// Break an answer or a watch off after `n` bytes of its body. A log is sent whole.
    fault& cut_after_bytes(std::size_t n) { return in_stream(stream::cut_after_bytes, n); }
    /// Send half of event `n`, then end the body as if all were well.
    fault& truncate_event(std::size_t n) { return in_stream(stream::truncated_event, n); }
    /// Send a line that is not JSON before event `n`, then go on.
    fault& garbage_before_event(std::size_t n) { return in_stream(stream::garbage_event, n); }
    /// Send a well-formed event of `bytes` bytes before event `n`, then go on.
    fault& huge_before_event(std::size_t n, std::size_t bytes) {
        return size_ = bytes, in_stream(stream::huge_event, n);
    }
    /// Send an ERROR event with this Status instead of event `n`, then end.
    fault& error_at_event(std::size_t n, failure f) { return error_ = std::move(f), in_stream(stream::error_event, n); }

    /// Leave event `n` of a watch out, as if it had never happened.
    fault& lose_event(std::size_t n) { return in_stream(stream::lost_event, n); }
    /// Send at most so many bytes of any body a second; 0: as fast as the peer takes them.
    fault& bytes_per_second(std::size_t rate) { return rate_ = rate, *this; }

    duration delay() const noexcept { return delay_; }
    const std::optional<http::response>& answer() const noexcept { return answer_; }
    bool drops() const noexcept { return drop_; }  ///< instead of answering the connection breaks
    bool drops_response() const noexcept {
        return drop_response_;
    }                                              ///< the request is done, then the connection breaks
    bool hangs() const noexcept { return hang_; }  ///< no answer, ever
    const std::string& replica() const noexcept { return replica_; }
    stream kind() const noexcept { return kind_; }  ///< what happens inside a body; the last that was said counts
    std::size_t position() const noexcept { return position_; }  ///< number of the event, or how many events or bytes
    std::size_t size() const noexcept { return size_; }
    const failure& error() const noexcept { return error_; }  ///< Status of error_at_event()
    std::size_t bytes_per_second() const noexcept { return rate_; }

private:
    fault& in_stream(stream kind, std::size_t position) { return kind_ = kind, position_ = position, *this; }

    duration delay_{0};
    std::optional<http::response> answer_;
    bool drop_ = false;
    bool drop_response_ = false;
    bool hang_ = false;
    std::string replica_;
    stream kind_ = stream::none;
    std::size_t position_ = 0;
    std::size_t size_ = 0;
    std::size_t rate_ = 0;
    failure error_;
};

/// Asked for each request before it is looked at.
using fault_hook = std::function<fault(const http::server_request&)>;

}  // namespace kcontrol::testing
