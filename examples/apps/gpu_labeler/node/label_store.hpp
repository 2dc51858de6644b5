// Where marks are kept: a Node, a NodeFeature object, or a file that Node Feature Discovery reads.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/runtime/executor.hpp>

#include "node/node_marks.hpp"
#include "node/refused_marks.hpp"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace gpu_labeler {

/// Thread-safety: shared objects unsafe; use it on the executor of the client it was made with.
/// Object lifetime: outlives its calls.
class label_store {
public:
    virtual ~label_store() = default;

    /// What it is, for messages: `Node worker-1`.
    virtual const std::string& name() const noexcept = 0;

    /// What is there of ours. Changes nothing. Errors say what to do about them.
    virtual kcontrol::awaitable<kcontrol::result<node_marks>> look(std::stop_token stop) = 0;

    /// Makes these the marks that are ours; what was ours before and is not among them goes.
    virtual kcontrol::awaitable<kcontrol::result<void>> write(node_marks wanted, std::stop_token stop) = 0;

    /// Which of these are refused, after a write that the server refused as Invalid; see refused_marks.hpp. Changes
    /// nothing.
    virtual kcontrol::awaitable<kcontrol::result<std::vector<refused_mark>>> find_refused(node_marks wanted,
                                                                                          std::stop_token stop) {
        (void)wanted, (void)stop;
        co_return std::vector<refused_mark>();
    }

    /// Removes all that is ours; that nothing is there is no error.
    virtual kcontrol::awaitable<kcontrol::result<void>> clear(std::stop_token stop) = 0;
};

/// The node itself, by server-side apply: `patch` on nodes is the only right that it needs. A Node that does not exist
/// is not created: look() comes before the first write, and fails.
std::unique_ptr<label_store> make_node_store(kcontrol::client api, std::string node);

/// A NodeFeature `kcontrol-gpu-labeler-NODE`; needs create, patch and delete on nodefeatures.nfd.k8s-sigs.io in that
/// namespace.
std::unique_ptr<label_store> make_node_feature_store(kcontrol::client api, std::string node, std::string in_namespace);

/// A file of `key=value` lines in Node Feature Discovery's directory features.d, replaced at once. Annotations have no
/// place in it. Blocks for as long as the file system does.
std::unique_ptr<label_store> make_file_store(kcontrol::environment& env, std::string path);

/// None: what is written is remembered, and nobody sees it.
std::unique_ptr<label_store> make_no_store();

}  // namespace gpu_labeler
