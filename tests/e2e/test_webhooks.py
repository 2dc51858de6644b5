"""Webhooks before a real API server: defaults, refusals, conversion, and what becomes of creates where the webhook is slow,
gone or shows another certificate; and a rolling update of two replicas under load, with failurePolicy Fail.

KCONTROL_PROBES is the folder of webhook_probe; KCONTROL_WEBHOOK_RATE the creates a second of the rolling update (200),
KCONTROL_WEBHOOK_CREATES those that are in flight at once (1000). Run alone: run.py test_webhooks
"""
import base64
import collections
import concurrent.futures
import json
import os
import signal
import ssl
import subprocess
import unittest

import ports
import probes
import server
import wait
import webhooks

TABS = webhooks.TABS
OLD_TABS = "/apis/hooks.kcontrol.dev/v1beta1/namespaces/default/tabs"
REGISTRATIONS = "/apis/admissionregistration.k8s.io/v1"
MERGE = "application/merge-patch+json"


class WebhooksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = probes.program("webhook_probe")
        cls.real = server.Server("webhooks")
        cls.addClassCleanup(cls.real.stop)
        cls.certificates = cls.real.work / "certificates"
        webhooks.issue(cls.certificates)
        cls.service = webhooks.Service()
        cls.addClassCleanup(cls.service.stop)
        cls.url = f"https://127.0.0.1:{cls.service.port}"
        crd = subprocess.run([program, "crd", cls.url + "/convert", cls.certificates / "ca.crt"], check=True,
                             capture_output=True, text=True).stdout
        cls.start()
        cls.real.install_crd(crd, "application/json")

    @classmethod
    def start(cls):
        replica = webhooks.Replica(cls.real, f"replica-{len(cls.service.replicas)}", "--webhook-cert-path",
                                   cls.certificates)
        cls.addClassCleanup(replica.kill)
        replica.wait_ready()
        cls.service.replicas.append(replica)
        wait.until("no endpoint", lambda: replica.port in cls.service.endpoints)
        return replica

    def register(self, kind="Validating", url=None, ca=None, policy="Fail", seconds=30, name="tabs"):
        """A configuration for the length of the test, once the API server heeds it."""
        verb = "mutate" if kind == "Mutating" else "validate"
        path = f"/{verb}-hooks-kcontrol-dev-v1-tab"
        body = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": f"{kind}WebhookConfiguration",
                "metadata": {"name": name},
                "webhooks": [{"name": f"{name}.hooks.kcontrol.dev", "sideEffects": "None",
                              "admissionReviewVersions": ["v1"], "failurePolicy": policy, "timeoutSeconds": seconds,
                              "clientConfig": {"url": (url or self.url) + path, "caBundle": base64.b64encode(
                                  (ca or self.certificates / "ca.crt").read_bytes()).decode()},
                              "rules": [{"apiGroups": ["hooks.kcontrol.dev"], "apiVersions": ["v1"],
                                         "operations": ["CREATE", "UPDATE", "DELETE"], "resources": ["tabs"]}]}]}
        # By a second one, which nobody answers, the API server shows that it heeds the configuration, or not any more.
        canary = json.loads(json.dumps(body["webhooks"][0]))
        canary.update({"name": f"canary.{name}.kcontrol.dev", "failurePolicy": "Fail", "timeoutSeconds": 1,
                       "objectSelector": {"matchLabels": {"canary": name}}})
        body["webhooks"][0]["objectSelector"] = {"matchExpressions": [{"key": "canary", "operator": "DoesNotExist"}]}
        canary["clientConfig"]["url"] = f"https://127.0.0.1:{ports.free_port()}/"
        body["webhooks"].append(canary)
        heeded = lambda: self.tab("canary", dry_run=True, metadata={"labels": {"canary": name}}, schedule="x")
        words = f'canary.{name}.kcontrol.dev'
        where = f"{REGISTRATIONS}/{kind.lower()}webhookconfigurations"
        code, answer = self.real.ask("POST", where, json.dumps(body))
        self.assertEqual(code, 201, answer)
        self.addCleanup(lambda: wait.until("the configuration is still heeded", lambda: words not in str(heeded()[1])))
        self.addCleanup(self.real.ask, "DELETE", f"{where}/{name}")
        wait.until(lambda: f"the configuration is not heeded: {heeded()}", lambda: words in str(heeded()[1]))

    def tab(self, name, dry_run=False, path=TABS, metadata=None, **spec):
        version = path.split("/")[3]
        body = {"apiVersion": f"hooks.kcontrol.dev/{version}", "kind": "Tab",
                "metadata": {"name": name, **(metadata or {})}, "spec": spec}
        return self.real.ask("POST", path + ("?dryRun=All" if dry_run else ""), json.dumps(body))

    def test_defaults_are_set(self):
        self.register("Mutating")
        code, made = self.tab("defaulted", schedule="* * * * *")
        self.assertEqual((code, made["spec"]), (201, {"schedule": "* * * * *", "replicas": 1}))

    def test_refusals_name_fields(self):
        self.register()
        code, status = self.tab("too-many", schedule="x", replicas=11)
        self.assertEqual((code, status["reason"]), (422, "Invalid"))
        self.assertIn('admission webhook "tabs.hooks.kcontrol.dev" denied the request: Tab.hooks.kcontrol.dev '
                      '"too-many" is invalid: spec.replicas: Invalid value: 11: must be at most 10', status["message"])
        self.assertEqual(status["details"]["causes"], [{"reason": "FieldValueInvalid", "field": "spec.replicas",
                                                        "message": "Invalid value: 11: must be at most 10"}])
        self.assertEqual(self.tab("kept", schedule="x")[0], 201)
        code, status = self.real.ask("PATCH", f"{TABS}/kept", '{"spec":{"schedule":"y"}}', MERGE)
        self.assertEqual(code, 422, status)
        self.assertIn("spec.schedule: Forbidden: admin may not change it", status["message"])
        self.assertEqual(self.real.ask("DELETE", f"{TABS}/kept")[0], 200)

    def test_a_function_that_throws_refuses(self):
        self.register(policy="Ignore")
        code, status = self.tab("throws", schedule="throw")
        self.assertEqual(code, 500, status)
        self.assertIn("the webhook's function threw: out of order", status["message"])

    def test_both_versions_are_served(self):
        self.assertEqual(self.tab("versions", schedule="0 5 * * *", replicas=3, metadata={"labels": {"a": "b"}})[0], 201)
        code, old = self.real.ask("GET", f"{OLD_TABS}/versions")
        self.assertEqual((code, old["spec"]), (200, {"cron": "0 5 * * *", "replicas": 3}))
        self.assertEqual(old["metadata"]["labels"], {"a": "b"})
        code, new = self.tab("from-old", path=OLD_TABS, cron="@daily")
        self.assertEqual(code, 201, new)
        self.assertEqual(self.real.ask("GET", f"{TABS}/from-old")[1]["spec"], {"schedule": "@daily"})
        code, listed = self.real.ask("GET", OLD_TABS)
        self.assertEqual(code, 200)
        self.assertTrue(all("cron" in item["spec"] for item in listed["items"]))
        code, status = self.tab("never", path=OLD_TABS, cron="never")
        self.assertEqual(code, 500, status)
        self.assertIn("request.objects[0]: spec.cron: never is no time", status["message"])

    def test_a_wrong_authority_is_a_failure(self):
        other = self.real.work / "other"
        webhooks.issue(other)
        self.register(ca=other / "ca.crt")
        code, status = self.tab("unknown-authority", schedule="x")
        self.assertEqual(code, 500, status)
        self.assertIn("failed calling webhook", status["message"])

    def test_a_slow_webhook_is_a_failure_by_its_policy(self):
        for policy, wanted in (("Fail", 500), ("Ignore", 201)):
            with self.subTest(policy):
                self.register(policy=policy, seconds=1, name=f"slow-{policy.lower()}")
                code, answer = self.tab(f"slow-{policy.lower()}", schedule="x", waitMs=30000)
                self.assertEqual(code, wanted, answer)
                self.doCleanups()

    def test_a_dead_webhook_is_a_failure_by_its_policy(self):
        nobody = f"https://127.0.0.1:{ports.free_port()}"
        for policy, wanted in (("Fail", 500), ("Ignore", 201)):
            with self.subTest(policy):
                self.register(url=nobody, policy=policy, name=f"dead-{policy.lower()}")
                self.assertEqual(self.tab(f"dead-{policy.lower()}", schedule="x")[0], wanted)
                self.doCleanups()

    def test_an_object_of_three_megabytes(self):
        self.register("Mutating", name="large")
        code, answer = self.tab("large", dry_run=True, schedule="x" * (2900 << 10))
        self.assertEqual(code, 201, str(answer)[:500])
        self.assertEqual(answer["spec"]["replicas"], 1)

    def test_many_creates_in_flight(self):
        self.register("Mutating", name="many-mutating")
        self.register(name="many")
        count = int(os.environ.get("KCONTROL_WEBHOOK_CREATES", "1000"))
        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            codes = collections.Counter(pool.map(
                lambda i: self.tab(f"many-{i}", dry_run=True, schedule="x")[0], range(count)))
        self.assertEqual(codes, {201: count})

    def test_a_renewed_certificate_is_shown(self):
        replica = self.service.replicas[-1]
        folder = self.certificates
        before = (folder / "ca.crt").read_bytes()
        pair = [(folder / f).read_bytes() for f in ("tls.crt", "tls.key")]
        webhooks.issue(folder, "renewed")
        try:
            self.register(name="renewed")
            wait.until("the new certificate is not shown", lambda: self.tab(
                "renewed", dry_run=True, schedule="x")[0] == 201)
            self.assertIn("certwatcher_read_certificate_total", replica.get("/metrics"))
        finally:
            (folder / "ca.crt").write_bytes(before)
            (folder / "tls.crt").write_bytes(pair[0])
            (folder / "tls.key").write_bytes(pair[1])
            shown = lambda: ssl.get_server_certificate(("127.0.0.1", replica.port)).strip()
            wait.until("the old certificate is not shown again", lambda: shown() == pair[0].decode().strip())

    def test_a_rolling_update_refuses_nobody(self):
        self.register(name="rolling")
        self.start()
        rate = int(os.environ.get("KCONTROL_WEBHOOK_RATE", "200"))
        with webhooks.Load(self.real, rate) as load:
            load.go_on()
            for _ in range(2):
                old = self.service.replicas[0]
                self.start()
                old.process.send_signal(signal.SIGTERM)
                self.assertEqual(old.process.wait(60), 0, old.log.read_text()[-2000:])
                self.service.replicas.remove(old)
            load.go_on()
        print(f"rolling update: {load}")
        self.assertEqual(set(load.codes), {201}, load.failures[:3])
        self.assertGreater(load.codes.total(), load.seconds * rate / 20)


if __name__ == "__main__":
    unittest.main()
