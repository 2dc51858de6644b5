#include "push/push_queue.hpp"

#include <doctest/doctest.h>

using namespace gpu_labeler;

TEST_CASE("push queue: oldest first, as many as a request takes, and they stay until they are taken") {
    push_queue queue(100, 6);
    CHECK(queue.batch().empty());
    for (const auto* lines : {"aa", "bb", "cc", "dd"}) queue.add(lines);
    queue.add("");
    CHECK(queue.bytes() == 8);
    CHECK(queue.batch() == "aabbcc");
    CHECK(queue.batch() == "aabbcc");
    queue.add("ee");
    queue.done(true);
    CHECK(queue.taken() == 3);
    CHECK(queue.batch() == "ddee");
    queue.done(false);
    CHECK(queue.empty());
    CHECK(queue.bytes() == 0);
    CHECK(queue.taken() == 3);
    CHECK(queue.dropped() == 2);
    queue.done(true);
    CHECK(queue.taken() == 3);
    queue.add("larger than a batch");
    CHECK(queue.batch() == "larger than a batch");
}

TEST_CASE("push queue: where there are too many the oldest go") {
    push_queue queue(6, 4);
    for (const auto* lines : {"aa", "bb", "cc", "dd"}) queue.add(lines);
    CHECK(queue.dropped() == 1);
    CHECK(queue.bytes() == 6);
    CHECK(queue.batch() == "bbcc");
    // Of those that are under way some go, too: the rest of the batch is told about, and nothing after it.
    queue.add("ee");
    CHECK(queue.dropped() == 2);
    queue.done(true);
    CHECK(queue.taken() == 1);
    CHECK(queue.batch() == "ddee");
    queue.add("123456");
    CHECK(queue.dropped() == 4);
    queue.done(true);
    CHECK(queue.taken() == 1);
    CHECK(queue.batch() == "123456");
    queue.add("1234567");
    CHECK(queue.dropped() == 5);
    CHECK(queue.bytes() == 6);
}
