// A cluster as somebody wrote it down (a row of a table, an entry of an inventory), and where such records are.
#pragma once

#include <kcontrol/base/error.hpp>
#include <kcontrol/base/result.hpp>
#include <kcontrol/base/secret_string.hpp>
#include <kcontrol/multicluster/cluster_source.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What a record says of one cluster.
class cluster_record {
public:
    cluster_record() = default;
    explicit cluster_record(std::string n) : name(std::move(n)) {}  ///< that says nothing but the cluster's name yet

    std::string name;            ///< the cluster's
    secret_string kubeconfig;    ///< its text; empty: it is read from the file `path`
    std::string path;            ///< of the kubeconfig: relative paths in it mean beside it, and errors begin with it
    std::string context;         ///< of the kubeconfig; empty: its current one
    cluster_labels labels;       ///< for those who choose among clusters
    std::string revision;        ///< another one after each change of the record; empty: nobody counts
    std::optional<error> fault;  ///< why the record can't be used, whatever else it says
};

/// Where records are. Derive from it to have those of a database or an inventory of your own.
///
/// Thread-safety: a record_source makes one call at a time, on its worker.
class cluster_records {
public:
    virtual ~cluster_records() = default;

    /// All records, or nothing where none has changed since the last call that gave them; with `anyway`, all of them in
    /// any case. It may block.
    /// Errors: whatever keeps them from being read; then the records stay as they were.
    virtual result<std::optional<std::vector<cluster_record>>> poll(bool anyway) = 0;
};

}  // namespace kcontrol
