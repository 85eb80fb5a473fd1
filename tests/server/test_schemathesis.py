"""schemathesis, where it is installed, finds no 500 and no answer that breaks its schema."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.running import copied, environment, serving

FOUND = os.environ.get("SCHEMATHESIS") or shutil.which("schemathesis", path=str(Path(sys.executable).parent))
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@pytest.mark.long
@pytest.mark.skipif(FOUND is None, reason="schemathesis is not installed (SCHEMATHESIS may name its command)")
def test_it_finds_nothing(demo_made: Path, tmp_path: Path) -> None:
    with serving(copied(demo_made, tmp_path / "demo")) as server:
        done = subprocess.run(
            [
                *(str(FOUND), "run", f"{server.url}/v1/openapi.json"),
                *("-H", f"Authorization: Bearer {server.token}", "--checks", CHECKS),
                *("--max-examples", "30", "--workers", "2", "--exclude-path-regex", "events"),
                *("--phases", "examples,coverage,fuzzing", "--seed", "4"),
            ],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment(),
            timeout=900,
            check=False,
        )
    assert done.returncode == 0, done.stdout[-6000:]
