// What servers that the job names say: the version of the data, pinned before there are pods, and watched from then on;
// the hash of the checkpoint to go on with.
#include "decide/checkpoints.hpp"
#include "decide/decision.hpp"
#include "job/names.hpp"

namespace training_operator {

plan decision::data_check() {
    if (!is_clear()) return remove_all();
    if (!job_.spec.dataset) return begin();
    if (!facts_.dataset) return out_;  // it is asked for
    const text& wanted = job_.spec.dataset->expected_version;
    if (!*facts_.dataset) {
        tell("DataReady", false, "VersionUnreadable",
             "the dataset's version can't be read: " + facts_.dataset->error().what(), true);
        return out_;
    }
    const std::string& version = **facts_.dataset;
    if (wanted != "latest" && wanted != version) {
        tell("DataReady", false, "VersionMismatch",
             "version " + wanted.str() + " is expected, and the dataset has version " + version, true);
        return out_;
    }
    out_.status.dataset_version = version;
    tell("DataReady", true, "VersionPinned", "version " + version + " is used");
    return begin();
}

void decision::watch_data() {
    const text& pinned = job_.status.dataset_version;
    const auto& now = facts_.dataset;
    if (pinned.empty() || !now || !*now || **now == pinned.view()) return;
    tell("DataReady", true, "VersionChanged",
         "version " + pinned.str() + " is used; the dataset has version " + **now + " by now");
}

// A server that has no hash leaves it to the ranks.
bool decision::resumable() {
    if (hash_url(job_).empty()) return true;
    const auto& read = facts_.checkpoint_hash;
    if (!read) return false;  // it is asked for
    const std::string which = "the checkpoint of step " + std::to_string(job_.status.checkpoint->step);
    if (!*read) {
        tell("CheckpointGood", false, "HashUnreadable", which + ": its hash can't be read: " + read->error().what(),
             true);
        return false;
    }
    const std::string& hash = **read;
    if (hash.empty()) return true;
    if (hash == job_.status.checkpoint->sha256.view()) {
        tell("CheckpointGood", true, "HashMatches", which + " has the hash that its server says");
        return true;
    }
    tell("CheckpointGood", false, "HashMismatch",
         which + " has the hash " + job_.status.checkpoint->sha256.str() + " by its rank, and " + hash +
             " by its server: it is refused",
         true);
    refuse_checkpoint(out_.status);
    return false;
}

}  // namespace training_operator
