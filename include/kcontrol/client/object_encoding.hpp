// How objects travel between client and server, if not as JSON. protobuf_encoding() (client/protobuf_encoding.hpp) is
// one; clients with it among their client_options ask for it. Programs that do not name it link none of it.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/client/any_list.hpp>
#include <kcontrol/client/options.hpp>
#include <kcontrol/client/watch_event.hpp>
#include <kcontrol/model/resource.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

/// Reads a list as it arrives, object by object.
///
/// Thread-safety: shared objects unsafe.
class list_decoder {
public:
    virtual ~list_decoder() = default;
    /// Where the next bytes go; valid until the next call.
    virtual std::span<char> room() = 0;
    /// So many bytes came. Errors: decode_failed for what is no list.
    virtual result<void> filled(std::size_t count) = 0;
    /// The body is complete. Errors: decode_failed, truncated.
    virtual result<any_list> finish() = 0;
    /// How many objects it holds so far, for the bound of a list that does not end. 0: it does not say.
    virtual std::size_t held() const noexcept { return 0; }
};

/// Reads a watch as it arrives, event by event.
///
/// Thread-safety: shared objects unsafe.
class watch_decoder {
public:
    virtual ~watch_decoder() = default;
    virtual void feed(std::string_view bytes) = 0;  ///< copies bytes as they arrived
    /// The next event; nothing: more bytes are needed. What does not decode is an event with `invalid`, a type of event
    /// that nobody knows is passed over. Errors: decode_failed, too_large; the watch can't go on then.
    virtual result<std::optional<watch_event>> next() = 0;
    /// The body has ended. Errors: truncated if that was inside an event.
    virtual result<void> finish() const = 0;
};

/// The encoding of one kind.
///
/// Thread-safety: safe. The resource_info that it was made for must outlive it and the decoders that it makes.
class kind_encoding {
public:
    virtual ~kind_encoding() = default;
    /// The object that an answer of 2xx consists of. Errors: decode_failed, naming the path of the member; that of a
    /// Status of failure.
    virtual result<any_object> decode(std::string_view body) const = 0;
    /// `pool` outlives the decoder.
    virtual std::unique_ptr<list_decoder> decode_list(share_pool& pool, list_options::reuse_function reuse) const = 0;
    /// The decoder shares `pool`; `log` is told of events whose type nobody knows.
    virtual std::unique_ptr<watch_decoder> decode_watch(std::shared_ptr<share_pool> pool, logger log) const = 0;
    /// The body of a request: the object, with `metadata` in the place of its own. Errors: invalid_argument if it is
    /// not of the kind's C++ type; decode_failed for a value that only JSON can hold.
    virtual result<std::string> encode(const any_object& object, const object_meta& metadata) const = 0;
};

/// An encoding, for client_options::encoding().
///
/// Thread-safety: safe.
class object_encoding {
public:
    virtual ~object_encoding() = default;
    /// Of a request and an answer; that of a watch may have parameters.
    virtual std::string_view media_type() const noexcept = 0;
    /// Null: that kind is JSON.
    virtual std::shared_ptr<const kind_encoding> of(const resource_info& info) const = 0;
    /// The JSON of a metav1.Status in this encoding; nothing if it is none.
    virtual std::optional<std::string> status_json(std::string_view body) const = 0;
};

}  // namespace kcontrol
