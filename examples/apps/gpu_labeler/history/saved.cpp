// The past as bytes for a file, and back. Little-endian:
//   "GPUPAST1", the checksum of what follows (8 bytes),
//   the number of metrics (1), and of each its name (1 byte of length, and the text),
//   the number of GPUs (2), and of each: UUID (1 byte of length, and the text), index (4), when it was seen last (8),
//   and of its short slots and of its long ones: their length in seconds (8), their number (4), and of each that has
//   something its beginning (8) and a float for each metric, NaN for none.
#include <kcontrol/base/fnv1a.hpp>

#include "history/history.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace gpu_labeler {
namespace {

using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

static_assert(std::endian::native == std::endian::little && std::numeric_limits<float>::is_iec559);

constexpr std::string_view magic = "GPUPAST1";
constexpr std::size_t longest_name = 255;

template <class Number>
void put(std::string& out, Number number) {
    char bytes[sizeof(Number)];
    std::memcpy(bytes, &number, sizeof(Number));
    out.append(bytes, sizeof(Number));
}

void put_name(std::string& out, std::string_view name) {
    name = name.substr(0, longest_name);
    put(out, static_cast<std::uint8_t>(name.size()));
    out += name;
}

// Against files that a disk or an editor has broken, not against anybody.
std::uint64_t checksum(std::string_view text) { return kcontrol::fnv1a().add(text).value(); }

// Takes from the front; once something is missing, all that follows is 0 and empty.
class byte_reader {
public:
    explicit byte_reader(std::string_view text) : rest_(text) {}

    template <class Number>
    Number number() {
        Number out{};
        if (const auto bytes = take(sizeof(Number)); !bytes.empty()) std::memcpy(&out, bytes.data(), sizeof(Number));
        return out;
    }
    std::string_view name() { return take(number<std::uint8_t>()); }
    bool failed() const noexcept { return failed_; }
    bool at_end() const noexcept { return rest_.empty(); }

private:
    std::string_view take(std::size_t count) {
        failed_ = failed_ || count > rest_.size();
        if (failed_) return {};
        const auto out = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return out;
    }

    std::string_view rest_;
    bool failed_ = false;
};

void put_ring(std::string& out, const slot_ring& ring) {
    put(out, ring.seconds());
    const auto place = out.size();
    std::uint32_t rows = 0;
    put(out, rows);
    for (auto at = ring.oldest(); at <= ring.newest(); at += ring.seconds()) {
        const auto measured = [&](const metric_info& m) { return ring.at(m.which, at).has_value(); };
        if (std::none_of(metrics.begin(), metrics.end(), measured)) continue;
        put(out, at);
        for (const auto& m : metrics) put(out, ring.at(m.which, at).value_or(std::numeric_limits<float>::quiet_NaN()));
        ++rows;
    }
    std::memcpy(out.data() + place, &rows, sizeof(rows));
}

// Times that do not increase would be those of another format.
bool take_ring(byte_reader& from, const std::vector<const metric_info*>& columns, std::int64_t now, slot_ring& ring) {
    const bool fits = from.number<std::int64_t>() == ring.seconds();
    const auto rows = from.number<std::uint32_t>();
    auto last = std::numeric_limits<std::int64_t>::min();
    for (std::uint32_t row = 0; row < rows && !from.failed(); ++row) {
        const auto at = from.number<std::int64_t>();
        if (from.failed() || at <= last) return false;
        last = at;
        const bool wanted = fits && at <= now && at >= 0;
        if (wanted) ring.move_to(at);
        for (const auto* column : columns) {
            const auto value = from.number<float>();
            if (wanted && column != nullptr && std::isfinite(value)) ring.add(column->which, value);
        }
    }
    return !from.failed();
}

error broken() { return error(errc::decode_failed, "it is no past of GPUs, or a broken one"); }

}  // namespace

std::string history::save() const {
    std::string body;
    put(body, static_cast<std::uint8_t>(metrics.size()));
    for (const auto& m : metrics) put_name(body, m.name);
    put(body, static_cast<std::uint16_t>(series_.size()));
    for (const auto& s : series_) {
        put_name(body, s.gpu.uuid);
        put(body, static_cast<std::uint32_t>(s.gpu.index));
        put(body, s.gpu.last_seen);
        put_ring(body, s.recent);
        put_ring(body, s.earlier);
    }
    std::string out(magic);
    put(out, checksum(body));
    return out + body;
}

result<void> history::restore(std::string_view saved, kcontrol::wall_time time) {
    if (!saved.starts_with(magic)) return broken();
    byte_reader from(saved.substr(magic.size()));
    const auto expected = from.number<std::uint64_t>();
    if (from.failed() || checksum(saved.substr(magic.size() + sizeof(expected))) != expected) return broken();
    const std::int64_t now = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    std::vector<const metric_info*> columns(from.number<std::uint8_t>());
    for (auto& column : columns) column = find_metric(from.name());
    std::vector<series> found;
    const auto count = from.number<std::uint16_t>();
    for (std::uint16_t i = 0; i < count && !from.failed(); ++i) {
        series one{{std::string(from.name()), 0, 0}, slot_ring(layout_.recent), slot_ring(layout_.earlier)};
        one.gpu.index = from.number<std::uint32_t>();
        one.gpu.last_seen = from.number<std::int64_t>();
        if (!take_ring(from, columns, now, one.recent) || !take_ring(from, columns, now, one.earlier)) return broken();
        if (one.gpu.uuid.empty() || found.size() >= layout_.most_gpus) continue;
        found.push_back(std::move(one));
    }
    if (from.failed() || !from.at_end()) return broken();
    found.reserve(layout_.most_gpus);
    series_ = std::move(found);
    move_to(now);
    return {};
}

}  // namespace gpu_labeler
