"""Makes a Python environment once: make_environment.py DIRECTORY REQUIREMENTS. Tests that run beside each other wait for the first."""

import fcntl
import subprocess
import sys
import venv
from pathlib import Path

environment, requirements = Path(sys.argv[1]), sys.argv[2]
complete = environment / "complete"
environment.parent.mkdir(parents=True, exist_ok=True)
with open(f"{environment}.lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    if not complete.exists():
        venv.create(environment, clear=True, with_pip=True)
        pip = [environment / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", requirements], check=True)
        complete.touch()
