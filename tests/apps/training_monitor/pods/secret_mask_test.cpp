#include "pods/secret_mask.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using training_monitor::secret_mask;

TEST_CASE("secret mask: the usual shapes are hidden, and nothing else") {
    const std::vector<std::pair<std::string, std::string>> table{
        {"step 100 loss 0.5 tokens/s 1234", "step 100 loss 0.5 tokens/s 1234"},
        {"num_tokens=4096 pad_tokens: 3", "num_tokens=4096 pad_tokens: 3"},
        {"DB_PASSWORD=hunter2 DB=x", "DB_PASSWORD=[masked] DB=x"},
        {R"({"password": "a b c", "user": "u"})", R"({"password": "[masked]", "user": "u"})"},
        {"api_key: 'abc'", "api_key: '[masked]'"},
        {"Authorization: Bearer abcdefghijkl", "Authorization: Bearer [masked]"},
        {"auth_token: Bearer abcdefghijkl", "auth_token: Bearer [masked]"},
        {"using hf_abcdefghijklmnopqrst now", "using [masked] now"},
        {"AKIAIOSFODNN7EXAMPLE", "[masked]"},
        {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[masked]"},
        {"train --hub-token abc --epochs 3", "train --hub-token [masked] --epochs 3"},
        {"train --token 'a b' x", "train --token '[masked]' x"},
        {"--token", "--token"},
        {"--use-token --epochs", "--use-token --epochs"},
        {"token expired", "token expired"},
        {"postgres://joe:pw@db/x", "postgres://joe:[masked]@db/x"},
        {"https://host/path?x=1", "https://host/path?x=1"},
        {"sk-learn is fine", "sk-learn is fine"},
        {"password", "password"},
        {"", ""},
    };
    for (const auto& [line, shown] : table) CHECK(secret_mask().mask(line) == shown);
}

TEST_CASE("secret mask: a private key is hidden to its end") {
    secret_mask mask;
    CHECK(mask.mask("-----BEGIN RSA PRIVATE KEY-----") == "[masked]");
    CHECK(mask.mask("MIIEpAIBAAKCAQEA") == "[masked]");
    CHECK(mask.mask("-----END RSA PRIVATE KEY-----") == "[masked]");
    CHECK(mask.mask("done") == "done");
}
