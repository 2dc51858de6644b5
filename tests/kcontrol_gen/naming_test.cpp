#include <doctest/doctest.h>

#include <kcontrol_gen/crd_names.hpp>
#include <kcontrol_gen/naming.hpp>

using namespace kcontrol_gen;

TEST_CASE("Kubernetes' spelling becomes snake_case") {
    const std::pair<const char*, const char*> table[] = {
        {"podIP", "pod_ip"},
        {"clusterIPs", "cluster_ips"},
        {"podCIDRs", "pod_cidrs"},
        {"nodeName", "node_name"},
        {"containerID", "container_id"},
        {"nonResourceURLs", "non_resource_urls"},
        {"nonResourceURLsOf", "non_resource_urls_of"},
        {"JSONSchemaProps", "json_schema_props"},
        {"APIService", "api_service"},
        {"HTTPGetAction", "http_get_action"},
        {"setHostnameAsFQDN", "set_hostname_as_fqdn"},
        {"IPv4Address", "ipv4_address"},
        {"x-kubernetes-list-type", "x_kubernetes_list_type"},
        {"$ref", "ref"},
        {"a.b/c", "a_b_c"},
        {"IsReady", "is_ready"},
        {"v1beta1", "v1beta1"},
        {"__proto__", "proto"},
        {"", ""},
        {"日本", ""},
    };
    for (const auto& [from, to] : table) CHECK(snake_case(from) == to);
}

TEST_CASE("identifiers are never keywords, never empty and never reserved") {
    CHECK(identifier("default") == "default_");
    CHECK(identifier("class") == "class_");
    CHECK(identifier("coAwait") == "co_await_");
    CHECK(identifier("not") == "not_");
    CHECK(identifier("linux") == "linux_");
    CHECK(identifier("errno") == "errno_");
    CHECK(identifier("kcontrolFields") == "kcontrol_fields_");
    CHECK(identifier("1password") == "x_1password");
    CHECK(identifier("") == "x_");
    CHECK(identifier("日本") == "x_");
    CHECK(identifier("_a__b_") == "a_b");
    for (const char* text : {"default", "a b", "\"};evil();//", "日本", "1", "", "_", "template", "x\ny"}) {
        CHECK(is_identifier(identifier(text)));
    }
    CHECK_FALSE(is_identifier("a b"));
    CHECK_FALSE(is_identifier("1a"));
    CHECK_FALSE(is_identifier("_a"));
    CHECK_FALSE(is_identifier("a__b"));
    CHECK_FALSE(is_identifier("int"));
}

TEST_CASE("names that collide are numbered") {
    std::set<std::string> taken;
    CHECK(unique("a", taken) == "a");
    CHECK(unique("a", taken) == "a_2");
    CHECK(unique("a_2", taken) == "a_2_2");
    CHECK(unique("a", taken) == "a_3");
    CHECK(unique("default_", taken) == "default_");
    CHECK(unique("default_", taken) == "default_2");
}

TEST_CASE("singulars") {
    const std::pair<const char*, const char*> table[] = {{"containers", "container"},
                                                         {"policies", "policy"},
                                                         {"addresses", "address"},
                                                         {"status", "status"},
                                                         {"replica_statuses", "replica_status"},
                                                         {"host_aliases", "host_alias"},
                                                         {"ingress", "ingress"},
                                                         {"boxes", "box"},
                                                         {"env", "env"},
                                                         {"s", "s"},
                                                         {"analysis", "analysis"}};
    for (const auto& [from, to] : table) CHECK(singular(from) == to);
}

TEST_CASE("literals and comments hold no surprise") {
    CHECK(literal("plain") == "\"plain\"");
    CHECK(literal("a\"b\\c") == R"("a\"b\\c")");
    CHECK(literal("\n\x7f") == R"("\012\177")");
    CHECK(literal("?\?/1") == R"("\077\077/1")");
    CHECK(literal("ä") == R"("\303\244")");
    CHECK(literal(std::string_view("\0001", 2)) == R"("\0001")");
    CHECK(comment_text("OnDelete") == "OnDelete");
    CHECK(comment_text("a\nb").empty());
    CHECK(comment_text("a\\").empty());
    CHECK(comment_text("a?\?/").empty());
    CHECK(comment_text(std::string(300, 'a')).empty());
    CHECK(printable("a\x1b[31m\n") == "a?[31m?");
    CHECK(printable(std::string(300, 'a')).size() == 203);
}

TEST_CASE("inline types are named for what they have in common, or for where they are") {
    std::set<std::string> taken;
    using path = std::vector<std::string>;
    CHECK(name_of_type({path{"job", "container", "liveness_probe"}, path{"job", "container", "readiness_probe"}},
                       taken) == "probe");
    CHECK(name_of_type({path{"job", "spec"}}, taken) == "job_spec");
    CHECK(name_of_type({path{"job", "spec", "worker", "template"}}, taken) == "worker_template");
    CHECK(name_of_type({path{"job", "spec", "worker", "template", "spec"}}, taken) == "worker_template_spec");
    CHECK(name_of_type({path{"job", "spec", "startup", "probe"}}, taken) == "startup_probe");
    CHECK(name_of_type({path{"job", "spec", "startup", "probe"}}, taken) == "job_spec_startup_probe");
    CHECK(name_of_type({path{"job", "spec", "startup", "probe"}}, taken) == "job_spec_startup_probe_2");
    CHECK(name_of_type({path{"job", "post_start"}, path{"job", "pre_stop"}}, taken) == "post_start");
    CHECK(name_of_type({path{"job", "class"}}, taken) == "class_");
}

TEST_CASE("the family of a member") {
    const std::pair<const char*, const char*> table[] = {
        {"liveness_probe", "probe"},
        {"probe", "probe"},
        {"secret_key_ref", "secret_key_ref"},
        {"node_stage_secret_ref", "secret_ref"},
        {"spec", "spec"},
        {"job_spec", "job_spec"},
        {"x", "x"},
    };
    for (const auto& [from, to] : table) CHECK(family_of(from) == to);
}
