"""A kube-apiserver with its etcd and nothing that acts, for tests that ask it by HTTP."""
import json
import pathlib
import ssl
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import cluster
import wait

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Server:
    """Raises SkipTest where there is no control plane. `prepare` gets the folder before the first start."""

    def __init__(self, name, prepare=None):
        self.assets, why = cluster.find_assets(server_only=True)
        if self.assets is None:
            raise unittest.SkipTest(why)
        self.folder = tempfile.TemporaryDirectory(prefix=f"kcontrol-{name}-", ignore_cleanup_errors=True)
        self.work = pathlib.Path(self.folder.name) / "server"
        self.work.mkdir()
        if prepare:
            prepare(self.work)
        self.resume()
        self.kubeconfig = self.work / "admin.kubeconfig"
        self.context = ssl.create_default_context(cafile=self.work / "ca.crt")
        self.context.load_cert_chain(self.work / "admin.crt", self.work / "admin.key")

    def resume(self, *port):
        """Starts it, at the address that it had, unless `port` says otherwise."""
        run = subprocess.run([cluster.SCRIPTS / "start.sh", self.assets, self.work, *port], capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"the API server did not start: {run.stdout}{run.stderr}")
        self.url = run.stdout.strip().splitlines()[-1]

    def halt(self):
        subprocess.run([cluster.SCRIPTS / "stop.sh", self.work], check=False)

    def stop(self):
        self.halt()
        self.folder.cleanup()

    def ask_text(self, method, path, body=None, content_type="application/json"):
        request = urllib.request.Request(self.url + path, method=method, data=body and body.encode(),
                                         headers={"Content-Type": content_type})
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.read().decode()

    def ask(self, method, path, body=None, content_type="application/json"):
        code, text = self.ask_text(method, path, body, content_type)
        return code, json.loads(text) if text.startswith("{") else text

    def install_crd(self, text, content_type):
        """Until the kind is served. The CRD as the server has it."""
        code, crd = self.ask("POST", CRDS, text, content_type)
        if code != 201:
            raise RuntimeError(f"the CRD is refused: {crd}")
        spec, name = crd["spec"], crd["metadata"]["name"]
        # While a CRD of the same name is being replaced, an old one may still be answered.
        paths = [f"/apis/{spec['group']}/{v['name']}/{spec['names']['plural']}" for v in spec["versions"] if v["served"]]
        wait.until(lambda: f"{name} is not served",
                   lambda: all(self.ask("GET", path)[0] == 200 for path in paths))
        return self.ask("GET", f"{CRDS}/{name}")[1]

    def remove_crd(self, name):
        self.ask("DELETE", f"{CRDS}/{name}")
        wait.until(lambda: f"{name} does not go away", lambda: self.ask("GET", f"{CRDS}/{name}")[0] == 404)
