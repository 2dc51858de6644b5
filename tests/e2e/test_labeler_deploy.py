"""The manifests under examples/apps/gpu_labeler/deploy, applied to a real API server, and the rights they give, used.

A pod of the DaemonSet is made by hand, with the node it would be on: nothing here schedules or runs it. Run alone:
run.py test_labeler_deploy
"""
import json
import os
import pathlib
import re
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import cluster
import labeler
import server
import wait

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "examples" / "apps" / "gpu_labeler" / "deploy"
LABELER = os.environ.get("KCONTROL_LABELER", "")
NVML = pathlib.Path(os.environ.get("KCONTROL_PROBES", "/nonexistent")) / "libfake_nvml.so"
INVENTORY = ROOT / "tests" / "fake_nvml" / "inventories" / "a100-x8.txt"
ACCOUNT = "system:serviceaccount:gpu-labeler:gpu-labeler"
NFD = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
       "metadata": {"name": "nodefeatures.nfd.k8s-sigs.io"},
       "spec": {"group": "nfd.k8s-sigs.io", "scope": "Namespaced",
                "names": {"kind": "NodeFeature", "plural": "nodefeatures", "singular": "nodefeature", "listKind": "NodeFeatureList"},
                "versions": [{"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                    "type": "object", "x-kubernetes-preserve-unknown-fields": True}}}]}}


class Deploy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = server.Server("labeler-deploy")
        cls.addClassCleanup(cls.server.stop)
        assets, _ = cluster.find_assets(server_only=True)
        cls.program = f"{assets}/kubectl"
        for name in ("gpu-1", "gpu-2"):
            code, said = cls.server.ask("POST", "/api/v1/nodes", json.dumps(
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"nvidia.com/gpu.present": "true", "team": "ml"}}}))
            assert code == 201, said

    def kubectl(self, *arguments, stdin=None, config=None):
        return subprocess.run([self.program, "--kubeconfig", config or self.server.kubeconfig, *arguments], input=stdin,
                              capture_output=True, text=True)

    def done(self, *arguments, **more):
        run = self.kubectl(*arguments, **more)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def apply(self, *parts):
        """Applies base with these components. The objects by kind and name."""
        folder = DEPLOY / parts[0]
        if parts[0] != "base" and parts[0] != "full":
            made = tempfile.TemporaryDirectory(dir=DEPLOY)   # kustomize takes what lies elsewhere by relative paths only
            self.addCleanup(made.cleanup)
            folder = pathlib.Path(made.name)
            (folder / "kustomization.yaml").write_text(json.dumps({
                "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": ["../base"],
                "components": [f"../components/{p}" for p in parts]}))
        items = json.loads(self.done("apply", "-k", folder, "-o", "json"))["items"]
        self.addCleanup(lambda: self.kubectl("delete", "--wait=false", "validatingadmissionpolicybinding", "gpu-labeler-own-node",
                                             "--ignore-not-found"))
        return {(item["kind"], item["metadata"]["name"]): item for item in items}

    def admitted(self, made, node="gpu-1"):
        """A pod of the DaemonSet as its controller would make it: its name. Fails where it is not admitted."""
        template = made["DaemonSet", "gpu-labeler"]["spec"]["template"]
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {**template["metadata"], "name": f"pod-{os.urandom(4).hex()}"},
               "spec": {**template["spec"], "nodeName": node}}
        out = self.done("-n", "gpu-labeler", "create", "-f", "-", "-o", "json", stdin=json.dumps(pod))
        return json.loads(out)

    def token(self, pod=None):
        """The labeler's token: of that pod, or of the account alone."""
        bound = ["--bound-object-kind=Pod", f"--bound-object-name={pod['metadata']['name']}",
                 f"--bound-object-uid={pod['metadata']['uid']}"] if pod else []
        return self.done("-n", "gpu-labeler", "create", "token", "gpu-labeler", *bound).strip()

    def config(self, token):
        file = pathlib.Path(self.server.work) / f"labeler-{os.urandom(4).hex()}.kubeconfig"
        text = pathlib.Path(self.server.kubeconfig).read_text()
        file.write_text(re.sub(r"user: \{client-certificate-data.*?\}", f"user: {{token: {token}}}", text))
        return file

    def may(self, verb, resource):
        resource, _, part = resource.partition("/")
        more = [f"--subresource={part}"] if part else []
        return self.kubectl("auth", "can-i", verb, resource, *more, "--as", ACCOUNT).stdout.strip() == "yes"

    def patch(self, token, node, patch, part=""):
        """kubectl reads before it patches, which the labeler may not. (status, what is said)."""
        request = urllib.request.Request(
            f"{self.server.url}/api/v1/nodes/{node}{part}", method="PATCH", data=json.dumps(patch).encode(),
            headers={"Content-Type": "application/merge-patch+json", "Authorization": f"Bearer {token}"})
        try:
            context = ssl.create_default_context(cafile=self.server.work / "ca.crt")
            with urllib.request.urlopen(request, context=context, timeout=60) as answer:
                return answer.status, ""
        except urllib.error.HTTPError as answer:
            return answer.code, json.load(answer)["message"]

    def test_1_its_pod_is_admitted_where_restricted_is_enforced(self):
        made = self.apply("base")
        self.assertEqual(made["Namespace", "gpu-labeler"]["metadata"]["labels"]["pod-security.kubernetes.io/enforce"], "restricted")
        container = self.admitted(made)["spec"]["containers"][0]
        self.assertTrue(container["securityContext"]["readOnlyRootFilesystem"])
        self.assertIn({"name": "NODE_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}},
                      container["env"])

    def test_2_it_can_patch_nodes_and_do_nothing_else(self):
        self.apply("base")
        self.assertTrue(self.may("patch", "nodes"))
        for verb in ("get", "list", "watch", "create", "update", "delete", "deletecollection"):
            self.assertFalse(self.may(verb, "nodes"), verb)
        for resource in ("nodes/status", "nodes/proxy", "pods", "secrets", "configmaps", "daemonsets.apps"):
            for verb in ("get", "list", "create", "patch", "delete"):
                self.assertFalse(self.may(verb, resource), (verb, resource))

    def test_3_each_may_change_its_own_node_and_there_what_is_its_own(self):
        pod = self.admitted(self.apply("own-node"))
        mine, nobodys = self.token(pod), self.token()
        ours = {"metadata": {"labels": {"nvidia.com/gpu.count": "8"}, "annotations": {"kcontrol.dev/gpu-topology": "{}"}}}

        def refused(token, node, patch, why):
            code, said = self.patch(token, node, patch)
            self.assertIn(why, said)
            self.assertEqual(code, 422, said)

        # A policy comes into force a moment after it is made.
        wait.until("the policy is not in force", lambda: self.patch(mine, "gpu-2", ours)[0] != 200)
        refused(mine, "gpu-2", ours, 'a labeler may change the Node it runs on, which is "gpu-1", not "gpu-2"')
        refused(nobodys, "gpu-1", ours, 'which is ""')
        self.assertEqual(self.patch(mine, "gpu-1", ours), (200, ""))
        self.assertEqual(self.patch(mine, "gpu-1", {"metadata": {"labels": {"nvidia.com/gpu.count": None}}}), (200, ""))
        self.assertEqual(self.patch(mine, "gpu-1", {"status": {}}, "/status")[0], 403)
        for patch, why in (({"metadata": {"labels": {"team": "me"}}}, "labels nvidia.com/… and kcontrol.dev/gpu-health only"),
                           ({"metadata": {"labels": {"team": None}}}, "labels nvidia.com/… and kcontrol.dev/gpu-health only"),
                           ({"metadata": {"labels": {"kubernetes.io/role": "x"}}}, "labels nvidia.com/… and kcontrol.dev/gpu-health only"),
                           ({"metadata": {"annotations": {"x": "y"}}}, "annotations kcontrol.dev/… only"),
                           ({"metadata": {"finalizers": ["a.b/c"]}}, "labels and annotations only"),
                           ({"spec": {"unschedulable": True}}, "labels and annotations only"),
                           ({"spec": {"taints": [{"key": "x", "effect": "NoSchedule"}]}}, "labels and annotations only")):
            refused(mine, "gpu-1", patch, why)
        # Others are not concerned.
        self.done("patch", "node", "gpu-2", "--type=merge", "-p", '{"metadata": {"labels": {"team": "me"}}}')
        self.done("patch", "node", "gpu-2", "--type=merge", "-p", '{"metadata": {"labels": {"team": "ml"}}}')

    def test_3_health_may_be_told_and_nothing_else_of_the_status(self):
        pod = self.admitted(self.apply("health", "own-node"))
        self.assertIn("--report-health", pod["spec"]["containers"][0]["args"])
        for verb, resource in (("patch", "nodes"), ("patch", "nodes/status"), ("create", "events.events.k8s.io"),
                               ("patch", "events.events.k8s.io")):
            self.assertTrue(self.may(verb, resource), (verb, resource))
        for verb, resource in (("get", "nodes"), ("update", "nodes/status"), ("list", "events.events.k8s.io"), ("get", "pods")):
            self.assertFalse(self.may(verb, resource), (verb, resource))
        mine = self.token(pod)
        # A merge patch replaces the whole list; the Node of this test has no other condition.
        told = {"status": {"conditions": [{"type": "kcontrol.dev/GPUHealthy", "status": "False", "reason": "GPUFailed"}]}}
        wait.until("the policy is not in force", lambda: self.patch(mine, "gpu-2", told, "/status")[0] == 422)
        self.assertEqual(self.patch(mine, "gpu-1", told, "/status"), (200, ""))
        self.assertEqual(self.patch(mine, "gpu-1", {"metadata": {"labels": {"kcontrol.dev/gpu-health": "failed"}}}), (200, ""))
        for status in ({"capacity": {"nvidia.com/gpu": "64"}}, {"allocatable": {"cpu": "1"}},
                       {"conditions": [{"type": "Ready", "status": "True"}]}, {"addresses": [{"type": "InternalIP", "address": "::1"}]},
                       {"nodeInfo": {"kubeletVersion": "x"}}, {"volumesInUse": ["x"]}):
            code, said = self.patch(mine, "gpu-1", {"status": status}, "/status")
            self.assertEqual(code, 422, (status, said))
            self.assertIn("the condition kcontrol.dev/GPUHealthy only", said)
        # A node that was told to be bad is so for five minutes more, for the next test too.
        self.done("patch", "node", "gpu-1", "--subresource=status", "--type=merge", "-p", '{"status": {"conditions": null}}')
        self.done("label", "node", "gpu-1", "kcontrol.dev/gpu-health-")

    @unittest.skipUnless(labeler.is_built(), "the gpu_labeler program or its stand-in for NVML is not built")
    def test_3_the_program_tells_and_takes_it_away_again(self):
        pod = self.admitted(self.apply("health", "own-node"))
        flags = ["--node-name", "gpu-1", "--kubeconfig", self.config(self.token(pod)), "--report-health"]
        one = labeler.Labeler(INVENTORY, self.server.work / "health.log", "--sample-interval", "100ms", *flags)
        try:
            def told():
                node = self.server.ask("GET", "/api/v1/nodes/gpu-1")[1]
                mine = [c for c in node.get("status", {}).get("conditions", []) if c["type"] == "kcontrol.dev/GPUHealthy"]
                return (mine[0]["status"], node["metadata"]["labels"].get("kcontrol.dev/gpu-health")) if mine else None
            wait.until(lambda: "nothing is told; the log ends so: " + (self.server.work / "health.log").read_text()[-2000:],
                       lambda: told() == ("True", "ok"))
            manager = self.server.ask("GET", "/api/v1/nodes/gpu-1")[1]["metadata"]["managedFields"]
            self.assertIn(("kcontrol-gpu-health", "status"), [(m["manager"], m.get("subresource")) for m in manager])
        finally:
            one.stop()
        cleaned = labeler.run(INVENTORY, "--cleanup", *flags)
        self.assertEqual(cleaned.returncode, 0, cleaned.stderr)
        self.assertIsNone(told())

    def test_4_pods_and_the_runtime_class(self):
        self.done("apply", "-f", "-", stdin='{"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"},'
                                            '"handler": "nvidia"}')
        made = self.apply("full")
        pod = self.admitted(made)
        self.assertEqual(pod["spec"]["runtimeClassName"], "nvidia")
        self.assertEqual([v["hostPath"]["path"] for v in pod["spec"]["volumes"] if "hostPath" in v], ["/var/lib/kubelet/pod-resources"])
        mount = [m for m in pod["spec"]["containers"][0]["volumeMounts"] if m["name"] == "pod-resources"]
        self.assertTrue(mount[0]["readOnly"])
        self.assertEqual(pod["spec"]["containers"][0]["securityContext"]["capabilities"], {"drop": ["ALL"]})
        self.assertIn(("ValidatingAdmissionPolicy", "gpu-labeler-own-node"), made)

    def test_4_tls_and_pods_in_any_order(self):
        for parts in (("tls", "pods"), ("pods", "tls")):
            pod = self.admitted(self.apply(*parts))
            self.assertEqual(pod["metadata"]["annotations"]["prometheus.io/scheme"], "https")
            container = pod["spec"]["containers"][0]
            mounts = {m["name"]: m["mountPath"] for m in container["volumeMounts"]}
            self.assertEqual({v["secret"]["secretName"] for v in pod["spec"]["volumes"] if "secret" in v},
                             {"gpu-labeler-tls", "gpu-labeler-login"})
            self.assertIn("pod-resources", mounts)
            flags = dict(a.split("=", 1) for a in container["args"])
            self.assertEqual(flags["--tls-cert-file"], mounts["tls"] + "/tls.crt")
            self.assertEqual(flags["--tls-private-key-file"], mounts["tls"] + "/tls.key")
            self.assertEqual(flags["--token-file"], mounts["login"] + "/tokens")
            self.assertEqual(container["livenessProbe"]["httpGet"]["port"], "health")   # which asks without either

    def test_5_node_feature_needs_no_right_on_nodes(self):
        self.done("delete", "clusterrole,clusterrolebinding", "gpu-labeler", "gpu-labeler-health", "--ignore-not-found")
        self.server.install_crd(json.dumps(NFD), "application/json")
        made = self.apply("node-feature")
        self.assertNotIn(("ClusterRole", "gpu-labeler"), made)
        self.admitted(made)
        self.assertFalse(self.may("patch", "nodes"))
        config = self.config(self.token())
        feature = {"apiVersion": "nfd.k8s-sigs.io/v1alpha1", "kind": "NodeFeature", "metadata": {"name": "kcontrol-gpu-labeler-gpu-1"}}
        for _ in range(2):
            self.done("-n", "gpu-labeler", "apply", "--server-side", "--validate=false", "-f", "-", stdin=json.dumps(feature), config=config)
        for verb, namespace in (("get", "gpu-labeler"), ("list", "gpu-labeler"), ("patch", "default"), ("delete", "default")):
            run = self.kubectl("-n", namespace, "auth", "can-i", verb, "nodefeatures.nfd.k8s-sigs.io", "--as", ACCOUNT)
            self.assertEqual(run.stdout.strip(), "no", (verb, namespace))

    @unittest.skipUnless(os.access(LABELER, os.X_OK), "the gpu_labeler program is not built")
    def test_6_the_flags_are_flags_of_the_program(self):
        usage = subprocess.run([LABELER, "--help"], capture_output=True, text=True, check=True).stdout
        for parts in (("base",), ("node-feature",), ("health",), ("tls",)):
            rendered = self.apply(*parts)["DaemonSet", "gpu-labeler"]
            for argument in rendered["spec"]["template"]["spec"]["containers"][0]["args"]:
                self.assertRegex(usage, re.escape(argument.split("=")[0]) + r"\b")
        mounts = self.apply("pods")["DaemonSet", "gpu-labeler"]["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
        self.assertIn(mounts[0]["mountPath"] + "/kubelet.sock", usage)   # where it looks

    @unittest.skipUnless(os.access(LABELER, os.X_OK), "the gpu_labeler program is not built")
    def test_7_the_image_has_the_libraries_that_the_program_needs(self):
        image = (DEPLOY / "Dockerfile").read_text().split("FROM debian:12-slim")[1]
        installed = re.search(r"apt-get install [^&]*", image).group()
        listed = set(re.findall(r"\blib[a-z0-9.+-]+", installed))
        shared = subprocess.run(["ldd", LABELER], capture_output=True, text=True, check=True).stdout
        if "libasan" in shared:
            self.skipTest("a sanitized build")
        needed = set()
        for path in re.findall(r"=> (/\S+)", shared):
            for each in (pathlib.Path(path).resolve(), path):
                owner = subprocess.run(["dpkg", "-S", each], capture_output=True, text=True)
                if owner.returncode == 0:
                    break
            self.assertEqual(owner.returncode, 0, f"no package owns {path}")
            needed.add(owner.stdout.split(":")[0])
        needed -= {"libc6", "libgcc-s1"}   # every image has them
        self.assertEqual(needed - listed, set(), "not in the image")
        self.assertEqual(listed - needed, set(), "in the image, and nothing needs them")

    @unittest.skipUnless(os.access(LABELER, os.X_OK) and NVML.is_file(), "gpu_labeler or the fake NVML is not built")
    def test_8_the_program_works_with_these_rights_under_this_policy(self):
        pod = self.admitted(self.apply("own-node"), "gpu-2")
        token = self.token(pod)
        wait.until("the policy is not in force",
                   lambda: self.patch(token, "gpu-1", {"metadata": {"labels": {"nvidia.com/x": "y"}}})[0] != 200)

        def label(node):
            return subprocess.run([LABELER, "--once", "--node-name", node, "--kubeconfig", self.config(token), "--nvml", NVML,
                                   "--start-jitter", "0s"], capture_output=True, text=True, timeout=90, stdin=subprocess.DEVNULL,
                                  env={**os.environ, "KCONTROL_FAKE_NVML": str(INVENTORY)})

        done = label("gpu-2")
        self.assertEqual(done.returncode, 0, done.stderr)
        labels = json.loads(self.done("get", "node", "gpu-2", "-o", "json"))["metadata"]["labels"]
        self.assertEqual((labels["nvidia.com/gpu.count"], labels["team"]), ("8", "ml"))
        other = label("gpu-1")
        self.assertEqual(other.returncode, 1, other.stderr)
        self.assertIn("a labeler may change the Node it runs on", other.stderr)
        self.assertNotIn(token, done.stderr + other.stderr)

    @unittest.skipUnless(labeler.is_built(), "gpu_labeler or the fake NVML is not built")
    def test_9_a_node_that_is_registered_again_has_its_labels_within_a_minute(self):
        """With the shipped rights and policy. What a kubelet does when it starts is done by hand: it registers the Node,
        and writes new tokens into its pods' volumes."""
        pod = self.admitted(self.apply("own-node"), "gpu-2")
        folder = tempfile.TemporaryDirectory(prefix="kcontrol-labeler-")
        self.addCleanup(folder.cleanup)
        file = pathlib.Path(folder.name) / "token"

        def give_token():
            fresh = file.with_suffix(".fresh")
            fresh.write_text(self.token(pod))
            fresh.rename(file)

        give_token()
        config = pathlib.Path(folder.name) / "kubeconfig"
        config.write_text(re.sub(r"user: \{client-certificate-data.*?\}", f"user: {{tokenFile: {file}}}",
                                 pathlib.Path(self.server.kubeconfig).read_text()))
        running = labeler.Labeler(INVENTORY, pathlib.Path(folder.name) / "log", "--kubeconfig", config, "--node-name", "gpu-2",
                                  "--schedule", "@yearly")
        self.addCleanup(running.stop)

        def count():
            labels = json.loads(self.done("get", "node", "gpu-2", "-o", "json"))["metadata"].get("labels", {})
            return labels.get("nvidia.com/gpu.count")

        wait.until("no labels come", lambda: count() == "8", 60)
        looks = running.metric("gpu_labeler_looks_total")
        give_token()   # a kubelet that renews it, or is started anew: its Node is the same one
        wait.stable(lambda: running.metric("gpu_labeler_looks_total") == looks, 15)
        self.done("delete", "node", "gpu-2")
        self.done("create", "-f", "-", stdin='{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-2", "labels": '
                                             '{"nvidia.com/gpu.present": "true", "team": "ml"}}}')
        give_token()
        begin = time.monotonic()
        wait.until("no labels come", lambda: count() == "8", 60)
        print(f"note: labels {time.monotonic() - begin:.1f} s after the registration", flush=True)
        self.assertEqual(running.metric("gpu_labeler_looks_total"), looks + 1)
        self.assertEqual(running.wait_for("the Node may have been registered anew; its labels are looked at")["level"], "info")


if __name__ == "__main__":
    unittest.main()
