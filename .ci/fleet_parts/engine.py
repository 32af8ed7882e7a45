"""etcd, with TLS and client certificates."""
import os
import pathlib
import re
import subprocess
import time

from fleet_parts.commands import check, sh

ENGINE = "10.77.0.1"


class Engine:
    """etcd, which can stop and start again with the same data."""

    def __init__(self, folder):
        self.folder, url = folder, f"https://{ENGINE}:2379"
        sh(f"""cd {folder}
            new() {{
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 \\
                    -keyout $1.key -out $1.crt -subj /CN=$1 "${{@:2}}" 2>&1
            }}
            new ca
            new engine -CA ca.crt -CAkey ca.key -addext subjectAltName=IP:{ENGINE}
            new host -CA ca.crt -CAkey ca.key""")
        self.environment = {
            "ETCDCTL_API": "3", "ETCDCTL_ENDPOINTS": url, "ETCDCTL_CACERT": f"{folder}/ca.crt",
            "ETCDCTL_CERT": f"{folder}/host.crt", "ETCDCTL_KEY": f"{folder}/host.key"}
        self.words = [
            "etcd", "--data-dir", "/run/etcd", "--listen-client-urls", url, "--advertise-client-urls", url,
            "--listen-peer-urls", "http://127.0.0.1:2380", "--client-cert-auth", "--trusted-ca-file", f"{folder}/ca.crt",
            "--cert-file", f"{folder}/engine.crt", "--key-file", f"{folder}/engine.key"]
        self.start()

    def start(self):
        with open(self.folder / "etcd.log", "a") as log:
            self.process = subprocess.Popen(self.words, stdout=log, stderr=log)
        end = time.monotonic() + 20
        while subprocess.run(["etcdctl", "get", "x"], env={**os.environ, **self.environment}, capture_output=True).returncode:
            check(time.monotonic() < end, f"etcd does not start\n{(self.folder / 'etcd.log').read_text()[-2000:]}")

    def stop(self):
        self.process.kill()
        self.process.wait()

    def ctl(self, command):
        """The time at which the command began, and its output."""
        start = time.monotonic()
        return start, sh(f"etcdctl {command}", env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL)

    def put(self, value, options="", key="secret/db"):
        start = time.monotonic()
        sh(f"etcdctl put {options} {key}", env={**os.environ, **self.environment}, input=value)
        return start

    @property
    def processor_time(self):
        user, system = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self):
        return int(re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1])
