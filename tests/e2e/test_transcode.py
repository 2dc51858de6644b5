"""kcontrol-transcode reads what a real API server answers: an object in Protocol Buffers and in JSON is the same object.

KCONTROL_TRANSCODE is the program. Run alone: run.py test_transcode
"""
import json
import os
import subprocess
import unittest
import urllib.request

import server

PROTOBUF = "application/vnd.kubernetes.protobuf"


class TranscodeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = os.environ.get("KCONTROL_TRANSCODE")
        if not cls.program:
            raise unittest.SkipTest("KCONTROL_TRANSCODE is not set")
        cls.real = server.Server("transcode")
        cls.addClassCleanup(cls.real.stop)

    def bytes_of(self, path, media_type):
        request = urllib.request.Request(self.real.url + path, headers={"Accept": media_type})
        with urllib.request.urlopen(request, context=self.real.context, timeout=60) as answer:
            self.assertEqual(answer.headers.get_content_type(), media_type)
            return answer.read()

    def transcoded(self, content, *options):
        done = subprocess.run([self.program, *options], input=content, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def test_both_encodings_are_one_object(self):
        body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "labels": {"app": "web"}},
                "spec": {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"cpu": "1500m", "memory": "1Gi"}},
                                         "ports": [{"containerPort": 80}]}]}}
        code, _ = self.real.ask("POST", "/api/v1/namespaces/default/pods", json.dumps(body))
        self.assertEqual(code, 201)
        for path in ("/api/v1/namespaces/default/pods/web", "/api/v1/namespaces/default", "/apis/rbac.authorization.k8s.io/v1/"
                     "clusterroles/cluster-admin", "/api/v1/namespaces/default/services/kubernetes"):
            with self.subTest(path):
                binary, text = (self.bytes_of(path, kind) for kind in (PROTOBUF, "application/json"))
                self.assertTrue(binary.startswith(b"k8s\0"))
                shown = json.loads(self.transcoded(binary))
                self.assertEqual(shown, json.loads(self.transcoded(text)))
                self.assertEqual(shown["metadata"]["uid"], json.loads(text)["metadata"]["uid"])
                # And back: the server's own bytes say nothing else than ours.
                self.assertEqual(json.loads(self.transcoded(self.transcoded(binary, "--output", "protobuf"))), shown)


if __name__ == "__main__":
    unittest.main()
