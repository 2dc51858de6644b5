"""HAProxy and nginx before the endpoints of a Service, each kept up to date by a kcontrol-follow."""
import json
import pathlib
import re
import shutil
import subprocess
import threading
import time
import unittest

import ports
import probes
import wait

HAPROXY = """global
  stats socket {folder}/haproxy.sock mode 600 level admin
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend web
  bind 127.0.0.1:{port}
  http-request set-header X-Router {name}
  default_backend web
backend web
  balance roundrobin
"""
NGINX = """worker_processes 1;
pid FOLDER/nginx.pid;
error_log FOLDER/nginx.log;
events { worker_connections 2048; }
http {
  access_log off;
  client_body_temp_path FOLDER/t1; proxy_temp_path FOLDER/t2; fastcgi_temp_path FOLDER/t3;
  uwsgi_temp_path FOLDER/t4; scgi_temp_path FOLDER/t5;
  upstream web {
{{#endpoints}}
    server {{hostPort}};  # {{pod}}
{{/endpoints}}
{{^endpoints}}
    server 127.0.0.1:1;
{{/endpoints}}
  }
  server { listen 127.0.0.1:PORT; location / { proxy_pass http://web; proxy_set_header X-Router NAME; } }
}
"""


def needed(program):
    found = shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/local/sbin")
    if not found:
        raise unittest.SkipTest(f"{program} is not installed; scripts/install-deps.sh does it")
    return found


class Follower:
    """A kcontrol-follow: its lines of JSON, each with the time at which it came."""

    def __init__(self, folder, name, *arguments):
        self.log, self.command = folder / f"{name}.log", [probes.app("follow"), *map(str, arguments)]
        self.start()

    def start(self):
        self.lines = []
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                            text=True)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), json.loads(line)))

    def last(self):
        return self.lines[-1][1] if self.lines else {"state": None, "endpoints": []}

    def ready(self):
        return {one["address"] for one in self.last()["endpoints"] if one["ready"]}

    def since(self, begun, state):
        """Seconds from `begun` to the first line after it with that state, or None."""
        return next((at - begun for at, line in self.lines if at >= begun and line["state"] == state), None)

    def stop(self):
        """Its exit status."""
        self.process.terminate()
        status = self.process.wait()
        self.thread.join()
        return status

    def tail(self):
        return self.log.read_text()[-2000:]


class Haproxy:
    name = "haproxy"

    def __init__(self, folder):
        self.program, self.port, self.folder = needed("haproxy"), ports.free_port(), folder
        (folder / "haproxy.cfg").write_text(HAPROXY.format(folder=folder, port=self.port, name=self.name))
        self.flags = ["--haproxy", folder / "haproxy.sock", "--backend", "web"]
        self.start()

    def start(self):
        with (self.folder / "haproxy.log").open("ab") as log:
            self.process = subprocess.Popen([self.program, "-db", "-f", self.folder / "haproxy.cfg"],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait.until("HAProxy does not start", (self.folder / "haproxy.sock").is_socket)

    def stop(self):
        self.process.kill()
        self.process.wait()

    def tail(self):
        return (self.folder / "haproxy.log").read_text()[-2000:]


class Nginx:
    name = "nginx"

    def __init__(self, folder):
        self.program, self.port, self.folder = needed("nginx"), ports.free_port(), folder
        text = NGINX.replace("FOLDER", str(folder)).replace("PORT", str(self.port)).replace("NAME", self.name)
        (folder / "nginx.mustache").write_text(text)
        (folder / "nginx.conf").write_text(re.sub(r"{{#endpoints}}.*{{/endpoints}}", "server 127.0.0.1:1;", text, flags=re.S))
        command = f"{self.program} -c {folder}/nginx.conf -e {folder}/nginx.log"
        self.flags = ["--template", folder / "nginx.mustache", "--out", folder / "nginx.conf",
                      "--check", f'{self.program} -t -q -c "$1" -e {folder}/nginx.log', "--reload", f"{command} -s reload"]
        subprocess.run(command.split(), check=True, stdin=subprocess.DEVNULL)
        wait.until("nginx does not start", (folder / "nginx.pid").exists)

    def workers(self):
        """How many it has: two while it reloads, and for 100 ms at least each of them answers by a configuration of its own."""
        master, parents = (self.folder / "nginx.pid").read_text().strip(), []
        for process in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                parents.append(process.read_text().rpartition(")")[2].split()[1])
            except OSError:  # it ended
                continue
        return parents.count(master)

    def stop(self):
        subprocess.run([self.program, "-c", self.folder / "nginx.conf", "-e", self.folder / "nginx.log", "-s", "stop"],
                       check=False, stderr=subprocess.DEVNULL)

    def tail(self):
        return (self.folder / "nginx.log").read_text()[-2000:]
