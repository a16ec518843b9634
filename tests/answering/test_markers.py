from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.model.answers import Source
from tests.answering.samples import Cited, check_citations, sources

OFFERED = sources("one", "two", "three")

MARKERS = st.sampled_from(
    [
        "[N1]",
        "[N2]",
        "[N3]",
        "[N4]",
        "[n1]",
        "[N0]",
        "[N1, N4]",
        "[N9;N2]",
        "【N3】",
        "［Ｎ７］",
        "[N2-N3]",
        "[N3–N8]",
        "\\[N1\\]",
        "[^N2]",
        "[ N1 ]",
        "[N1 and N5]",
        "[N٣]",
        "[N9999999999]",
        "[N1 N2]",
        "〔N1〕",
        "⟦N7⟧",
        "[Ν7]",
        "[N\u200d7]",
        "`[N7]`",
        "**[N1]**",
        "*[N7]*",
        "\n- [N7]",
        "\n1. [N2] ",
        "> [N7]",
    ]
)
PROSE = st.sampled_from(
    [
        "We",
        "chose",
        "Firestore",
        "naïve",
        "数据库。",
        "a",
        "N1",
        "(see",
        ")",
        ".",
        ",",
        ";",
        "**",
        "`",
        "x[i]",
    ]
)
BLANKS = st.sampled_from([" ", "  ", "", "\n", "\n- ", " and ", ", "])
DRAFTS = st.lists(st.one_of(MARKERS, PROSE, BLANKS), max_size=40).map("".join)
HOSTILE = st.text(alphabet="[]【】［］〔〕()NnΝ1234９ ,;-–^\\.\nxand\u200d", max_size=60)
ANY_MARKER = re.compile(
    r"\\?[\[【［〔⟦][\s^]*[NnＮｎΝ][\s\u200d]*\d[^\[\]【】［］〔〕⟦⟧]*[\]］】〕⟧]"
)

PLAIN_MARKER = re.compile(
    r"[\[【［〔]\s*[NnＮｎΝ][\s\u200d]*\d+(?:[\s,;]+[NnＮｎΝ]\s*\d+)*\s*[\]］】〕]"
)


def checked(text: str) -> Cited:
    return check_citations(text, OFFERED)


@pytest.mark.parametrize(
    ("draft", "text", "used"),
    [
        (
            "Cloud Run [N1] and Firestore [N2].",
            "Cloud Run [N1] and Firestore [N2].",
            ["one", "two"],
        ),
        ("Firestore [N2], Cloud Run [N1].", "Firestore [N1], Cloud Run [N2].", ["two", "one"]),
        ("Both [N1, N3].", "Both [N1][N2].", ["one", "three"]),
        ("Both [N3][N1].", "Both [N1][N2].", ["three", "one"]),
        ("Both [N1; N3].", "Both [N1][N2].", ["one", "three"]),
        ("Both [N1 and N3].", "Both [N1][N2].", ["one", "three"]),
        ("Lower case [n2].", "Lower case [N1].", ["two"]),
        ("全角【N2】和［Ｎ１］。", "全角[N1]和[N2]。", ["two", "one"]),
        ("Full-width digit [N２].", "Full-width digit [N1].", ["two"]),
        ("Leading zero [N02].", "Leading zero [N1].", ["two"]),
        ("Range [N1-N3] and [N2–3].", "Range [N1][N2][N3] and [N2][N3].", ["one", "two", "three"]),
        ("Escaped \\[N2\\], footnote [^N2].", "Escaped [N1], footnote [N1].", ["two"]),
        ("Twice in one [N1, N1].", "Twice in one [N1].", ["one"]),
        ("**Bold [N2]** and `code [N1]`.", "**Bold [N1]** and `code [N2]`.", ["two", "one"]),
        ("A [link [N2]](https://example.org).", "A [link [N1]](https://example.org).", ["two"]),
        ("Wiki style [[N2]].", "Wiki style [[N1]].", ["two"]),
    ],
)
def test_every_form_of_marker_is_read_and_written_back_plainly(
    draft: str, text: str, used: list[str]
) -> None:
    cited = checked(draft)
    assert cited.text == text
    assert [source.passage.chunk.text for source in cited.used] == used
    assert [source.label for source in cited.used] == [
        f"N{number}" for number in range(1, len(used) + 1)
    ]
    assert cited.removed == ()


@pytest.mark.parametrize(
    ("draft", "text"),
    [
        ("We chose Firestore [N9].", "We chose Firestore."),
        ("We chose [N9] Firestore.", "We chose Firestore."),
        ("[N9] We chose Firestore.", "We chose Firestore."),
        ("- [N9] We chose it.\n- [N1] Yes.", "- We chose it.\n- [N1] Yes."),
        ("Firestore ([N9]) scales.", "Firestore scales."),
        ("Firestore (see [N9]) scales.", "Firestore (see) scales."),
        ("Firestore [N9], [N1].", "Firestore [N1]."),
        ("Firestore [N1], [N9].", "Firestore [N1]."),
        ("Firestore [N1], [N9] and [N2].", "Firestore [N1] and [N2]."),
        ("Firestore [N9][N8] [N7].", "Firestore."),
        ("Firestore [N9] , then Redis.", "Firestore, then Redis."),
        ("Firestore [N9]\nRedis [N8]", "Firestore\nRedis"),
        ("Firestore [N1, N9].", "Firestore [N1]."),
        ("**Firestore [N9]** it is.", "**Firestore** it is."),
        ("Firestore `[N9]` it is.", "Firestore it is."),
        ("`code` [N9] `code`.", "`code` `code`."),
        ("Firestore (` [N9] `).", "Firestore."),
        ("Firestore **[N9]** it is **[N8]**.", "Firestore it is."),
        ("Firestore (*[N9]*), _[N8]_ yes.", "Firestore, yes."),
        ("*Firestore*[N9]*it* is.", "*Firestore**it* is."),
        ("Firestore[N9]is it.", "Firestore is it."),
        ("它[N9]是。", "它是。"),
        ("Firestore [N9]**is** it.", "Firestore **is** it."),
        ("我们选择了它【N9】。", "我们选择了它。"),
    ],
)
def test_a_label_that_was_not_offered_goes_without_a_trace(draft: str, text: str) -> None:
    assert checked(draft).text == text


