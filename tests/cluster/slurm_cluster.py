"""A Slurm of this machine's own for tests: munged, slurmctld and slurmd in a folder, ended by their process ids."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

DAEMONS = ("munged", "slurmctld", "slurmd")
PLACES = ":/usr/sbin:/sbin:/usr/local/sbin"


def missing_parts() -> list[str]:
    """Programs of Slurm and munge that are not here."""
    return [name for name in (*DAEMONS, "sbatch", "squeue", "scontrol", "scancel")
            if shutil.which(name, path=os.environ.get("PATH", "") + PLACES) is None]


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CryptoType=crypto/munge
SlurmctldPort={controller}
SlurmdPort={worker}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
KillWait=5
MinJobAge=600
SlurmctldTimeout=10
SlurmdTimeout=10
InactiveLimit=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


class SlurmCluster:
    """Starts the daemons, and ends them with stop()."""

    def __init__(self, cpus: int = 4) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mpcflow-slurm-"))
        self.host = socket.gethostname().split(".")[0]
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._path = os.environ.get("PATH", "") + PLACES
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        self.folder.chmod(0o755)
        controller, worker = _free_ports(2)
        user = __import__("pwd").getpwuid(os.getuid()).pw_name
        (self.folder / "slurm.conf").write_text(CONF.format(host=self.host, user=user, folder=self.folder, controller=controller,
                                                            worker=worker, cpus=cpus))
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "SBATCH_"))}
        self.environment |= {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": self._path}
        try:
            self._start_all()
        except BaseException:
            self.stop()
            raise

    def _start(self, name: str, *arguments: str) -> None:
        program = shutil.which(name, path=self._path)
        assert program is not None
        with (self.folder / f"{name}.out").open("ab") as log:
            self._processes[name] = subprocess.Popen([program, *arguments], stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                                     env=self.environment, start_new_session=True)

    def _start_all(self) -> None:
        place = self.folder
        self._start("munged", "--foreground", "--force", f"--socket={place}/munge.socket", f"--key-file={place}/munge.key",
                    f"--pid-file={place}/munged.pid", f"--log-file={place}/munged.log", f"--seed-file={place}/munge.seed")
        self._wait(lambda: (place / "munge.socket").exists(), "munged's socket")
        self._start("slurmctld", "-D", "-i")
        self.start_node()

    def start_node(self) -> None:
        self._start("slurmd", "-D", "-N", self.host)
        self._wait(lambda: "idle" in self.call("sinfo", "--noheader", "--format=%T", check=False), "an idle node")

    def start_node_again(self) -> None:
        """After fail_node(): the node comes back, and takes jobs again."""
        self._start("slurmd", "-D", "-N", self.host)
        self.call("scontrol", "update", f"NodeName={self.host}", "State=RESUME", check=False)

    def fail_node(self) -> None:
        """As if the machine had lost power: slurmd and the jobs' processes are gone at once."""
        self._kill_jobs()
        node = self._processes.pop("slurmd")
        node.kill()
        node.wait()

    def _kill_jobs(self) -> None:
        """Everything that runs below slurmd's steps: what has the cluster's configuration in its environment and is no daemon."""
        daemons = {process.pid for process in self._processes.values()}
        wanted = f"SLURM_CONF={self.folder}/slurm.conf".encode()
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) in daemons or int(entry.name) == os.getpid():
                continue
            try:
                variables = (entry / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if wanted in variables and any(one.startswith(b"SLURM_JOB_ID=") for one in variables) or (
                    wanted in variables and b"slurmstepd" in (entry / "cmdline").read_bytes()):
                try:
                    os.kill(int(entry.name), 9)
                except ProcessLookupError:
                    pass

    def call(self, *words: str, check: bool = True) -> str:
        """What a command of Slurm prints."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, timeout=60)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
        return done.stdout.strip()

    def _wait(self, condition, what: str, seconds: float = 30.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                logs = "\n".join((self.folder / f"{name}.out").read_text(errors="replace")[-2000:] for name in self._processes)
                raise TimeoutError(f"{what}: did not come in {seconds} s\n{logs}")
            time.sleep(0.1)

    def stop(self) -> None:
        """Ends jobs and daemons, and removes the folder."""
        self._kill_jobs()
        for name in reversed(DAEMONS):
            process = self._processes.pop(name, None)
            if process is None:
                continue
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._kill_jobs()
        shutil.rmtree(self.folder, ignore_errors=True)
