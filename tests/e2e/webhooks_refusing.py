"""A validating webhook that refuses every pod of a namespace, or another resource that is created there, with the
certificate of the cluster's API server."""
import http.server
import json
import ssl
import threading


class Webhook:
    def __init__(self, real, namespace, why, resource="pods"):
        self.real, self.namespace, self.why, self.resource = real, namespace, why, resource

    def __enter__(self):
        why = self.why

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                body = json.dumps({"apiVersion": asked["apiVersion"], "kind": asked["kind"], "response": {
                    "uid": asked["request"]["uid"], "allowed": False, "status": {"message": why}}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.real.work / "server.crt", self.real.work / "server.key")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        only = {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}}
        self.real.apply({"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
                         "metadata": {"name": "refusing"}, "webhooks": [{
                             "name": "signatures.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
                             "namespaceSelector": only, "failurePolicy": "Fail",
                             "clientConfig": {"url": f"https://127.0.0.1:{self.server.server_address[1]}/",
                                              "caBundle": self.real.ca()},
                             "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": [self.resource],
                                        "operations": ["CREATE"]}]}]})
        return self

    def __exit__(self, *_):
        self.real.kubectl("delete", "validatingwebhookconfiguration", "refusing")
        self.server.shutdown()
        self.server.server_close()
