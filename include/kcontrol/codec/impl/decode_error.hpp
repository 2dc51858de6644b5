// What the decoders of nodes share: reading scalars, and what they say when a value is not what the type wants.
#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/json/reader.hpp>
#include <kcontrol/values/timestamp.hpp>
#include <kcontrol/values/type_descriptor.hpp>

#include <limits>

namespace kcontrol::inline v0_1::detail {

/// The path of a failure is put together on the way back from it, so that success does not pay for it.
class decode_failure {
public:
    bool mismatch(std::string_view expected, json::node found) {
        message_ = "expected " + std::string(expected) + ", found " + describe_found(found);
        return false;
    }
    template <class Integer>
    bool not_integer(json::node found) {
        const auto kind = found.kind();
        if (kind != json::kind::integer && kind != json::kind::unsigned_integer) return mismatch("an integer", found);
        return mismatch("an integer between " + std::to_string(std::numeric_limits<Integer>::min()) + " and " +
                            std::to_string(std::numeric_limits<Integer>::max()),
                        found);
    }
    bool say(std::string message) {
        message_ = std::move(message);
        return false;
    }

    bool at_member(std::string_view name) {
        path_.insert(0, "." + std::string(name));
        return false;
    }
    bool at_index(std::size_t index) {
        path_.insert(0, "[" + std::to_string(index) + "]");
        return false;
    }
    bool at_key(std::string_view key) {
        path_.insert(0, "[" + escape_control(key) + "]");
        return false;
    }

    static bool is_number(json::node from) {
        const auto kind = from.kind();
        return kind == json::kind::number || kind == json::kind::integer || kind == json::kind::unsigned_integer;
    }

    bool read(json::node from, bool& out) {
        if (from.kind() != json::kind::boolean) return mismatch("true or false", from);
        out = from.as_bool();
        return true;
    }
    bool read(json::node from, std::int32_t& out) { return read_integer(from, out); }
    bool read(json::node from, std::int64_t& out) { return read_integer(from, out); }
    bool read(json::node from, double& out) {
        if (!is_number(from)) return mismatch("a number", from);
        out = from.as_double();
        return true;
    }
    bool read(json::node from, timestamp& out) {
        const auto parsed = parse_time(from.is_string() ? from.as_string() : std::string_view());
        if (!parsed) return mismatch("a time such as 2006-01-02T15:04:05Z", from);
        out = timestamp(*parsed);
        return true;
    }
    /// Reads an integer of 32 bits, or leaves a string to the caller.
    bool read_unless_string(json::node from, std::int32_t& out) {
        if (from.is_string()) return true;
        std::int64_t any = 0;
        if (!from.get_int64(any)) return mismatch("an integer or a string", from);
        return read_integer(from, out);
    }
    bool check_quantity(json::node from) {
        return from.is_string() || is_number(from) || mismatch("a quantity such as \"500m\" or 2", from);
    }

    error failure() const {
        if (path_.empty()) return error(errc::decode_failed, message_);
        return error(errc::decode_failed, path_.substr(path_.front() == '.' ? 1 : 0) + ": " + message_);
    }

private:
    template <class Integer>
    bool read_integer(json::node from, Integer& out) {
        std::int64_t value = 0;
        if (!from.get_int64(value)) return not_integer<Integer>(from);
        out = static_cast<Integer>(value);
        return out == value || not_integer<Integer>(from);
    }

    static std::string describe_found(json::node found) {
        switch (found.kind()) {
        case json::kind::null: return "null";
        case json::kind::boolean: return found.as_bool() ? "true" : "false";
        case json::kind::integer: return "the integer " + std::to_string(found.as_int64());
        case json::kind::unsigned_integer: return "the integer " + std::to_string(found.as_uint64());
        case json::kind::number: {
            const std::string digits = found.to_json();
            const bool looks_whole = digits.find_first_of(".e") == std::string::npos;
            return "the number " + digits + (looks_whole ? ".0" : "");
        }
        case json::kind::array: return "a list";
        case json::kind::object: return "an object";
        case json::kind::string: break;
        }
        return "the string " + in_quotes(found.as_string(), 40);
    }

    std::string path_;
    std::string message_;
};

}  // namespace kcontrol::detail
