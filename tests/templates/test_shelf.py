"""What the folders bring, and what a tenant did meanwhile."""

from __future__ import annotations

from shared.model.templates import Template
from shared.templates.folders import Problem, Shelf
from shared.templates.shelf import deliver, revision

A, B = Template("a", "A", "1."), Template("b", "B", "1.")
A2, MINE = Template("a", "A", "1. New."), Template("a", "Mine", "1.")


def _shelf(*templates: Template, problem: Problem | None = None) -> Shelf:
    return Shelf(templates, (problem,) if problem else ())


def _seen(*templates: Template) -> dict[str, str]:
    return {each.template_id: revision(each) for each in templates}


def test_the_first_time_everything_comes() -> None:
    delivery = deliver(_shelf(A, B), {}, [])
    assert (delivery.put, delivery.remove, delivery.shelf) == ((A, B), (), _seen(A, B))


def test_the_second_time_nothing_does() -> None:
    delivery = deliver(_shelf(A, B), _seen(A, B), [A, B])
    assert (delivery.put, delivery.remove, delivery.shelf) == ((), (), _seen(A, B))


def test_a_changed_file_replaces_what_it_brought() -> None:
    assert deliver(_shelf(A2), _seen(A), [A]).put == (A2,)


def test_what_the_tenant_changed_stays_whatever_the_file_does() -> None:
    for shelf in (_shelf(A), _shelf(A2), _shelf()):
        delivery = deliver(shelf, _seen(A), [MINE])
        assert (delivery.put, delivery.remove) == ((), ())


def test_what_the_tenant_deleted_stays_away() -> None:
    for shelf in (_shelf(A), _shelf(A2)):
        assert deliver(shelf, _seen(A), []).put == ()


def test_what_the_tenant_wrote_before_under_the_same_id_stays() -> None:
    delivery = deliver(_shelf(A), {}, [MINE])
    assert delivery.put == ()
    assert deliver(_shelf(A2), delivery.shelf, [MINE]).put == ()


def test_a_file_that_is_gone_takes_along_what_it_brought() -> None:
    delivery = deliver(_shelf(A), _seen(A, B), [A, B])
    assert (delivery.remove, delivery.shelf) == (("b",), _seen(A))


def test_a_file_or_folder_that_cannot_be_read_now_removes_nothing() -> None:
    for problem in (Problem("b.md", "broken", "b"), Problem("folder", "not there", None)):
        delivery = deliver(_shelf(A, problem=problem), _seen(A, B), [A, B])
        assert (delivery.put, delivery.remove, delivery.shelf) == ((), (), _seen(A, B))


def test_a_delivery_that_was_cut_off_is_made_again_without_harm() -> None:
    assert deliver(_shelf(A, B), {}, [A]).put == (B,)
