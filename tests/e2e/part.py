"""The part of the end-to-end tests that every change must pass: each program and each room of the library once on a real
cluster, within 8 minutes. run.py --part runs it; test_harness.py checks that nothing is missing.

TESTS has for each test the programs and the rooms that it is chosen for; it touches others as well.
"""

# A room that no program uses on a cluster: what it does there is a matter of the rooms that it is made of.
ELSEWHERE = {
    "api_beta": "kinds of groups that a server serves on demand; tests/api_beta",
    "cel": "expressions, evaluated in a program; tests/cel, group conformance",
    "records": "a table of SQLite as a source of clusters; tests/records",
    "kcontrol-new": "makes a project; group package builds and tests it",
    "kcontrol-lint": "reads sources; groups lint and package run it",
    "controller_test": "a test of a controller; group readme runs it",
    "8_tests": "tests of a controller; group readme runs them",
}

TESTS = {
    # Programs.
    "test_monitor.Test1Lives.test_01_sample_manifests_succeed": ["training_monitor", "serve"],
    "test_monitor.Test1Lives.test_04_fail": ["training_monitor"],
    "test_monitor.Test1Lives.test_08_delete_a_running_job": ["training_monitor", "watch"],
    "test_monitor.Test2AlphaFails": ["training_monitor", "multicluster"],
    "test_labeler_node.LabelerOnANode.test_one_pass_and_a_second_that_has_nothing_to_write": ["gpu_labeler"],
    "test_labeler_node.LabelerOnANode.test_stale_labels_go_and_those_of_others_stay": ["gpu_labeler"],
    "test_training_operator.TrainingOperatorTest.test_a_job_that_ends_well": ["training_operator", "controller"],
    "test_training_operator.TrainingOperatorTest.test_spans": ["training_operator", "tracing"],
    "test_ray_operator.RayOperatorTest.test_an_invalid_specification_is_told": ["ray_operator"],
    "test_policy_webhook": ["policy_webhook", "documents"],
    "test_kc.KcTest.test_tables": ["kc", "json"],
    "test_kc.KcTest.test_changes": ["kc"],
    "test_configmap_sync": ["configmap_sync"],
    "test_follow.FollowTest": ["follow", "service"],
    "test_tutorial": ["1_hello", "2_configmap", "4_nodes", "5_any_kind", "6_clusters", "7_embedded", "9_lease",
                      "10_node", "10_scheduler", "11_endpoints", "12_follow", "13_lead", "14_register", "15_warnings",
                      "16_versions", "client", "informer", "cache", "workqueue", "runtime", "base"],
    "test_website": ["3_website", "manager", "leader"],
    "test_scheduler": ["10_scheduler", "scheduling"],
    "test_gpu_scheduler.GpuSchedulerTest.test_halves_at_once_on_eight_gpus_two_on_each": ["gpu_scheduler"],
    "test_inference_autoscaler": ["inference_autoscaler"],
    "test_inference_autoscaler_warm.WarmUpTest": ["inference_autoscaler"],
    "test_gpu_healer.GpuHealerTest": ["gpu_healer"],
    "test_program_needs": ["kcontrol-gen"],
    "test_transcode": ["kcontrol-transcode", "values"],
    "test_kubectl": ["kcontrol-apiserver", "testing"],
    # Rooms.
    "test_client": ["client", "http", "codec"],
    "test_shard_selector.ShardSelectorTest.test_of_a_server_that_ignores_it_the_rest_is_dropped": ["client"],
    "test_login.LoginTest.test_client_certificate": ["auth"],
    "test_login.LoginTest.test_exec_plugin_with_a_token": ["auth"],
    "test_http2": ["transport"],
    "test_schema.SchemaTest.test_both_agree_on_every_object": ["schema", "model"],
    "test_controllerutil.ControllerutilTest.test_the_kinds_are_installed_and_can_be_used_at_once": ["controllerutil"],
    "test_controllerutil.ControllerutilTest.test_the_other_helpers_do_nothing_the_second_time": ["controllerutil"],
    "test_events.EventsTest.test_events_v1": ["record"],
    "test_sources": ["controller", "cluster"],
    "test_cluster_sources.ClusterSourcesTest.test_secrets": ["multicluster"],
    "test_leadership.LeadershipTest.test_one_of_ours_follows_a_release_at_once": ["leader"],
    "test_fencing.FencingTest.test_no_write_of_a_former_leader_is_accepted": ["service"],
    "test_webhooks.WebhooksTest.test_defaults_are_set": ["webhook"],
    "test_webhooks.WebhooksTest.test_refusals_name_fields": ["webhook"],
    "test_webhooks.WebhooksTest.test_both_versions_are_served": ["webhook"],
    "test_secure_metrics.SecureMetricsTest.test_accounts_and_roles_decide": ["access", "metrics", "logging"],
    "test_lossless.OwnPartsTest": ["codec", "api"],
    "test_conformance.TestCollection": ["testing"],
    "test_server_under_test": ["testing"],
    "test_streams.StreamsTest.test_logs": ["transport"],
    # The harness itself, without a cluster.
    "test_harness": [],
}

NAMES = list(TESTS)
