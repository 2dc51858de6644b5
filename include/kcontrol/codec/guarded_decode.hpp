// How a kind is read may be the program's own: what its function throws is why the object does not decode.
#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/model/resource.hpp>

#include <new>
#include <string_view>

namespace kcontrol::inline v0_1 {

// Lack of memory is thrown on: that is not the object's fault.

namespace detail {

template <class Decode>
result<any_object> guard_decode(const resource_info& info, Decode decode) {
    try {
        return decode();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return error(errc::decode_failed,
                     "the function that decodes " + info.gvk.kind + " threw: " + describe_thrown());
    }
}

}  // namespace detail

/// resource_info::decode_parsed(). Errors: decode_failed, also for what is thrown.
inline result<any_object> decode_guarded(const resource_info& info, std::string_view text, share_pool* pool) {
    return detail::guard_decode(info, [&] { return info.decode_parsed(text, pool); });
}

/// resource_info::decode(). Errors: the same.
inline result<any_object> decode_guarded(const resource_info& info, json::node from, share_pool* pool) {
    return detail::guard_decode(info, [&] { return info.decode(from, pool); });
}

/// The same at a cursor, where nothing says what is wrong: of what throws here, the first function says what it is.
inline any_object decode_guarded(const resource_info& info, json::cursor& from, share_pool* pool) {
    try {
        return info.decode(from, pool);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return {};
    }
}

}  // namespace kcontrol
