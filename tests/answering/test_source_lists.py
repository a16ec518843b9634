from __future__ import annotations

import pytest

from shared.answering.citing.source_lists import without_source_list

ANSWER = "We chose Firestore [N1]. The API runs on Cloud Run [N2]."


@pytest.mark.parametrize(
    "listed",
    [
        "\n\nSources:\n[N1] Databases\n[N2] API",
        "\n\n**Sources**\n\n- [N1] Databases\n- [N2]: API\n",
        "\n\n## References\n1. [N1] Databases\n2. [N2] API",
        "\nQuellen:\n* [N1]\n* [N2]",
        "\n\nFuentes: \n\n[n1] Bases de datos",
        "\n\n---\nRéférences :\n【N1】 Bases",
        "\n\nSources:",
        "\n\n[N1]: Databases, 8 May\n[N2]: API",
        "\n\nSources:\n[N1] Databases" * 30,
        "\n\nSources:\n[N1] Databases\n\n[N1]: Databases\n",
    ],
)
def test_a_list_of_sources_at_the_end_goes(listed: str) -> None:
    assert without_source_list(ANSWER + listed) == ANSWER


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        ANSWER + "\n",
        "[N1] We chose Firestore.\n[N2] The API runs on Cloud Run.",
        "What we chose:\n- [N1] Firestore\n- [N2] Cloud Run",
        "Sources:\n[N1] Databases",
        "Sources:\n[N1] Databases\n\nWe chose Firestore [N1].",
        "Our sources:\n- the river [N1]\n- the well [N2]",
        "",
    ],
)
def test_anything_else_stays_as_it_is(text: str) -> None:
    assert without_source_list(text) == text
