"""Words that turn a sentence around: pairs of opposites, and words that deny without a negation."""

from __future__ import annotations

from functools import cache

from shared.text.terms import stem_of

_PAIRS = {
    "en": """
        increase/decrease increase/reduce raise/lower raise/reduce rise/fall rise/drop grow/shrink
        higher/lower high/low more/less more/fewer most/least greater/smaller larger/smaller longer/shorter
        faster/slower early/late earlier/later before/after first/last with/without accept/reject
        approve/reject allow/forbid allow/prevent enable/disable enable/prevent promote/inhibit
        promote/suppress activate/inhibit activate/suppress induce/inhibit stimulate/inhibit enhance/inhibit
        enhance/impair enhance/reduce improve/worsen improve/impair improve/reduce upregulate/downregulate
        gain/lose win/lose pass/fail succeed/fail success/failure start/stop begin/end open/close buy/sell
        add/remove keep/drop cheap/expensive better/worse best/worst positive/negative presence/absence
        present/absent always/never all/none agree/disagree like/dislike love/hate safe/dangerous strong/weak
        hot/cold warm/cold deficiency/excess upstream/downstream above/below over/under inside/outside
        internal/external sensitive/resistant sensitivity/resistance protect/harm benefit/harm simple/complex
        easy/hard full/empty left/right up/down
    """,
    "de": """
        mehr/weniger höher/niedriger hoch/niedrig steigen/fallen steigen/sinken erhöhen/senken größer/kleiner
        länger/kürzer schneller/langsamer früh/spät vor/nach mit/ohne annehmen/ablehnen erlauben/verbieten
        beginnen/enden öffnen/schließen kaufen/verkaufen gut/schlecht besser/schlechter immer/nie alle/keine
        billig/teuer stark/schwach warm/kalt leicht/schwer
    """,
    "es": """
        más/menos alto/bajo subir/bajar aumentar/disminuir aumentar/reducir mayor/menor antes/después con/sin
        aceptar/rechazar permitir/prohibir empezar/terminar abrir/cerrar comprar/vender bueno/malo mejor/peor
        siempre/nunca barato/caro fuerte/débil
    """,
    "fr": """
        plus/moins haut/bas monter/baisser augmenter/diminuer augmenter/réduire avant/après avec/sans
        accepter/refuser permettre/interdire commencer/finir ouvrir/fermer acheter/vendre bon/mauvais
        meilleur/pire toujours/jamais fort/faible
    """,
}
_DENIALS = {
    "en": """
        lack absent absence gone fail unable reject drop deny refuse avoid stop exclude independent unaffected
        free rule little
    """,
    "de": """
        fehlen ablehnen abgelehnt vermeiden weg
    """,
    "es": """
        falta faltar rechazar evitar
    """,
    "fr": """
        manque manquer refuser éviter absence
    """,
}


@cache
def _by_stem(lang: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.get(lang, "").split():
        one, other = (stem_of(word, lang) for word in pair.split("/"))
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {stem: frozenset(others) for stem, others in found.items()}


def opposites(stem: str, lang: str) -> frozenset[str]:
    """Stems that say the opposite; empty where none is known."""
    return _by_stem(lang).get(stem, frozenset())


@cache
def denials(lang: str) -> frozenset[str]:
    """Stems that say no without a negation: `lack`, `gone`."""
    return frozenset(stem_of(word, lang) for word in _DENIALS.get(lang, "").split())
