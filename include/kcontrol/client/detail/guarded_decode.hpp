// How a kind is read may be the program's own: what its function throws is why the object does not decode.
#pragma once

#include <kcontrol/base/thrown.hpp>
#include <kcontrol/model/resource.hpp>

#include <new>
#include <string_view>

namespace kcontrol::detail {

/// resource_info::decode_parsed(). Lack of memory is thrown on: that is not the object's fault.
inline result<any_object> decode_guarded(const resource_info& info, std::string_view text, share_pool* pool) {
    try {
        return info.decode_parsed(text, pool);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return error(errc::decode_failed,
                     "the function that decodes " + info.gvk.kind + " threw: " + describe_thrown());
    }
}

/// resource_info::decode(). Of what throws here, decode_guarded() says what it is.
inline any_object decode_guarded(const resource_info& info, json::cursor& from, share_pool* pool) {
    try {
        return info.decode(from, pool);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return {};
    }
}

}  // namespace kcontrol::detail
