// Text compressed with gzip (RFC 1952), and who takes it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace training_monitor {

/// Whether a value of Accept-Encoding takes gzip, and no less gladly than what is not compressed: by name or by *, and
/// not with a quality of 0. What can't be read is no. Source: RFC 9110 §12.5.3.
bool accepts_gzip(std::string_view accept_encoding);

/// Compresses a text that comes in pieces.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class gzip_writer {
public:
    /// What it keeps, in bytes: zlib's window and tables.
    static constexpr std::size_t bytes_held = std::size_t{270} << 10;

    gzip_writer();
    ~gzip_writer();
    gzip_writer(const gzip_writer&) = delete;
    gzip_writer& operator=(const gzip_writer&) = delete;

    /// All of the piece, compressed, so that whoever has it can read so far.
    std::string add(std::string_view piece);
    /// The end. Nothing is added after it.
    std::string finish();

private:
    struct state;
    std::string run(std::string_view piece, int flush);
    std::unique_ptr<state> state_;
};

/// The whole of a text.
std::string gzipped(std::string_view text);

}  // namespace training_monitor
