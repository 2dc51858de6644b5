"""examples/apps/kc beside kubectl: to whom both go, as whom, and what they say of a kubeconfig that is wrong.

A server that is no Kubernetes writes down who asks. KCONTROL_EXAMPLES is the folder of the programs of examples/.
Run alone: run.py test_kc_login
"""
import base64
import fcntl
import http.server
import json
import os
import pathlib
import pty
import shutil
import signal
import ssl
import subprocess
import tempfile
import termios
import threading
import unittest

import cluster
import probes
import wait

USER = "ATTRIBUTE   VALUE\nUsername    somebody\n"
V1, V1BETA1 = "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"


class Listener(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # clients that refuse the certificate


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        acts = sorted(f"{name.lower()}={value}" for name, value in self.headers.items() if name.startswith("Impersonate-"))
        certificate = getattr(self.connection, "getpeercert", lambda: None)()
        shown = certificate and certificate["subject"][0][0][1]
        self.server.seen.append((self.headers.get("Authorization"), acts, shown))
        body = json.dumps({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview",
                           "status": {"userInfo": {"username": "somebody"}}}).encode()
        self.send_response(201)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def openssl(folder, *words, stdin=None):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, text=True, input=stdin)


def make_certificates(folder):
    for name in ("ca", "other"):
        openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                f"/CN={name}", "-days", "30", "-keyout", f"{name}.key", "-out", f"{name}.crt")
    for name, more in (("server", "subjectAltName=DNS:localhost,IP:127.0.0.1"), ("alice", "extendedKeyUsage=clientAuth"),
                       ("bob", "extendedKeyUsage=clientAuth")):
        openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                "-keyout", f"{name}.key", "-out", f"{name}.csr")
        (folder / "more").write_text(more + "\n")
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", "30", "-extfile", "more", "-out", f"{name}.crt")


def config(cluster_fields, user, context="cluster: k, user: u"):
    return (f"apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{{name: k, cluster: {{{cluster_fields}}}}}]\n"
            f"users: [{{name: u, user: {{{user}}}}}, {{name: other, user: {{token: others}}}}]\n"
            f"contexts: [{{name: c, context: {{{context}}}}}, {{name: d, context: {{cluster: k, user: other}}}}]\n")


def plugin(script, version=V1, more=", interactiveMode: Never"):
    return f"exec: {{apiVersion: {version}, command: sh, args: [-c, {json.dumps(script)}]{more}}}"


def credential(status='{"token":"issued"}', version=V1):
    return f"echo '{{\"kind\":\"ExecCredential\",\"apiVersion\":\"{version}\",\"status\":{status}}}'"


class KcLoginTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = probes.app("kc")
        assets, why = cluster.find_assets(server_only=True)
        if assets is None:
            raise unittest.SkipTest(why)
        cls.kubectl_program = pathlib.Path(assets) / "kubectl"
        made = tempfile.TemporaryDirectory(prefix="kcontrol-kc-")
        cls.addClassCleanup(made.cleanup)
        cls.folder = pathlib.Path(made.name)
        make_certificates(cls.folder)
        cls.seen = []
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cls.folder / "server.crt", cls.folder / "server.key")
        context.load_verify_locations(cls.folder / "ca.crt")
        context.verify_mode = ssl.CERT_OPTIONAL
        cls.http = "http://127.0.0.1:%d" % cls.serve(None)
        cls.https = "https://127.0.0.1:%d" % cls.serve(context)
        cls.ca = "certificate-authority-data: " + cls.data("ca.crt")
        cls.verified = f"server: '{cls.https}', {cls.ca}"

    @classmethod
    def serve(cls, context):
        listening = Listener(("127.0.0.1", 0), Handler)
        listening.seen = cls.seen
        if context:
            listening.socket = context.wrap_socket(listening.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        cls.addClassCleanup(listening.server_close)
        cls.addClassCleanup(listening.shutdown)
        return listening.server_port

    @classmethod
    def data(cls, name):
        return base64.b64encode((cls.folder / name).read_bytes()).decode()

    @classmethod
    def pair(cls, name):
        return f"client-certificate-data: {cls.data(name + '.crt')}, client-key-data: {cls.data(name + '.key')}"

    def environment(self, **more):
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        return {"PATH": os.environ["PATH"], "HOME": str(home)} | more

    def whoami(self, program, words, variables):
        self.seen.clear()
        run = subprocess.run([program, "auth", "whoami", *words], capture_output=True, text=True, timeout=120,
                             stdin=subprocess.DEVNULL, cwd=self.folder, env=self.environment(**variables))
        return run.returncode, run.stdout, run.stderr, list(self.seen)

    def both(self, text, *words, **variables):
        """What kubectl and kc do with a kubeconfig: exit status, what the server saw, and kc's standard error."""
        if text is not None:
            (self.folder / "config").write_text(text)
            words += ("--kubeconfig", str(self.folder / "config"))
        theirs, ours = (self.whoami(p, words, variables) for p in (self.kubectl_program, self.program))
        with self.subTest(text=text, words=words):
            self.assertEqual((ours[0], ours[3]), (theirs[0], theirs[3]), (ours, theirs))
            self.assertEqual(ours[1], USER if ours[0] == 0 else "")
        return ours

    def same(self, text, *words, **variables):
        code, _, err, seen = self.both(text, *words, **variables)
        self.assertEqual((code, len(seen)), (0, 1), err)
        return seen[0]

    def refused(self, part, text, *words, **variables):
        code, _, err, seen = self.both(text, *words, **variables)
        self.assertEqual((code, seen), (1, []))
        self.assertIn(part, err)

    def test_nobody_logs_in_over_plain_http(self):
        ran = self.folder / "ran"
        for user in ("token: secret", "tokenFile: missing", "username: a, password: b", self.pair("alice"),
                     plugin(f"touch {ran}; " + credential())):
            self.assertEqual(self.same(config(f"server: '{self.http}'", user)), (None, [], None))
        self.assertFalse(ran.exists())
        self.assertEqual(self.same(config(f"server: '{self.http}'", "token: secret, as: jane, as-groups: [g, h]")),
                         (None, ["impersonate-group=g", "impersonate-group=h", "impersonate-user=jane"], None))
        for words in (["--token", "secret"], ["--username", "a", "--password", "b"]):
            self.assertEqual(self.same(config(f"server: '{self.http}'", ""), *words), (None, [], None))
        self.refused("client-key", config(f"server: '{self.http}'", "client-certificate: alice.crt"))

    def test_what_is_sent_over_https(self):
        (self.folder / "token").write_text("from-file\n")
        token, file = ("Bearer secret", [], None), ("Bearer from-file", [], None)
        for user, seen in (("token: secret", token), ("tokenFile: token", file), ("token: secret, tokenFile: token", file),
                           ("token: secret, tokenFile: missing", token), ("username: a, password: b", ("Basic YTpi", [], None)),
                           (self.pair("alice"), (None, [], "alice")),
                           ("client-certificate: alice.crt, client-key: alice.key", (None, [], "alice")),
                           (self.pair("alice") + ", token: secret", ("Bearer secret", [], "alice")),
                           ("token: secret, " + plugin("exit 1"), token), (plugin(credential()), ("Bearer issued", [], None)),
                           (plugin(credential(version=V1BETA1), V1BETA1, ""), ("Bearer issued", [], None))):
            self.assertEqual(self.same(config(self.verified, user)), seen)
        self.assertEqual(self.same(config(f"server: '{self.https}', certificate-authority: ca.crt", "token: secret")), token)
        self.assertEqual(self.same(config(self.verified + ", tls-server-name: localhost", "token: secret")), token)

    def test_what_is_contradictory_or_missing_is_refused(self):
        user = "token: secret"
        for path in ("other.crt", "missing"):
            self.refused('cluster "k": certificate-authority-data: there is certificate-authority',
                         config(f"{self.verified}, certificate-authority: {path}", user))
            self.refused('user "u": client-certificate-data: there is client-certificate',
                         config(self.verified, f"{self.pair('alice')}, client-certificate: {path}"))
            self.refused('user "u": client-key-data: there is client-key',
                         config(self.verified, f"{self.pair('alice')}, client-key: {path}"))
        self.refused("insecure-skip-tls-verify", config(self.verified + ", insecure-skip-tls-verify: true", user))
        self.refused("username: there is a token", config(self.verified, "token: secret, username: a"))
        self.refused("client-key: missing", config(self.verified, "client-certificate: alice.crt"))
        self.refused("missing", config(f"server: '{self.https}', certificate-authority: missing", user))
        self.refused("missing", config(self.verified, "tokenFile: missing"))
        self.refused("certificate", config(f"server: '{self.https}'", user))
        self.refused("hostname mismatch", config(self.verified + ", tls-server-name: wrong", user))
        self.refused('"zz"', config(self.verified, user), "--context", "zz")
        self.refused('"zz"', config(self.verified, user), "--user", "zz")
        self.refused('"zz"', config(self.verified, user), "--cluster", "zz")
        self.refused("missing", None, "--kubeconfig", "missing")
        self.refused("--request-timeout", config(self.verified, user), "--request-timeout", "soon")

    def test_flags_go_before_the_file(self):
        user, nobody = config(self.verified, "token: secret"), config(self.verified, "as: jane")
        plain = config(f"server: '{self.https}'", "token: secret")
        elsewhere = config(f"server: 'https://127.0.0.1:1', {self.ca}", "token: secret")
        token = ("Bearer secret", [], None)
        alice = ("--client-certificate", "alice.crt", "--client-key", "alice.key")
        for text, words, seen in (
                (user, ["--context", "d"], ("Bearer others", [], None)), (user, ["--user", "other"], ("Bearer others", [], None)),
                (user, ["--token", "flag"], ("Bearer flag", [], None)),
                (config(self.verified, plugin("exit 1")), ["--token", "flag"], ("Bearer flag", [], None)),
                (elsewhere, ["--server", self.https], token), (elsewhere, ["-s", self.https], token),
                (user, ["--server", self.http.removeprefix("http://")], (None, [], None)),
                (None, ["--server", self.https, "--insecure-skip-tls-verify", "--token", "flag"], ("Bearer flag", [], None)),
                (None, ["--server", self.https, "--certificate-authority", "ca.crt", "--username", "a", "--password", "b"],
                 ("Basic YTpi", [], None)),
                (plain, ["--certificate-authority", "ca.crt"], token), (plain, ["--insecure-skip-tls-verify"], token),
                (user, ["--insecure-skip-tls-verify=true"], token), (user, ["--tls-server-name", "localhost"], token),
                (config(f"server: '{self.https}', certificate-authority-data: {self.data('other.crt')}", "token: secret"),
                 ["--certificate-authority", "ca.crt"], token),
                (config(f"server: '{self.https}', insecure-skip-tls-verify: true", "token: secret"),
                 ["--certificate-authority", "ca.crt"], token),
                (config(self.verified, self.pair("bob")), alice, (None, [], "alice")),
                (user, alice, ("Bearer secret", [], "alice")),
                (nobody, alice, (None, ["impersonate-user=jane"], "alice")),
                (user, ["--disable-compression"], token), (user, ["--request-timeout", "90"], token),
                (user, ["--request-timeout", "0"], token)):
            self.assertEqual(self.same(text, *words), seen, words)
        self.refused("--certificate-authority", plain, "--certificate-authority", "ca.crt", "--insecure-skip-tls-verify")
        self.refused("--client-key", user, "--client-certificate", "alice.crt")
        self.refused("--username", user, "--username", "a")

    def test_impersonation(self):
        user = config(self.verified, "token: secret")
        eve = config(self.verified, "token: secret, as: eve, as-uid: '1', as-groups: [g]")
        for text, words, acts in (
                (user, ["--as", "bob", "--as-group", "a", "--as-group", "b,c", "--as-group", "a"],
                 ["group=a", "group=a", "group=b,c", "user=bob"]),
                (user, ["--as", "bob", "--as-uid", "7", "--as-user-extra", "k=v=w", "--as-user-extra", "k=x"],
                 ["extra-k=v=w", "extra-k=x", "uid=7", "user=bob"]),
                (eve, [], ["group=g", "uid=1", "user=eve"]), (eve, ["--as", "bob"], ["group=g", "uid=1", "user=bob"]),
                (eve, ["--as-group", "x"], ["group=x", "uid=1", "user=eve"]),
                (eve, ["--as-uid", "2"], ["group=g", "uid=2", "user=eve"])):
            self.assertEqual(self.same(text, *words), ("Bearer secret", [f"impersonate-{one}" for one in acts], None))
        for words in (["--as-group", "a"], ["--as-uid", "7"], ["--as-user-extra", "k=v"]):
            self.refused("give --as USER", user, *words)

    def test_several_files(self):
        part = "apiVersion: v1\nkind: Config\n"
        parts = {"one": part + f"clusters: [{{name: k, cluster: {{{self.verified}}}}}]\n",
                 "two": part + "users: [{name: u, user: {token: two}}]\ncurrent-context: c\n",
                 "three": config(f"server: 'https://127.0.0.1:1', {self.ca}", "token: three"), "empty": ""}
        for name, text in parts.items():
            (self.folder / name).write_text(text)
        self.assertEqual(self.same(None, KUBECONFIG=":missing:empty:one:two:three:one"), ("Bearer two", [], None))
        (self.folder / "home" / ".kube").mkdir(parents=True, exist_ok=True)
        self.addCleanup(shutil.rmtree, self.folder / "home" / ".kube")
        (self.folder / "home" / ".kube" / "config").write_text(config(self.verified, "token: home"))
        self.assertEqual(self.same(None), ("Bearer home", [], None))
        self.assertEqual(self.same(None, KUBECONFIG=""), ("Bearer home", [], None))
        self.refused("torn", None, KUBECONFIG=f"{self.torn()}:one:two:three")

    def torn(self):
        (self.folder / "torn").write_text("clusters: [")
        return "torn"

    def test_what_a_plugin_says_is_seen(self):
        code, _, err, _ = self.both(config(self.verified, plugin("echo one >&2; echo two >&2; " + credential())))
        self.assertEqual((code, err), (0, "one\ntwo\n"))
        code, _, err, _ = self.both(config(self.verified, plugin("echo one >&2; echo two >&2; exit 3")))
        self.assertEqual((code, err), (1, f'one\ntwo\nerror: {self.https}: exec plugin "sh": it ended with status 3: two\n'))

    def test_a_plugin_is_seen_while_it_waits(self):
        go = self.folder / "go"
        (self.folder / "config").write_text(config(
            self.verified, plugin(f"echo enter the code >&2; until [ -e {go} ]; do sleep 0.05; done; " + credential())))
        run = subprocess.Popen([self.program, "auth", "whoami", "--kubeconfig", self.folder / "config"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.kill)
        self.assertEqual(run.stderr.readline(), "enter the code\n")
        go.touch()
        self.assertEqual(run.communicate(timeout=60), (USER, ""))

    def at_a_terminal(self, program, typed):
        """Runs it with a terminal of its own as standard input: exit status, output, standard error and what was seen."""
        self.seen.clear()
        ours, theirs = pty.openpty()
        try:
            run = subprocess.Popen([program, "auth", "whoami", "--kubeconfig", self.folder / "config"], text=True,
                                   stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                   env=self.environment(), start_new_session=True,
                                   preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
            self.addCleanup(run.kill)
            os.write(ours, typed)
            out, err = run.communicate(timeout=120)
            return run.returncode, out, err, list(self.seen)
        finally:
            os.close(ours)
            os.close(theirs)

    def test_a_plugin_asks_at_the_terminal(self):
        asks = ("case $KUBERNETES_EXEC_INFO in *'\"interactive\":true'*) read name;; *) name=nobody;; esac; "
                + credential("{\"token\":\"'$name'\"}"))
        # Mode → whose token is sent without a terminal and with one; None: the plugin is not run.
        for mode, without, beside in ((", interactiveMode: Never", "nobody", "nobody"),
                                      (", interactiveMode: IfAvailable", "nobody", "jane"),
                                      (", interactiveMode: Always", None, "jane")):
            text = config(self.verified, plugin(asks, more=mode))
            code, _, err, seen = self.both(text)
            self.assertEqual((code, [one[0] for one in seen]), (1, []) if without is None else (0, ["Bearer " + without]))
            if without is None:
                self.assertIn('exec plugin "sh": interactiveMode is Always', err)
                self.assertIn("standard input is not a terminal", err)
            for program in (self.kubectl_program, self.program):
                with self.subTest(mode=mode, program=program):
                    code, out, err, seen = self.at_a_terminal(program, b"jane\n")
                    self.assertEqual((code, out, [one[0] for one in seen]), (0, USER, ["Bearer " + beside]), err)

    def test_what_is_wrong_with_a_plugin_names_the_server_and_its_version(self):
        for user, part in ((plugin(credential(version=V1BETA1)), f"apiVersion is {V1BETA1}, and the kubeconfig has {V1}"),
                           (plugin("echo hello"), "it is not JSON"), (plugin("kill -9 $$"), "it was ended by signal 9"),
                           (plugin(credential("{}")), "neither a token nor a client certificate"),
                           ("exec: {apiVersion: %s, command: no-such-plugin, interactiveMode: Never, installHint: see x}" % V1,
                            "not found in $PATH: see x")):
            code, _, err, _ = self.both(config(self.verified, user))
            self.assertEqual((code, err.count("\n")), (1, 1), err)
            self.assertTrue(err.startswith(f"error: {self.https}: exec plugin "), err)
            self.assertIn(part, err)
        for user, part in (("apiVersion: client.authentication.k8s.io/v1alpha1, command: sh, interactiveMode: Never", "v1alpha1"),
                           (f"apiVersion: {V1}, command: sh", "exec.interactiveMode"),
                           (f"apiVersion: {V1}, interactiveMode: Never", "exec.command"),
                           ("command: sh, interactiveMode: Never", "exec.apiVersion")):
            self.refused(part, config(self.verified, f"exec: {{{user}}}"))

    def test_a_kuberc_says_which_plugins_may_run(self):
        text = config(self.verified, plugin(credential()))
        rc = self.folder / "kuberc"
        begin = "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n"
        for policy, allowed in (("", True), ("credentialPluginPolicy: AllowAll", True), ("credentialPluginPolicy: DenyAll", False),
                                ("credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: other}, {command: sh}]", True),
                                (f"credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{{command: {shutil.which('sh')}}}]", True),
                                ("credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: /opt/sh}]", False)):
            rc.write_text(begin + policy + "\n")
            for words, variables in ((("--kuberc", str(rc)), {}), ((), {"KUBERC": str(rc)})):
                if allowed:
                    self.assertEqual(self.same(text, *words, **variables)[0], "Bearer issued")
                else:
                    self.refused("is not one of the programs that may run", text, *words, **variables)
        for policy in ("credentialPluginPolicy: denyall", "credentialPluginPolicy: Allowlist", "credentialPluginAllowlist: [{command: sh}]",
                       "credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: ./sh/../sh}]"):
            rc.write_text(begin + policy + "\n")
            self.refused(f"{rc}: credentialPlugin", text, "--kuberc", str(rc))
        self.assertEqual(self.same(text, KUBERC="off")[0], "Bearer issued")

    @staticmethod
    def running(number):
        try:
            text = pathlib.Path(f"/proc/{number}/stat").read_text()
        except OSError:
            return False
        return text.rpartition(")")[2].split()[0] not in "ZX"  # who has ended waits for init

    def begin_endless(self, script, *words):
        """kc with a plugin that does not end: the process, and the numbers of the plugin and of its child."""
        numbers = self.folder / "numbers"
        numbers.unlink(missing_ok=True)
        (self.folder / "config").write_text(config(
            self.verified, plugin(f"trap '' TERM INT; {script} & echo $$ $! > {numbers}.new; mv {numbers}.new {numbers}; wait")))
        run = subprocess.Popen([self.program, *words, "--kubeconfig", self.folder / "config"], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        wait.until("the plugin does not start", numbers.exists)
        return run, [int(one) for one in numbers.read_text().split()]

    def check_none_is_left(self, numbers):
        wait.until("the plugin or its child is left", lambda: not any(self.running(one) for one in numbers))

    def test_a_plugin_does_not_outlive_the_request(self):
        for script in ("sleep 1000", "yes"):
            for words in (["auth", "whoami"], ["get", "pods"], ["api-resources"], ["logs", "pod"], ["delete", "cm", "x"]):
                # measures: it gives up at the time that is asked for
                run, numbers = self.begin_endless(script, *words, "--request-timeout", "1s")
                out, err = run.communicate(timeout=60)
                self.assertEqual((run.returncode, out), (1, ""))
                self.assertEqual(err, f'error: {self.https}: exec plugin "sh": the credentials did not come in time\n')
                self.check_none_is_left(numbers)

    def test_a_plugin_does_not_outlive_kc(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            run, numbers = self.begin_endless("sleep 1000", "get", "pods")
            run.send_signal(number)
            self.assertEqual(run.wait(timeout=60), -number)
            self.check_none_is_left(numbers)


if __name__ == "__main__":
    unittest.main()
