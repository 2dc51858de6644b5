#include "output/keys.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;

namespace {

// Keys as one text: names in angle brackets.
std::string text_of(const std::vector<key>& keys) {
    static constexpr const char* names[] = {"",      "<up>",    "<down>", "<pgup>", "<pgdn>",  "<home>",
                                            "<end>", "<enter>", "<esc>",  "<bs>",   "<clear>", "<redraw>"};
    std::string out;
    for (const auto& k : keys) out += k.name == key_name::text ? k.text : names[static_cast<std::size_t>(k.name)];
    return out;
}

}  // namespace

TEST_CASE("keys: what terminals send") {
    const struct {
        std::string_view bytes, keys;
    } table[] = {
        {"jk/q", "jk/q"},
        {"\x1b[A\x1b[B", "<up><down>"},
        {"\x1bOA\x1bOB\x1bOM", "<up><down><enter>"},
        {"\x1b[5~\x1b[6~\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~", "<pgup><pgdn><home><end><home><end><home><end>"},
        {"\x1b[1;5A\x1b[5;2~", "<up><pgup>"},  // with Ctrl, with Shift
        {"\r\n\x7f\b\x15\x0c", "<enter><enter><bs><bs><clear><redraw>"},
        {"\x1b[3~", "<bs>"},
        {"\x1bj", "<esc>j"},  // Esc and j, or Alt and j
        {"\x1b\x1b[A", "<esc><up>"},
        {"\x1b[15~\x1b[Zx", "x"},  // F5, Shift-Tab: no keys of ours
        {"\x1b[[Ax", "x"},         // F1 of the Linux console
        {"\x01\x02x", "x"},
        {"训练é", "训练é"},
        {"\xff\x80x\xe8y", "xy"},  // no characters
    };
    for (const auto& row : table) {
        CAPTURE(row.keys);
        key_reader whole;
        CHECK(text_of(whole.take(row.bytes)) == row.keys);
        CHECK_FALSE(whole.waits());
    }
}

TEST_CASE("keys: bytes may come one by one") {
    key_reader reader;
    const auto one_by_one = [&](std::string_view bytes) {
        std::string out;
        for (const char c : bytes) out += text_of(reader.take(std::string_view(&c, 1)));
        return out;
    };
    CHECK(one_by_one("a\x1b[B\x1b[1;5A训\x1bOHz") == "a<down><up>训<home>z");
}

TEST_CASE("keys: an escape that nothing follows is the key") {
    key_reader reader;
    CHECK(reader.take("\x1b").empty());
    CHECK(reader.waits());
    CHECK(text_of(reader.flush()) == "<esc>");
    CHECK_FALSE(reader.waits());
    CHECK(reader.flush().empty());
    CHECK(reader.take("\x1b[").empty());
    CHECK_FALSE(reader.waits());
    CHECK(text_of(reader.take("A")) == "<up>");
}

TEST_CASE("keys: a sequence without an end is not waited for for ever") {
    key_reader reader;
    CHECK(reader.take("\x1b[" + std::string(40, '1')).empty());
    CHECK(text_of(reader.take("q")) == "q");
}
