// Every definition of kcontrol::scheduling, for a build without CMake: include it in one source file of yours.
// Written by tools/check_umbrella.py --write.
#pragma once

#ifndef KCONTROL_SEPARATE_COMPILATION
#error "kcontrol/scheduling/src.hpp is for compiled mode: define KCONTROL_SEPARATE_COMPILATION in every source file"
#endif

#include <kcontrol/scheduling/impl/cache.ipp>
#include <kcontrol/scheduling/impl/claim_binder.ipp>
#include <kcontrol/scheduling/impl/claim_catalog.ipp>
#include <kcontrol/scheduling/impl/cluster_event.ipp>
#include <kcontrol/scheduling/impl/configuration.ipp>
#include <kcontrol/scheduling/impl/configuration_part.ipp>
#include <kcontrol/scheduling/impl/cycle.ipp>
#include <kcontrol/scheduling/impl/cycle_kept.ipp>
#include <kcontrol/scheduling/impl/cycle_many.ipp>
#include <kcontrol/scheduling/impl/decision.ipp>
#include <kcontrol/scheduling/impl/default_plugins.ipp>
#include <kcontrol/scheduling/impl/device_allocator.ipp>
#include <kcontrol/scheduling/impl/device_cel.ipp>
#include <kcontrol/scheduling/impl/device_inventory.ipp>
#include <kcontrol/scheduling/impl/dynamic_resources.ipp>
#include <kcontrol/scheduling/impl/extended_claim.ipp>
#include <kcontrol/scheduling/impl/gang_book.ipp>
#include <kcontrol/scheduling/impl/gang_claim.ipp>
#include <kcontrol/scheduling/impl/image_locality.ipp>
#include <kcontrol/scheduling/impl/inter_pod_affinity.ipp>
#include <kcontrol/scheduling/impl/inter_pod_affinity_score.ipp>
#include <kcontrol/scheduling/impl/interned_name.ipp>
#include <kcontrol/scheduling/impl/node_affinity.ipp>
#include <kcontrol/scheduling/impl/node_info.ipp>
#include <kcontrol/scheduling/impl/node_resources_balanced_allocation.ipp>
#include <kcontrol/scheduling/impl/node_resources_fit.ipp>
#include <kcontrol/scheduling/impl/node_scores.ipp>
#include <kcontrol/scheduling/impl/node_unschedulable.ipp>
#include <kcontrol/scheduling/impl/nominations.ipp>
#include <kcontrol/scheduling/impl/plugin_registry.ipp>
#include <kcontrol/scheduling/impl/pod_binder.ipp>
#include <kcontrol/scheduling/impl/pod_group_watch.ipp>
#include <kcontrol/scheduling/impl/pod_info.ipp>
#include <kcontrol/scheduling/impl/pod_terms.ipp>
#include <kcontrol/scheduling/impl/pod_topology_spread.ipp>
#include <kcontrol/scheduling/impl/pod_topology_spread_score.ipp>
#include <kcontrol/scheduling/impl/preemption.ipp>
#include <kcontrol/scheduling/impl/profile.ipp>
#include <kcontrol/scheduling/impl/profile_decider.ipp>
#include <kcontrol/scheduling/impl/refusals.ipp>
#include <kcontrol/scheduling/impl/resource_amounts.ipp>
#include <kcontrol/scheduling/impl/resource_weights.ipp>
#include <kcontrol/scheduling/impl/run_scheduler.ipp>
#include <kcontrol/scheduling/impl/scheduler.ipp>
#include <kcontrol/scheduling/impl/scheduler_core.ipp>
#include <kcontrol/scheduling/impl/scheduler_core_answers.ipp>
#include <kcontrol/scheduling/impl/scheduler_core_decisions.ipp>
#include <kcontrol/scheduling/impl/scheduler_metrics.ipp>
#include <kcontrol/scheduling/impl/scheduler_term.ipp>
#include <kcontrol/scheduling/impl/scheduling_queue.ipp>
#include <kcontrol/scheduling/impl/snapshot.ipp>
#include <kcontrol/scheduling/impl/taint_toleration.ipp>
#include <kcontrol/scheduling/impl/tolerations.ipp>
#include <kcontrol/scheduling/impl/topology.ipp>
#include <kcontrol/scheduling/impl/trial.ipp>
#include <kcontrol/scheduling/impl/volume_binder.ipp>
#include <kcontrol/scheduling/impl/volume_binding.ipp>
#include <kcontrol/scheduling/impl/volume_catalog.ipp>
