"""policy_webhook before a real API server: its manifests applied, its own account, rules that change, and the audit.

KCONTROL_EXAMPLES is the folder of the programs of examples/. Run alone: run.py test_policy_webhook
"""
import base64
import json
import pathlib
import subprocess
import unittest

import cluster
import probes
import server
import wait
import webhooks

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "examples" / "apps" / "policy_webhook" / "deploy" / "base"
NAMESPACE = "policy-webhook"
CONFIGURATIONS = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")
WARN = {"mode": "warn", "exemptNamespaces": ["kube-system"], "gpus": {"resource": "nvidia.com/gpu", "multipleOf": 2},
        "defaults": {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]}}


class PolicyWebhookTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.app("policy_webhook")
        cls.real = server.Server("policy-webhook")
        cls.addClassCleanup(cls.real.stop)
        assets, _ = cluster.find_assets(server_only=True)
        cls.kubectl_program = f"{assets}/kubectl"
        # The API server is served by itself: the Namespace's default account is made by a controller that is not there.
        cls.applied = json.loads(cls.kubectl("apply", "-k", DEPLOY, "-o", "json"))["items"]
        cls.kubectl("delete", *CONFIGURATIONS[0:1], NAMESPACE)
        cls.kubectl("delete", *CONFIGURATIONS[1:2], NAMESPACE)
        cls.kubectl("create", "namespace", "team")
        for ns in ("team", NAMESPACE):
            cls.kubectl("-n", ns, "create", "serviceaccount", "default")
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1"}}
        cls.real.ask("POST", "/api/v1/nodes", json.dumps(node))
        cls.real.ask("PATCH", "/api/v1/nodes/gpu-1/status", json.dumps(
            {"status": {"allocatable": {"nvidia.com/gpu": "8"}, "capacity": {"nvidia.com/gpu": "8"}}}),
            "application/merge-patch+json")
        webhooks.issue(cls.real.work / "certificates")
        cls.rules = cls.real.work / "rules.yaml"
        cls.write(WARN)
        cls.replica = webhooks.Replica(
            cls.real, "policy", "--webhook-cert-path", cls.real.work / "certificates", "--rules", cls.rules,
            "--audit-period", "1s", program=cls.program, kubeconfig=cls.account())
        cls.addClassCleanup(cls.replica.kill)
        cls.replica.wait_ready()
        cls.register()

    @classmethod
    def kubectl(cls, *arguments, stdin=None):
        run = subprocess.run([cls.kubectl_program, "--kubeconfig", cls.real.kubeconfig, *arguments], input=stdin,
                             capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(map(str, arguments))}: {run.stderr}")
        return run.stdout

    @classmethod
    def account(cls):
        """A kubeconfig of the manifests' ServiceAccount: what it may not do shows."""
        file = cls.real.work / "account.kubeconfig"
        config = json.loads(cls.kubectl("config", "view", "--raw", "-o", "json"))
        config["users"][0]["user"] = {"token": cls.kubectl("-n", NAMESPACE, "create", "token", NAMESPACE).strip()}
        file.write_text(json.dumps(config))
        return file

    @classmethod
    def made(cls, text, where):
        """The objects that kubectl makes of a text."""
        out, found, decoder = cls.kubectl("create", f"--dry-run={where}", "-o", "json", "-f", "-", stdin=text), [], json.JSONDecoder()
        while out.strip():
            one, end = decoder.raw_decode(out.lstrip())
            found += one["items"] if one["kind"] == "List" else [one]
            out = out.lstrip()[end:]
        return found

    @classmethod
    def printed(cls, *words):
        text = subprocess.run([cls.program, "--print-webhooks", *words], check=True, capture_output=True, text=True).stdout
        return cls.made(text, "client")

    @classmethod
    def register(cls):
        trusted = base64.b64encode((cls.real.work / "certificates" / "ca.crt").read_bytes()).decode()
        made = cls.printed("--webhook-url", f"https://127.0.0.1:{cls.replica.port}")
        for each in made:
            for hook in each["webhooks"]:
                hook["clientConfig"]["caBundle"] = trusted
        cls.kubectl("apply", "-f", "-", stdin="---\n".join(json.dumps(m) + "\n" for m in made))
        wait.until("the configurations are not heeded", lambda: "tolerations" in
                   cls.pod("canary", {"nvidia.com/gpu": 2}, dry_run=True)[1].get("spec", {}))

    @classmethod
    def write(cls, rules):
        new = cls.rules.with_suffix(".new")
        new.write_text(json.dumps(rules))
        new.rename(cls.rules)

    @classmethod
    def pod(cls, name, limits, dry_run=False, requests=None, owner=None):
        body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "ownerReferences": [owner] if owner else []},
                "spec": {"containers": [{"name": "main", "image": "example.com/train",
                                         "resources": {"limits": limits, "requests": requests or limits}}]}}
        return cls.real.ask("POST", "/api/v1/namespaces/team/pods" + ("?dryRun=All" if dry_run else ""), json.dumps(body))

    def events(self, reason):
        return [e for e in self.real.ask("GET", "/apis/events.k8s.io/v1/events")[1]["items"] if e["reason"] == reason]

    def test_1_the_manifests_say_what_the_program_says(self):
        """What a server makes of both: defaults are set, and the authority is left out."""
        wanted = {i["kind"]: i for i in self.applied if i["kind"].endswith("WebhookConfiguration")}
        text = "---\n".join(json.dumps({**i, "metadata": {"name": "printed"}}) + "\n" for i in self.printed())
        both = self.made(text, "server")
        self.assertEqual({m["kind"] for m in both}, set(wanted))
        for made in both:
            with self.subTest(made["kind"]):
                self.assertEqual(made["webhooks"], wanted[made["kind"]]["webhooks"])

    def test_2_what_a_rule_warns_of_is_let_in_and_audited(self):
        code, made = self.pod("three", {"nvidia.com/gpu": 3})
        self.assertEqual(code, 201, made)
        self.assertIn({"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}, made["spec"]["tolerations"])
        wait.until("the audit does not tell", lambda: self.events("PolicyViolation"))
        told = self.events("PolicyViolation")
        self.assertEqual({e["regarding"]["name"] for e in told}, {"three"})
        self.assertIn('policy_webhook_audited_pods{rule="gpu-count"} 1', self.replica.get("/metrics"))

    def test_3_what_a_rule_enforces_is_refused_by_field(self):
        self.write({**WARN, "mode": "enforce"})
        wait.until("the rules are not read", lambda: self.pod("canary", {"nvidia.com/gpu": 3}, dry_run=True)[0] == 422)
        code, status = self.pod("three-more", {"nvidia.com/gpu": 3})
        self.assertEqual((code, status["reason"]), (422, "Invalid"))
        self.assertIn("multiple of 2", status["message"])
        self.assertTrue(status["details"]["causes"][0]["field"].startswith("spec"), status)
        self.assertEqual(self.pod("ten", {"nvidia.com/gpu": 10})[0], 422)
        self.assertEqual(self.pod("two", {"nvidia.com/gpu": 2})[0], 201)
        code, owner = self.real.ask("POST", "/apis/apps/v1/namespaces/team/replicasets", json.dumps(
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "trainers"},
             "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {
                 "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}))
        self.assertEqual(code, 201, owner)
        reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "trainers", "uid": owner["metadata"]["uid"],
                     "controller": True}
        self.assertEqual(self.pod("owned", {"nvidia.com/gpu": 3}, owner=reference)[0], 422)
        wait.until("its controller does not hear", lambda: self.events("PolicyRefused"))
        self.assertEqual(self.events("PolicyRefused")[0]["regarding"]["name"], "trainers")

    def test_4_a_broken_file_changes_nothing(self):
        self.rules.write_text("mode: [")
        wait.until("it is not told", lambda: "policy_webhook_rules_errors_total 1" in self.replica.get("/metrics"))
        self.assertEqual(self.pod("four-more", {"nvidia.com/gpu": 3})[0], 422)

    def test_5_its_account_may_do_what_it_does(self):
        log = self.replica.log.read_text()
        self.assertNotIn("forbidden", log)


if __name__ == "__main__":
    unittest.main()
