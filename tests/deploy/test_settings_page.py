"""docs/settings.md says of each setting whether a change needs a redeploy; the scripts agree."""

from __future__ import annotations

import re
import sys

import pytest

from tests.deploy.conftest import ROOT

sys.path.append(str(ROOT / "deploy"))  # its scripts run from there

import decision
from look import Stop

PAGE = (ROOT / "docs/settings.md").read_text()
ROW = re.compile(r"^\| `([A-Z0-9_]+)` \|.*\| ([^|]+) \|$", re.MULTILINE)
ANSWERS = dict(ROW.findall(PAGE))


def test_every_answer_is_explained() -> None:
    explained = re.findall(r"^\| ((?:yes|no)[^|]*) \| [^|]+ \|$", PAGE, re.MULTILINE)
    answers = {re.sub("`--.*`", "`--option`", answer) for answer in ANSWERS.values()}
    assert answers == set(explained)


@pytest.mark.parametrize("name", ANSWERS)
def test_a_setting_with_a_way_of_its_own_is_refused_by_set_and_no_other(name: str) -> None:
    has_its_own_way = ANSWERS[name].startswith("yes, ") or name == "STORE"
    if has_its_own_way:
        with pytest.raises(Stop):
            decision.settings_given([f"{name}=x"])
    else:
        assert decision.settings_given([f"{name}=x"]) == {name: "x"}


def test_settings_that_the_build_sets_are_fixed() -> None:
    build = (ROOT / "cloudbuild.yaml").read_text()
    set_by_build = {name for name in ANSWERS if f"|{name}=" in build}
    fixed = {name for name, answer in ANSWERS.items() if answer == "no, fixed"}
    assert fixed == {*set_by_build, "STORE", "AUTH"}


def test_fifteen_settings_stand_first() -> None:
    first = PAGE.split("\n## ")[1]
    assert first.startswith("Set these first")
    assert len(ROW.findall(first)) == 15
