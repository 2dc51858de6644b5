#include "testserver/scalar_text.hpp"

#include <kcontrol/base/base64.hpp>
#include <kcontrol/values/quantity.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string_view without_spaces(std::string_view text) {
    constexpr std::string_view spaces = " \t\n\v\f\r";
    const std::size_t begin = text.find_first_not_of(spaces);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(spaces) - begin + 1);
}

// A quantity's text in parts, as resource.ParseQuantity takes it apart.
class quantity_parts {
public:
    std::string digits;        // without leading zeros, those after the point included
    std::size_t fraction = 0;  // how many stand after the point
    std::string_view suffix;
    bool formed = false;  // it is a number and a suffix of letters that some suffix has

    explicit quantity_parts(std::string_view text) {
        if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
        const auto pass = [&text](std::string_view letters) {
            const std::string_view passed = text.substr(0, std::min(text.find_first_not_of(letters), text.size()));
            text.remove_prefix(passed.size());
            return passed;
        };
        constexpr std::string_view decimal = "0123456789";
        std::string_view whole = pass(decimal);
        bool any = !whole.empty();
        whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
        digits = whole.empty() ? std::string("0") : std::string(whole);
        if (text.starts_with('.')) {
            text.remove_prefix(1);
            const std::string_view after = pass(decimal);
            digits += after;
            fraction = after.size();
            any = true;
        }
        suffix = text;
        pass("eEinumkKMGTP");
        if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
        pass(decimal);
        formed = any && text.empty();
    }

    // Go keeps a text that looks canonical to it, and writes any other anew. Source: ParseQuantity
    bool looks_canonical(const quantity& read) const {
        constexpr std::size_t most_digits = 18;
        if (digits.size() > most_digits) return false;
        if (suffix.ends_with('i')) {
            constexpr std::string_view powers = "KMGTPE";
            const std::size_t power = powers.find(suffix.front());
            if (fraction > 0 || power == std::string_view::npos) return false;
            const std::size_t lost = digits.size() + 3 * (power + 1) + 1;
            return lost <= 15 && (std::stoll(digits) & 7) != 0;
        }
        const bool exponent = suffix.size() > 1 && (suffix.front() == 'e' || suffix.front() == 'E');
        const int power = exponent ? std::stoi(std::string(suffix.substr(1))) : 0;  // SI suffixes are powers of 1000
        const bool is_fine = read != quantity(read).round_up(-9);
        return !is_fine && (power - static_cast<int>(fraction)) % 3 == 0 && !digits.ends_with("000") &&
               digits.front() != '0';
    }
};

// Takes quanta of four letters apart. Source of its errors: encoding/base64 of Go, decodeQuantum
class base64_reader {
public:
    explicit base64_reader(std::string_view text) : text_(text) {}

    std::string bytes;
    std::optional<std::size_t> corrupt;  // at which byte

    void read() {
        while (!corrupt && !ended_) read_quantum();
    }

private:
    bool is_break(std::size_t at) const { return at < text_.size() && (text_[at] == '\n' || text_[at] == '\r'); }

    void read_quantum() {
        std::uint32_t block = 0;
        std::size_t count = 0;
        while (count < 4) {
            if (at_ == text_.size()) {
                ended_ = true;
                if (count > 0) corrupt = at_ - count;
                return;
            }
            const char c = text_[at_++];
            if (c == '\n' || c == '\r') continue;
            const std::size_t value = base64_letters.find(c);
            if (value == std::string_view::npos) {
                if (c != '=' || count < 2) {
                    corrupt = at_ - 1;
                    return;
                }
                end_with_padding(count);
                break;
            }
            block = (block << 6) | static_cast<std::uint32_t>(value);
            ++count;
        }
        block <<= 6 * (4 - count);
        for (std::size_t i = 0; i + 1 < count; ++i) bytes.push_back(static_cast<char>((block >> (16 - 8 * i)) & 0xff));
    }
    void end_with_padding(std::size_t count) {
        ended_ = true;
        if (count == 2) {
            while (is_break(at_)) ++at_;
            if (at_ == text_.size() || text_[at_] != '=') {
                corrupt = at_ == text_.size() ? at_ : at_ - 1;
                return;
            }
            ++at_;
        }
        while (is_break(at_)) ++at_;
        if (at_ < text_.size()) corrupt = at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool ended_ = false;
};

}  // namespace

scalar_text read_quantity(std::string_view text) {
    text = without_spaces(text);
    const quantity_parts parts(text);
    scalar_text out;
    const auto read = quantity::parse(text);
    if (read) {
        out.text = text == "0" || parts.looks_canonical(*read) ? std::string(text) : read->canonical();
    } else if (parts.formed && !parts.suffix.empty()) {
        out.problem = "unable to parse quantity's suffix";
    } else {
        out.problem = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    }
    return out;
}

std::string round_to_milli(std::string_view text) {
    auto read = quantity::parse(text);
    if (!read) return std::string(text);
    const quantity rounded = quantity(*read).round_up(-3);
    return rounded == *read ? std::string(text) : rounded.canonical();
}

scalar_text read_bytes(std::string_view text) {
    base64_reader reader(text);
    reader.read();
    scalar_text out;
    if (reader.corrupt) {
        out.problem = "illegal base64 data at input byte " + std::to_string(*reader.corrupt);
    } else {
        out.text = encode_base64(reader.bytes);
    }
    return out;
}

}  // namespace kcontrol::testing::detail
