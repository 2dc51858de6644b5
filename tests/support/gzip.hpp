// Text as gzip writes it, for tests of those who read it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <zlib.h>

namespace kcontrol::test {

/// One member.
inline std::string gzip(std::string_view text) {
    z_stream z{};
    if (::deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("deflate");
    std::string out(::deflateBound(&z, static_cast<uLong>(text.size())) + 64, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    z.avail_in = static_cast<uInt>(text.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    const int code = ::deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    ::deflateEnd(&z);
    if (code != Z_STREAM_END) throw std::runtime_error("deflate");
    return out;
}

}  // namespace kcontrol::test