def test_removed_labels_are_told_once_each_in_order_and_normalised() -> None:
    assert checked("a [N9] b [n07] c [N9, N1] d [N2-N5]").removed == ("N9", "N7", "N5")


@pytest.mark.parametrize(
    "prose",
    ["x[1]", "[link](https://example.org)", "[ ]", "[note]", "(N1)", "N1", "[N]", "[1]", "[NN1]"],
)
def test_brackets_that_cite_nothing_stay(prose: str) -> None:
    assert checked(prose) == Cited(prose, (), ())


def test_a_gap_never_joins_its_sides_to_a_new_marker() -> None:
    assert checked("[N[N9]1]").text == "(N 1]"
    assert not PLAIN_MARKER.search(checked("[[N9]N1] and [N([N9])1]").text)


@given(st.one_of(DRAFTS, HOSTILE))
def test_no_label_that_was_not_offered_survives(draft: str) -> None:
    cited = checked(draft)
    allowed = {f"[{source.label}]" for source in cited.used}
    assert {marker[0] for marker in PLAIN_MARKER.finditer(cited.text)} <= allowed


@given(st.one_of(DRAFTS, HOSTILE))
def test_labels_in_the_text_are_dense_and_in_order_of_first_use(draft: str) -> None:
    cited = checked(draft)
    first_uses = list(dict.fromkeys(re.findall(r"\[(N\d+)\]", cited.text)))
    assert first_uses == [source.label for source in cited.used]
    assert first_uses == [f"N{number}" for number in range(1, len(first_uses) + 1)]


@given(st.one_of(DRAFTS, HOSTILE))
def test_checking_an_answer_twice_changes_nothing(draft: str) -> None:
    once = checked(draft)
    twice = check_citations(once.text, once.used)
    assert twice == Cited(once.text, once.used, ())


@given(DRAFTS)
def test_no_other_word_changes(draft: str) -> None:
    def words(text: str) -> list[str]:
        joiners = {"and"}  # may stand between markers and go with one
        return [
            word for word in re.findall(r"\w+", ANY_MARKER.sub(" ", text)) if word not in joiners
        ]

    assert words(checked(draft).text) == words(draft)


@given(st.text())
def test_a_text_without_markers_is_returned_as_it_is(text: str) -> None:
    if not ANY_MARKER.search(text):
        assert checked(text) == Cited(text, (), ())


WORDS = st.sampled_from(
    [
        "We",
        "chose",
        "**Firestore**",
        "naïve",
        "`code`",
        "1.5",
        "(yes)",
        "it's",
        "😀",
        "e\u0301",
        "—",
    ]
)
ENDS = st.sampled_from([".", "!", "?", "…", ":", ";", ",", "", ".\n\n-", "\n", ".\n#"])
UNKNOWN = st.sampled_from(
    [
        "[N9]",
        "[n7]",
        "【N8】",
        "[N9, N8]",
        "[N7][N8]",
        "[^N9]",
        "\\[N9\\]",
        "([N9])",
        "**[N9]**",
        "〔N9〕",
        "[N8-N9]",
    ]
)


@given(
    st.lists(
        st.tuples(st.lists(WORDS, min_size=1, max_size=4), ENDS, st.none() | UNKNOWN), max_size=8
    )
)
def test_an_invented_citation_before_a_sentence_s_end_leaves_the_text_as_if_it_had_never_stood_there(
    sentences: list[tuple[list[str], str, str | None]],
) -> None:
    clean = " ".join(" ".join(words) + end for words, end, _ in sentences)
    cited = " ".join(
        " ".join(words) + (f" {label}" if label else "") + end for words, end, label in sentences
    )
    assert checked(cited) == Cited(clean, (), checked(cited).removed)


def test_sources_without_any_use_are_not_used() -> None:
    assert check_citations("Nothing cited.", OFFERED).used == ()
    assert check_citations("All gone [N1].", ()) == Cited("All gone.", (), ("N1",))


@pytest.mark.parametrize(
    "piece",
    [
        "[N1 ",
        "[N1, ",
        "[N[N9",
        "[N",
        "(",
        "[N9] ",
        "[N1], ",
        " ",
        "([N9",
        "[[",
        "a [N9]b",
        "[N1-",
        "\\[",
    ],
)
def test_a_draft_of_a_hundred_thousand_characters_takes_no_time(piece: str) -> None:
    draft = piece * (100_000 // len(piece)) + "]" * 1000
    started = time.thread_time()
    checked(draft)
    assert time.thread_time() - started < 2.0


def test_the_offered_source_travels_with_its_new_label() -> None:
    assert checked("x [N3]").used == (Source("N1", OFFERED[2].passage),)
