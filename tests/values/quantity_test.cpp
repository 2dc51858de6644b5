// Quantities, against what k8s.io/apimachinery answers.
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/values/quantity.hpp>

#include "go_truth/go_table.hpp"

#include <cmath>
#include <limits>

using namespace kcontrol;
using test::go_table;
using test::text_of;

namespace {

const char* name_of(quantity_format format) {
    if (format == quantity_format::binary_si) return "BinarySI";
    return format == quantity_format::decimal_si ? "DecimalSI" : "DecimalExponent";
}

quantity q(std::string_view text) { return quantity::parse(text).value(); }

// Go loses suffixes beyond E, and so prints another amount.
void check_same_text(const std::string& go, const quantity& ours) {
    const bool go_lost_it = std::abs(ours.as_double()) >= 1e21 && go.find_first_of("eE") == std::string::npos;
    if (!go_lost_it) CHECK(ours.canonical() == go);
}

}  // namespace

TEST_CASE("quantity: what is read, as Go reads it") {
    static_assert(sizeof(quantity) <= sizeof(std::string) + 16);
    int compared = 0;
    for (const auto& row : go_table("quantity_parse")) {
        const std::string text = text_of(row[0]);
        CAPTURE(text);
        const auto read = quantity::parse(text);
        if (row[1].is_null()) {
            CHECK(!read.has_value());
            if (!read) CHECK(read.error() == errc::invalid_argument);
            continue;
        }
        REQUIRE(read.has_value());
        ++compared;
        CHECK(read->text() == text);
        check_same_text(text_of(row[1]), *read);
        CHECK(name_of(read->format()) == text_of(row[2]));
        CHECK(read->sign() == row[3].as_int64());
        CHECK(read->is_zero() == (row[3].as_int64() == 0));
        const double nearest = std::stod(text_of(row[7]));
        CHECK(read->as_double() == doctest::Approx(nearest).epsilon(1e-15));
        const bool whole = -(-*read) == quantity(read->value()) || std::abs(nearest) > 1e18;
        if (std::abs(nearest) < 9.2e18 && (read->sign() >= 0 || whole)) {
            CHECK(std::to_string(read->value()) == text_of(row[4]));
        }
        if (std::abs(nearest) < 9.2e15 && read->sign() >= 0) {
            CHECK(std::to_string(read->milli_value()) == text_of(row[5]));
        }
        if (std::abs(nearest) < 9.2e18) CHECK((-*read).value() == -read->value());
        check_same_text(text_of(row[9]), -*read);
        quantity rounded = *read;
        rounded.round_up(0);
        if (std::abs(nearest) < 1e18) CHECK(q(text_of(row[10])) == rounded);
        // The canonical text means the same.
        CHECK(q(read->canonical()) == *read);
    }
    CHECK(compared > 400);
}

TEST_CASE("quantity: compare, add, subtract and multiply, as Go does") {
    for (const auto& row : go_table("quantity_pairs")) {
        const std::string left = text_of(row[0]);
        const std::string right = text_of(row[1]);
        CAPTURE(left);
        CAPTURE(right);
        const quantity a = q(left);
        const quantity b = q(right);
        const auto order = row[2].as_int64();
        CHECK((a <=> b) == (order <=> 0));
        CHECK((b <=> a) == (0 <=> order));
        CHECK((a == b) == (order == 0));
        check_same_text(text_of(row[3]), a + b);
        check_same_text(text_of(row[4]), a - b);
        CHECK(name_of((a + b).format()) == text_of(row[5]));
        CHECK(name_of((a - b).format()) == text_of(row[6]));
        check_same_text(text_of(row[8]), a * row[7].as_int64());
        CHECK((a + b) - b == a);
        CHECK((a + b) == (b + a));
        CHECK((a - a).is_zero());
    }
}

