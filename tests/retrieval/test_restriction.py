"""Filters: what they allow, and which are refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from shared.errors import InvalidArgument, NotFound
from shared.model.index import folder_token, tag_token, vault_token
from shared.model.notes import Folder
from shared.model.questions import Filters, TimeRange
from shared.model.retrieval import Restriction
from shared.retrieval.analysis import restrict, within
from tests.retrieval.samples import NOW, days_ago

FOLDERS = (
    Folder("home", ""),
    Folder("home", "plans"),
    Folder("lake", "lake/maps"),
    Folder("lake", "maps"),
    Folder("work", ""),
    Folder("work", "home"),
    Folder("work", "home/plans"),
    Folder("work", "plans"),
)


def _restrict(filters: Filters) -> Restriction:
    return restrict(filters, NOW, lambda: FOLDERS)


def _never() -> Sequence[Folder]:
    raise AssertionError("folders were read")


def test_no_filters_restrict_nothing_and_read_no_folders() -> None:
    assert restrict(Filters(), NOW, _never) == Restriction()


def test_vaults_and_tags_are_two_groups() -> None:
    restriction = _restrict(Filters(vaults=("home", "work"), tags=("red", "blue")))
    vaults, tags = restriction.scopes
    assert vaults == {vault_token("home"), vault_token("work")}
    assert tags == {tag_token("red"), tag_token("blue")}


@pytest.mark.parametrize(
    ("name", "vaults", "tokens"),
    [
        (
            "plans",
            (),
            {
                folder_token("home", "plans"),
                folder_token("work", "plans"),
            },
        ),
        ("plans", ("work",), {folder_token("work", "plans")}),
        ("/plans/", ("work",), {folder_token("work", "plans")}),
        (
            "home/plans",
            (),
            {
                folder_token("home", "plans"),
                folder_token("work", "home/plans"),
            },
        ),
        ("work/home", (), {folder_token("work", "home")}),
        ("home/plans", ("work",), {folder_token("work", "home/plans")}),
        ("home/plans", ("home",), {folder_token("home", "plans")}),
        (
            "lake/maps",
            (),
            {
                folder_token("lake", "maps"),
                folder_token("lake", "lake/maps"),
            },
        ),
        ("lake/maps", ("lake",), {folder_token("lake", "lake/maps")}),
        ("/", (), {folder_token(vault, "") for vault in ("home", "lake", "work")}),
        ("/", ("work",), {folder_token("work", "")}),
        ("work/", (), {folder_token("work", "")}),
        ("home/", (), {folder_token("work", "home")}),
    ],
)
def test_a_folder_is_named_alone_or_with_its_vault(
    name: str, vaults: tuple[str, ...], tokens: set[str]
) -> None:
    assert _restrict(Filters(vaults=vaults, folders=(name,))).scopes == (frozenset(tokens),)


@pytest.mark.parametrize(
    ("filters", "named"),
    [
        (Filters(vaults=("home", "attic")), "attic"),
        (Filters(folders=("plans", "cellar")), "cellar"),
        (Filters(vaults=("home",), folders=("work/plans",)), "work/plans"),
        (Filters(folders=("",)), "''"),
        (Filters(folders=("pla",)), "pla"),
    ],
)
def test_what_does_not_exist_is_named(filters: Filters, named: str) -> None:
    with pytest.raises(NotFound, match=named):
        _restrict(filters)


def test_the_default_vault_exists_before_its_first_note() -> None:
    assert restrict(Filters(vaults=("default",)), NOW, lambda: ()).scopes == (
        frozenset({vault_token("default")}),
    )


def test_dates_the_wrong_way_round_name_the_field() -> None:
    with pytest.raises(InvalidArgument) as caught:
        _restrict(Filters(created_after=days_ago(1), created_before=days_ago(2)))
    assert caught.value.field == "filters.createdAfter"


@pytest.mark.parametrize(
    ("filters", "created"),
    [
        (
            Filters(created_after=days_ago(5)),
            TimeRange(days_ago(5), None),
        ),
        (
            Filters(created_before=days_ago(5)),
            TimeRange(None, days_ago(5)),
        ),
        (Filters(window_days=7), TimeRange(days_ago(7), None)),
        (
            Filters(window_days=7, created_after=days_ago(3)),
            TimeRange(days_ago(3), None),
        ),
        (
            Filters(window_days=7, created_after=days_ago(30)),
            TimeRange(days_ago(7), None),
        ),
        (Filters(window_days=10**12), None),
    ],
)
def test_created_filters_become_one_half_open_range(
    filters: Filters, created: TimeRange | None
) -> None:
    assert _restrict(filters).created == created


def test_a_named_time_cuts_the_callers_range_and_never_grows_it() -> None:
    allowed = Restriction(TimeRange(days_ago(20), days_ago(5)))
    assert within(allowed, TimeRange(days_ago(30), days_ago(10))).created == TimeRange(
        days_ago(20), days_ago(10)
    )
    assert within(allowed, TimeRange(None, None)).created == TimeRange(days_ago(20), days_ago(5))
    assert within(allowed, None) is allowed


def test_ranges_that_do_not_meet_leave_an_empty_one() -> None:
    created = within(
        Restriction(TimeRange(days_ago(5), None)), TimeRange(days_ago(30), days_ago(10))
    ).created
    assert created == TimeRange(days_ago(5), days_ago(5))
