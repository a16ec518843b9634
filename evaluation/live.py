"""Ten questions about the sample notes -> what the models that are set keep of what the product asks of them.

The writer's raw drafts are recorded on their way into the product, so that a label that a model made up is seen
although no answer shows it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from statistics import median
from time import perf_counter

from evaluation.calibration import measured
from evaluation.corpus import fill
from shared.account import prices
from shared.answering.drafts import DraftStream
from shared.app import App
from shared.asking.turn import events_of
from shared.bootstrap import assemble
from shared.errors import ModelRefused, ModelUnavailable, OperatorError
from shared.language.languages import detect
from shared.model.answers import (
    Answer,
    CheckedPiece,
    Delta,
    Draft,
    Prompt,
    Statement,
    Support,
    Usage,
)
from shared.model.index import IndexedChunk
from shared.model.questions import Question
from shared.model.retrieval import CosineCalibration
from shared.notes.service import NoteDraft
from shared.ports.models import Embedder, Judge, Writer

TENANT = "live"
TRUSTED_DIFFERENCE = 0.1
"""Greatest distance of a measured cosine from the constant in use: half the width of a step of the vector score."""
CENT = 0.01
PATIENCE_SECONDS = 3.0
"""Median time to the first words beyond which people think that nothing happens."""

_MARKER = re.compile(r"\[(N\d+)\]")


@dataclass(frozen=True, slots=True)
class LiveQuestion:
    """A question to the sample notes."""

    text: str
    language: str
    in_notes: bool
    """True if the notes hold the answer."""


QUESTIONS = (
    LiveQuestion("How much flour goes into one loaf?", "en", in_notes=True),
    LiveQuestion("How long does larch last outdoors?", "en", in_notes=True),
    LiveQuestion(
        "Why did the connections run out, and what was done about it?",
        "en",
        in_notes=True,
    ),
    LiveQuestion(
        "Which tomato varieties did I plant and how much did each give?",
        "en",
        in_notes=True,
    ),
    LiveQuestion("Wie lange müssen die Linsen köcheln?", "de", in_notes=True),
    LiveQuestion("Was hat Oma über den Essig gesagt?", "de", in_notes=True),
    LiveQuestion("How many cucumbers did I harvest?", "en", in_notes=False),
    LiveQuestion("Which hotel did we stay at in Tokyo?", "en", in_notes=False),
    LiveQuestion("Wie lange muss der Pizzateig gehen?", "de", in_notes=False),
    LiveQuestion("Wann hat Jonas Geburtstag?", "de", in_notes=False),
)


@dataclass(frozen=True, slots=True)
class Expectation:
    """One thing that the product expects of a model."""

    name: str
    result: str
    passed: bool
    cure: str
    """Advice if it did not pass."""


@dataclass(slots=True)
class RecordingWriter:
    """A writer that keeps every prompt with the draft that it got."""

    inner: Writer
    drafts: list[tuple[Prompt, Draft]] = field(default_factory=list)

    @property
    def model(self) -> str:
        return self.inner.model

    def write(self, prompt: Prompt) -> Draft:
        draft = self.inner.write(prompt)
        self.drafts.append((prompt, draft))
        return draft

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        text = ""
        usage = Usage()
        for delta in self.inner.stream(prompt):
            text += delta.text
            usage = delta.usage or usage
            yield delta
        self.drafts.append((prompt, Draft(text, self.inner.model, usage)))


@dataclass(frozen=True, slots=True)
class _Reply:
    question: LiveQuestion
    answer: Answer
    first_words_seconds: float | None
    """Seconds until the first text; None if nothing was shown before the end."""
    was_written: bool
    """True if the search found passages, so that the writer was asked."""


def check_models(app: App, notes: Mapping[str, NoteDraft], now: datetime) -> list[Expectation]:
    """Indexes the notes, asks QUESTIONS and returns what was seen of writer, judge and embedder.

    Raises what the App raises while it indexes. A writer that fails is a result.
    """
    checks: list[Expectation] = []
    if app.writer is None:
        fill(app, TENANT, notes)
    else:
        recorder = RecordingWriter(app.writer)
        model = app.writer.model
        app = assemble(replace(app, writer=recorder))
        fill(app, TENANT, notes)
        replies = [_ask(app, recorder, question, now) for question in QUESTIONS]
        checks += _check_drafts(recorder.drafts)
        checks += _check_replies(replies)
        checks.append(_check_whole_reply(recorder))
        checks.append(_check_judge(app.support.judge, replies))
        checks.append(_check_cost(recorder, model))

    if app.embedder is not None:
        checks.append(_check_embedder(app, app.embedder))
    return checks


def _ask(
    app: App,
    recorder: RecordingWriter,
    question: LiveQuestion,
    now: datetime,
) -> _Reply:
    drafts_so_far = len(recorder.drafts)
    started = perf_counter()
    first_words_seconds = None
    events = events_of(app, Question(TENANT, question.text, now))
    for event in events:
        if isinstance(event, CheckedPiece) and first_words_seconds is None:
            first_words_seconds = perf_counter() - started
        if isinstance(event, Answer):
            return _Reply(
                question=question,
                answer=event,
                first_words_seconds=first_words_seconds,
                was_written=len(recorder.drafts) > drafts_so_far,
            )

    raise AssertionError("the last event is the answer")


def _check_drafts(drafts: Sequence[tuple[Prompt, Draft]]) -> list[Expectation]:
    """Checks what streamed drafts begin with, and which labels they cite."""
    labelled = [_says_whether_it_answers(prompt, draft) for prompt, draft in drafts]
    made_up: set[str] = set()
    for prompt, draft in drafts:
        offered = {source.label for source in prompt.sources}
        made_up |= set(_MARKER.findall(draft.text)) - offered

    return [
        Expectation(
            "begins with its ANSWER line",
            f"{sum(labelled)} of {len(labelled)} drafts",
            passed=bool(labelled) and all(labelled),
            cure="Answers stay checked, but a refusal is recognised by its words alone: choose a model that follows "
            "instructions more closely.",
        ),
        Expectation(
            "cites only labels that it was offered",
            ", ".join(sorted(made_up)) + " made up" if made_up else "all labels were offered",
            passed=not made_up,
            cure="Made-up labels are removed, and what they cite is not shown as cited: choose a larger model.",
        ),
    ]


def _says_whether_it_answers(prompt: Prompt, draft: Draft) -> bool:
    stream = DraftStream(prompt, _Replay(draft))
    for _ in stream.pieces():
        pass
    return stream.answers is not None


@dataclass(frozen=True, slots=True)
class _Replay:
    """A writer that gives a draft again."""

    draft: Draft

    @property
    def model(self) -> str:
        return self.draft.model

    def write(self, prompt: Prompt) -> Draft:
        del prompt
        return self.draft

    def stream(self, prompt: Prompt) -> Generator[Delta]:
        yield Delta(self.write(prompt).text)


def _check_replies(replies: Sequence[_Reply]) -> list[Expectation]:
    """Checks the answers as people see them."""
    in_notes = [reply for reply in replies if reply.question.in_notes]
    cited = []
    for reply in in_notes:
        answer = reply.answer
        if answer.citations and not answer.writer_problem:
            cited.append(reply)
    return [
        _check_writing(replies),
        Expectation(
            "answers from the notes, with citations",
            f"{len(cited)} of {len(in_notes)} questions",
            passed=len(cited) == len(in_notes),
            cure="Look at the answers with `aurora ask`; a model that leaves citations out is not fit for this.",
        ),
        _check_refusals(replies),
        _check_languages(cited),
        _check_first_words(cited),
    ]


def _check_writing(replies: Sequence[_Reply]) -> Expectation:
    """Checks whether the writer wrote every answer."""
    problems = {reply.answer.writer_problem for reply in replies if reply.answer.writer_problem}
    return Expectation(
        "writes",
        "; ".join(sorted(problems)) or "every time",
        passed=not problems,
        cure="`aurora doctor` says what is set and what the service refused.",
    )


def _check_refusals(replies: Sequence[_Reply]) -> Expectation:
    """Checks the answers to questions that the notes do not answer."""
    beyond_notes = [reply for reply in replies if not reply.question.in_notes]
    refused = [reply for reply in beyond_notes if reply.answer.refusal]
    by_writer = [reply for reply in refused if reply.was_written]
    return Expectation(
        "refuses what is not in the notes",
        f"{len(refused)} of {len(beyond_notes)} questions, {len(by_writer)} of them by the writer",
        passed=len(refused) == len(beyond_notes),
        cure="SUPPORT_POLICY=strict shows nothing that no passage backs.",
    )


def _check_languages(cited: Sequence[_Reply]) -> Expectation:
    """Checks whether answers are in the language of their questions."""
    in_language = [reply for reply in cited if detect(reply.answer.text) == reply.question.language]
    return Expectation(
        "answers in the question's language",
        f"{len(in_language)} of {len(cited)} answers",
        passed=bool(cited) and len(in_language) == len(cited),
        cure="Choose a model that knows the languages of your people.",
    )


def _check_first_words(cited: Sequence[_Reply]) -> Expectation:
    """Checks how long people wait for the first words of an answer."""
    seconds = []
    for reply in cited:
        if reply.first_words_seconds is not None:
            seconds.append(reply.first_words_seconds)

    result = "none"
    is_soon = False
    if seconds:
        middle = median(seconds)
        is_soon = middle <= PATIENCE_SECONDS
        result = f"median {middle:.2f} s, at most {max(seconds):.2f} s"
    return Expectation(
        "first words",
        result,
        passed=is_soon,
        cure="A model that thinks less, or a region nearer by, begins sooner.",
    )


def _check_whole_reply(recorder: RecordingWriter) -> Expectation:
    """Asks two of the prompts again, in one piece each."""
    prompts = _first_by_language(prompt for prompt, _ in recorder.drafts)
    failures = []
    for prompt in prompts:
        try:
            draft = recorder.write(prompt)
        except (ModelUnavailable, ModelRefused) as error:
            failures.append(error.message)
            continue
        if not _says_whether_it_answers(prompt, draft):
            failures.append("no ANSWER line")

    return Expectation(
        "replies in one piece too",
        "; ".join(failures) or f"{len(prompts)} of {len(prompts)} replies",
        passed=bool(prompts) and not failures,
        cure="Rewritten follow-ups, ranked folders and the model judge need whole replies.",
    )


def _first_by_language(prompts: Iterable[Prompt]) -> list[Prompt]:
    by_language: dict[str, Prompt] = {}
    for prompt in prompts:
        by_language.setdefault(detect(prompt.question), prompt)
    return list(by_language.values())


def _check_judge(judge: Judge, replies: Sequence[_Reply]) -> Expectation:
    """Has the judge read a quote of a passage, and the same quote denied by a changed number."""
    name = f"judge ({judge.name}) tells true from false"
    for reply in replies:
        for citation in reply.answer.citations:
            number = re.search(r"\d+", citation.quote)
            if number is None:
                continue
            changed = str(int(number[0]) * 3 + 1)
            lie = citation.quote[: number.start()] + changed + citation.quote[number.end() :]
            passage = citation.passage.chunk
            return _judged_pair(judge, name, citation.quote, lie, passage)

    return Expectation(
        name,
        "no citation held a number",
        passed=False,
        cure="See the rows above.",
    )


def _judged_pair(
    judge: Judge,
    name: str,
    truth: str,
    lie: str,
    passage: IndexedChunk,
) -> Expectation:
    statements = [Statement(truth, (passage,)), Statement(lie, (passage,))]
    verdicts = judge.judge(statements).verdicts
    of_truth = verdicts[0].support.state.value
    of_lie = verdicts[1].support.state.value
    return Expectation(
        name,
        f"its own words {of_truth}, with another number {of_lie}",
        passed=_backs(verdicts[0].support) and not _backs(verdicts[1].support),
        cure="JUDGE=offline judges without a model.",
    )


def _backs(support: Support) -> bool:
    return support.state.value in ("supported", "quoted")


def _check_cost(recorder: RecordingWriter, model: str) -> Expectation:
    usage = Usage()
    for _, draft in recorder.drafts:
        usage += draft.usage
    usd = prices.usd(usage, model)
    tokens = f"{usage.input_tokens} tokens read, {usage.output_tokens} written"
    return Expectation(
        "cost of all that was written here",
        f"{tokens}, price of {model} unknown" if usd is None else f"{tokens}, USD {usd:.4f}",
        passed=usd is None or usd < CENT,
        cure="DAILY_PROJECT_USD bounds a day's cost; a smaller model costs less.",
    )


def _check_embedder(app: App, embedder: Embedder) -> Expectation:
    name = f"embedder {embedder.model}"
    version = app.index_version
    try:
        seen = measured(
            TENANT,
            store=app.store,
            embedder=embedder,
            index_version=version,
        )
    except (OperatorError, ModelUnavailable, ModelRefused) as error:
        return Expectation(
            name,
            error.message,
            passed=False,
            cure="`aurora doctor` says what it needs.",
        )

    result = (
        f"{embedder.dimension} dimensions; unrelated {seen.baseline:.2f}, alike {seen.match:.2f}"
    )
    calibration = embedder.calibration
    if calibration is not None:
        result += f" (in use {calibration.baseline:.2f} and {calibration.match:.2f})"
    return Expectation(
        name,
        result,
        passed=calibration is None or _is_near(seen, calibration),
        cure=f"Set EMBEDDING_UNRELATED={seen.baseline:.2f} and EMBEDDING_ALIKE={seen.match:.2f}, "
        "better after `aurora doctor --calibrate` on notes of your own.",
    )


def _is_near(seen: CosineCalibration, used: CosineCalibration) -> bool:
    differences = (abs(seen.baseline - used.baseline), abs(seen.match - used.match))
    return max(differences) <= TRUSTED_DIFFERENCE


def as_markdown(checks: Sequence[Expectation]) -> str:
    """Returns the checks as a Markdown table, and below it what to do about those that did not pass."""
    lines = ["| what | seen | |", "|---|---|---|"]
    cures = []
    for check in checks:
        verdict = "ok"
        if not check.passed:
            verdict = "**no**"
            cures.append(f"- {check.name}: {check.cure}")
        result = check.result.replace("|", "/")
        lines.append(f"| {check.name} | {result} | {verdict} |")

    if cures:
        lines += ["", *cures]
    return "\n".join(lines)
