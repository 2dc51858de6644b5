#pragma once

#include <kcontrol/cluster/read_counts.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL void write_read_metrics(metrics_writer& out, const std::string& cluster, const read_counts_by_kind& all) {
    for (const auto& [gvk, of] : all) {
        metric_labels labels{{"cluster", cluster}, {"kind", gvk.kind}, {"api_version", gvk.api_version()}};
        const auto count = [&](const char* name, const char* help, const char* label, const char* value,
                               std::uint64_t number) {
            metric_labels with = labels;
            with[label] = value;
            out.counter(name, help, with, static_cast<double>(number));
        };
        const auto read = [&](const char* answer, std::uint64_t number) {
            count("kcontrol_cache_reads_total",
                  "Reads through the cluster's client, by who answered: the cache, the server and why, or nobody.",
                  "answer", answer, number);
        };
        read("cache", of.cached);
        read("server_not_watched", of.not_watched);
        read("server_after_conflict", of.after_conflict);
        read("server_metadata_only", of.metadata_only);
        read("server_after_own_write", of.after_own_write);
        read("server_no_index", of.no_index);
        read("server_page", of.paged);
        read("out_of_scope", of.out_of_scope);
        read("not_synced", of.not_synced);
        read("too_old", of.too_old);
        const auto wait = [&](const char* reason, std::uint64_t number) {
            count("kcontrol_cache_read_waits_total", "Reads that waited for the cache.", "reason", reason, number);
        };
        wait("sync", of.sync_waits);
        wait("version", of.version_waits);
        wait("own_write", of.own_write_waits);
    }
}

KCONTROL_DECL void write_audit_metrics(metrics_writer& out, const std::string& cluster,
                                       const audit_counts_by_kind& all) {
    for (const auto& [gvk, of] : all) {
        const metric_labels labels{{"cluster", cluster}, {"kind", gvk.kind}, {"api_version", gvk.api_version()}};
        const auto ended = [&](const char* how, std::uint64_t number) {
            metric_labels with = labels;
            with["result"] = how;
            out.counter("kcontrol_cache_audits_total", "Comparisons of a cache with its server.", with,
                        static_cast<double>(number));
        };
        ended("clean", of.clean);
        ended("different", of.different);
        ended("inconclusive", of.inconclusive);
        out.gauge("kcontrol_cache_audit_differences", "Objects in which cache and server differ; the log names them.",
                  labels, static_cast<double>(of.differences));
    }
}

}  // namespace kcontrol
