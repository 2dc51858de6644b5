// A user's program whose clusters are rows of a table: consumer FILE
#include <kcontrol/api_beta/scheduling/v1beta1.hpp>
#include <kcontrol/cel/environment.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/records/sqlite_records.hpp>
#include <kcontrol/scheduling/cache.hpp>

#include <cstdio>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const auto records = kcontrol::sqlite_records::open(argv[1]);
    if (!records) return std::fprintf(stderr, "%s\n", records.error().what().c_str()), 1;
    kcontrol::cluster_record lab("lab");
    lab.path = "/lab.yaml";
    if (!(*records)->put(lab)) return 1;
    const auto seen = (*records)->poll(false);
    if (!seen || !*seen || (*seen)->size() != 1) return 1;
    kcontrol::scheduling::cache cache;  // of the other libraries of their own
    if (!cache.snapshot().nodes().empty()) return 1;
    const auto twice = kcontrol::cel::environment().declare("n", kcontrol::cel::type::integer()).compile("n * 2");
    if (!twice || *twice->evaluate({{"n", 21}})->get<std::int64_t>() != 42) return 1;
    if (kcontrol::to_json(kcontrol::api::scheduling::v1beta1::pod_group()).empty()) return 1;
    std::puts("kcontrol::records works");
    return 0;
}