TEST_CASE("quantity: made from numbers") {
    CHECK(quantity().text() == "0");
    CHECK(quantity(3).text() == "3");
    CHECK(quantity(3000).text() == "3k");
    CHECK(quantity(1500, -3).text() == "1500m");
    CHECK(quantity(1, -12).text() == "1n");
    CHECK(quantity(-1, -12).text() == "-1n");
    CHECK(quantity(1, -2'000'000'000).text() == "1n");
    CHECK(quantity(1 << 30, quantity_format::binary_si).text() == "1Gi");
    CHECK(quantity(1, 6, quantity_format::decimal_exponent).text() == "1e6");
    CHECK(quantity(std::numeric_limits<std::int64_t>::min()).text() == "-9223372036854775808");
    CHECK(q("1Gi").in_format(quantity_format::decimal_si).text() == "1073741824");
    CHECK(q("1024").in_format(quantity_format::binary_si).text() == "1Ki");
    CHECK(q("1000").in_format(quantity_format::decimal_exponent).text() == "1e3");
}

TEST_CASE("quantity: the text is kept until the value changes") {
    quantity memory = q("0.50Gi");
    CHECK(memory.text() == "0.50Gi");
    CHECK(memory.canonical() == "512Mi");
    CHECK(memory == q("512Mi"));
    memory += quantity(0);
    CHECK(memory.text() == "512Mi");
    CHECK(to_string(q("1000m") + q("1")) == "2");
}

TEST_CASE("quantity: whole numbers, and caps at 64 bits") {
    constexpr auto top = std::numeric_limits<std::int64_t>::max();
    constexpr auto bottom = std::numeric_limits<std::int64_t>::min();
    CHECK(q("1e30").value() == top);
    CHECK(q("-1e30").value() == bottom);
    CHECK(q("9E").milli_value() == top);
    CHECK(q("-9E").milli_value() == bottom);
    CHECK(q("123456789012345678901234567890").value() == top);
    CHECK(q("123456789012345678901234567890").scaled_value(20) == 1234567891);
    CHECK(q("1n").value() == 1);
    CHECK(q("-1n").value() == -1);
    CHECK(q("-1.5").value() == -2);
    CHECK(q("-1500000000000000000000000.5").scaled_value(24) == -2);
    CHECK(q("1.5").as_int64() == std::nullopt);
    CHECK(q("1500m").as_int64() == std::nullopt);
    CHECK(q("2000m").as_int64() == 2);
    CHECK(q("0").as_int64() == 0);
    CHECK(q("1e18").as_int64() == 1'000'000'000'000'000'000);
    CHECK(q("1e19").as_int64() == std::nullopt);
    CHECK(q("1e400").as_double() == std::numeric_limits<double>::infinity());
    CHECK(q("-1e400").as_double() == -std::numeric_limits<double>::infinity());
    // Only what is read is capped, not sums.
    CHECK(q("100Ei").canonical() == "9223372036854775807");
    CHECK((q("7Ei") + q("7Ei")).text() == "14Ei");
    CHECK((q("7Ei") + q("7Ei") - q("7Ei")).text() == "7Ei");
    CHECK((q("7Ei") * 1024).text() == "7168Ei");
}

TEST_CASE("quantity: absurd amounts cost no absurd memory") {
    const quantity huge = q("1e2000000000");
    CHECK(huge > q("1e1999999999"));
    CHECK((huge + quantity(1)) == huge);
    CHECK((quantity(1) + huge) == huge);
    CHECK((quantity(1) - huge) == -huge);
    const quantity less = q("1e12200") - quantity(20);
    CHECK(-(quantity(20) - q("1e12200")) == less);
    CHECK(huge.value() == std::numeric_limits<std::int64_t>::max());
    CHECK(huge.in_format(quantity_format::binary_si).text() == "100e1999999998");
    CHECK(q("1e-2000000000").canonical() == "1e-9");
    CHECK(q("1e4294967297") == quantity(10));  // as the API server has it
    const std::string digits(200'000, '9');
    CHECK(q(digits) > q("1e199999"));
    CHECK(q(digits + "Ki").canonical() == "9223372036854775807");
    CHECK(q("0." + digits).canonical() == "1");
    CHECK(q("1." + digits + "Ki").canonical() == "2Ki");
}

TEST_CASE("quantity: errors tell what to write instead") {
    const auto message = [](const char* text) { return quantity::parse(text).error().message(); };
    CHECK(message("1K").find("write k for 1000 or Ki for 1024") != std::string::npos);
    CHECK(message("2GB").find("Gi") != std::string::npos);
    CHECK(message("1,5").find("decimal point") != std::string::npos);
    CHECK(message("x\ny").find("\"x\\x0ay\" is not a quantity") != std::string::npos);
    CHECK(message(std::string(1000, 'x').c_str()).size() < 300);
}

namespace {

struct holder {
    quantity cpu;
    std::optional<quantity> memory;
    static constexpr auto kcontrol_fields() {
        return fields(field("cpu", &holder::cpu), field("memory", &holder::memory));
    }
};

}  // namespace

TEST_CASE("quantity: in JSON") {
    const auto through = [](std::string_view text) {
        const auto read = from_json<holder>(text);
        return read ? to_json(*read) : read.error().message();
    };
    CHECK(through(R"({"cpu":"0100m","memory":"1.0Gi"})") == R"({"cpu":"0100m","memory":"1.0Gi"})");
    CHECK(through(R"({"cpu":2,"memory":1.5})") == R"({"cpu":"2","memory":"1.5"})");
    CHECK(through(R"({"cpu":" 1 "})") == R"({"cpu":"1"})");
    CHECK(through(R"({"cpu":"1x"})").starts_with("cpu: \"1x\" is not a quantity"));
    CHECK(through(R"({"cpu":[]})") == "cpu: expected a quantity as a string or a number");
}
