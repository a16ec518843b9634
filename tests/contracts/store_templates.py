"""Promises of `TemplateStore`."""

from __future__ import annotations

from shared.model.templates import StoredTemplate, Template
from shared.ports.stores import Store
from tests.contracts.samples import OTHER, TENANT, unit

WHOLE = Template(
    "Ünïcode 日本 😀 #1%_x",
    name="Compare “two” things",
    content="1. First.\r\n\n2. Second\u2028line.",
    domain="decisions",
    complexity="complex",
    methodology="comparative",
    keywords=("versus", "b", "a"),
    description="Which is better?",
)
BARE = Template("bare", name="Bare", content="1. Think.")
V, W = unit(1, 2, 3, 4), unit(4, 3, 2, 1)


class TemplatesContract:
    """All of `TemplateStore`."""

    def test_a_template_comes_back_as_it_was_put(self, store: Store) -> None:
        for stored in (StoredTemplate(WHOLE, V, "m:4:abc"), StoredTemplate(BARE)):
            store.put_templates(TENANT, [stored])
            assert store.get_template(TENANT, stored.template.template_id) == stored

    def test_a_template_that_was_never_put_is_none(self, store: Store) -> None:
        assert store.get_template(TENANT, "nothing") is None
        assert store.templates(TENANT) == ()

    def test_put_replaces_the_vector_too(self, store: Store) -> None:
        store.put_templates(TENANT, [StoredTemplate(BARE, V, "k")])
        store.put_templates(TENANT, [StoredTemplate(BARE)])
        assert store.get_template(TENANT, "bare") == StoredTemplate(BARE)

    def test_all_are_read_by_id(self, store: Store) -> None:
        many = [StoredTemplate(Template(f"t{number:03d}", "N", "1.")) for number in range(120)]
        store.put_templates(TENANT, many[::-1])
        assert store.templates(TENANT) == tuple(many)

    def test_a_vector_is_replaced_alone(self, store: Store) -> None:
        store.put_templates(TENANT, [StoredTemplate(WHOLE, V, "old")])
        assert store.put_template_vector(TENANT, WHOLE.template_id, W, "new") is True
        assert store.get_template(TENANT, WHOLE.template_id) == StoredTemplate(WHOLE, W, "new")

    def test_a_vector_brings_no_template_back(self, store: Store) -> None:
        assert store.put_template_vector(TENANT, "gone", V, "k") is False
        assert store.templates(TENANT) == ()

    def test_delete_says_whether_there_was_a_template(self, store: Store) -> None:
        store.put_templates(TENANT, [StoredTemplate(BARE)])
        assert store.delete_template(TENANT, "bare") is True
        assert store.delete_template(TENANT, "bare") is False
        assert store.get_template(TENANT, "bare") is None

    def test_templates_belong_to_their_tenant(self, store: Store) -> None:
        store.put_templates(TENANT, [StoredTemplate(BARE, V, "k")])
        assert store.templates(OTHER) == ()
        assert not store.put_template_vector(OTHER, "bare", W, "k2")
        assert not store.delete_template(OTHER, "bare")
        assert store.get_template(TENANT, "bare") == StoredTemplate(BARE, V, "k")
