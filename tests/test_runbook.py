"""docs/operate.md has for each alert what to look at, what to do and when to stop, with commands that exist."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.missing import missing

ROOT = Path(__file__).parents[1]
OPERATE = (ROOT / "docs/operate.md").read_text(encoding="utf-8")
DEPLOY = (ROOT / "docs/deploy.md").read_text(encoding="utf-8")
ALERTS = {
    file.stem: json.loads(file.read_text(encoding="utf-8"))
    for file in sorted((ROOT / "deploy/monitoring/alerts").glob("*.json"))
}
COMPLETIONS = "gcloud_completions.py"
"""gcloud's own table of its commands and their flags."""
IMPLEMENTED_BY = {"up.sh": "plan.py"}
"""Script -> the file with its options, where it is not the one of the same name."""

EXAMPLES = r"…|nam5|GEMINI_API_KEY|deploying$|180|the deployment"
"""Parts of messages that a script fills in."""


def title(alert: dict[str, Any]) -> str:
    return str(alert["displayName"]).removeprefix("Aurora: ")


def anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def sections() -> dict[str, str]:
    """Heading -> text of each section about an alert."""
    chapter = OPERATE[OPERATE.index("## When an alert fires") :]
    chapter = re.split(r"^## ", chapter, flags=re.MULTILINE)[1]
    parts = re.split(r"^### (.*)$", chapter, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def commands() -> list[str]:
    """Command lines of both pages: blocks of shell, and code within a line that starts with a command."""
    lines = []
    for page in (OPERATE, DEPLOY):
        for block in re.findall(r"^ *```(?:sh|bash)\n(.*?)```", page, re.DOTALL | re.MULTILINE):
            lines += block.replace("\\\n", "").splitlines()
        lines += re.findall(r"`((?:gcloud|deploy/\w+\.sh|aurora) [^`]*)`", page)
    return [" ".join(line.split()) for line in lines if line.strip()]


def test_every_alert_has_its_section_and_no_other_has_one() -> None:
    assert sorted(sections()) == sorted(title(alert) for alert in ALERTS.values())


@pytest.mark.parametrize("name", ALERTS)
def test_a_section_says_what_to_look_at_what_to_do_and_when_to_stop(name: str) -> None:
    text = sections()[title(ALERTS[name])]
    assert re.findall(r"^- \*\*(\w+)\*\*", text, re.MULTILINE) == ["Look", "Do", "Stop"]
    assert "```bash" in text, "a command to begin with"


@pytest.mark.parametrize("name", ALERTS)
def test_the_text_of_an_alert_points_at_its_section(name: str) -> None:
    content = ALERTS[name]["documentation"]["content"]
    assert content.endswith(f"What to do: docs/operate.md#{anchor(title(ALERTS[name]))}")


def test_the_table_of_alerts_links_to_every_section() -> None:
    table = OPERATE[: OPERATE.index("## Questions to the log")]
    linked = set(re.findall(r"\]\(#([\w-]+)\) \|$", table, re.MULTILINE))
    assert linked >= {anchor(title(alert)) for alert in ALERTS.values()}


def test_shell_in_the_pages_is_shell() -> None:
    for line in commands():
        completed = subprocess.run(
            ["bash", "-n", "-c", line], capture_output=True, text=True, check=False
        )
        assert completed.returncode == 0, f"{line}: {completed.stderr}"


def test_scripts_in_the_pages_have_the_options_that_are_named() -> None:
    named = [line for line in commands() if re.search(r"\bdeploy/\w+\.sh", line)]
    assert len(named) > 20
    for line in named:
        script = re.findall(r"\bdeploy/(\w+\.sh)", line)[0]
        assert (ROOT / "deploy" / script).exists(), line
        options = (
            ROOT / "deploy" / IMPLEMENTED_BY.get(script, script.replace(".sh", ".py"))
        ).read_text(encoding="utf-8")
        for option in re.findall(r"(?<![\w-])--[a-z-]+", line):
            assert f'"{option}"' in options, line


def test_gcloud_has_the_commands_and_flags_that_are_named() -> None:
    tree = _gcloud()
    called = [line for line in commands() if line.startswith("gcloud ")]
    assert len(called) > 20
    for line in called:
        node = tree
        flags = set(tree["flags"])
        for word in shlex.split(line.partition("|")[0])[1:]:
            if word in node["commands"] and not word.startswith("-"):
                node = node["commands"][word]
                flags |= set(node["flags"])
            if word.startswith("--"):
                assert word.partition("=")[0] in flags, line
        assert node["commands"] == {}, f"{line}: no whole command"


def _gcloud() -> dict[str, Any]:
    program = shutil.which("gcloud")
    if program is None:
        missing("gcloud is not installed (Debian: google-cloud-cli)")
    beside = Path(program).resolve().parents[1] / "data/cli" / COMPLETIONS
    packaged = Path("/usr/lib/google-cloud-sdk/data/cli") / COMPLETIONS
    file = beside if beside.exists() else packaged
    if not file.exists():
        missing(f"this gcloud has no {COMPLETIONS}")
    tree: dict[str, Any] = runpy.run_path(str(file))["STATIC_COMPLETION_CLI_TREE"]
    return tree


def test_the_output_that_the_page_expects_is_what_the_scripts_print() -> None:
    """Between the names that stand for something, every word is in a script."""
    (expected,) = re.findall(r"```text\n(.*?)```", DEPLOY, re.DOTALL)
    printed = "".join(
        (ROOT / "deploy" / name).read_text(encoding="utf-8")
        for name in ("up.sh", "setup.sh", "common.sh", "first_question.py")
    )
    for line in filter(None, expected.splitlines()):
        for part in line.split("…"):
            assert part.strip(" ,.;:") in printed, line


def test_every_message_in_the_table_of_trouble_is_one_that_a_script_prints() -> None:
    table = DEPLOY[DEPLOY.index("## Trouble") : DEPLOY.index("## Questions and answers")]
    messages = re.findall(r"^\| [^|`]*`([^`]+)`[^|`]* \|", table, re.MULTILINE)
    assert len(messages) > 10
    folders = ("deploy/*.sh", "deploy/*.py", "shared/account/*.py")
    sources = [file.read_text(encoding="utf-8") for name in folders for file in ROOT.glob(name)]
    printed = " ".join(re.sub(r'"\s*f?"', "", " ".join(sources)).split())
    for message in messages:
        fixed = re.split(EXAMPLES, message)
        assert all(part.strip() in printed for part in fixed), message


def test_the_page_names_the_roles_of_the_pipeline() -> None:
    table = json.loads((ROOT / "deploy/resources.json").read_text(encoding="utf-8"))["pipeline"]
    chapter = DEPLOY[DEPLOY.index("## With Terraform") : DEPLOY.index("## Take it away")]
    named = set(re.findall(r"`(roles/[\w.]+)`", chapter))
    assert named == {*table["roles"], table["bucketRole"]}
    assert set(re.findall(r"`(run\.services\.\w+)`", chapter)) == set(table["permissions"])


def test_the_page_s_pipeline_and_module_are_what_is_there() -> None:
    chapter = DEPLOY[DEPLOY.index("## With Terraform") : DEPLOY.index("## Take it away")]
    (pipeline,) = re.findall(r"```yaml\n(.*?)```", chapter, re.DOTALL)
    steps = yaml.safe_load(pipeline)["jobs"]["deploy"]["steps"]
    assert steps[-1]["run"].startswith("deploy/up.sh PROJECT --prepared ")
    (module,) = re.findall(r'module "notes" \{\n(.*?)^ +\}', chapter, re.MULTILINE | re.DOTALL)
    variables = (ROOT / "deploy/terraform/variables.tf").read_text(encoding="utf-8")
    declared = re.findall(r'^variable "(\w+)" \{\n(.*?)^\}', variables, re.MULTILINE | re.DOTALL)
    required = {name for name, body in declared if "default " not in body}
    module_arguments = set(re.findall(r"^ +(\w+) += ", module, re.MULTILINE)) - {"source"}
    assert required <= module_arguments <= {name for name, _ in declared}
