"""Words that say what kind of thing is spoken of, not which: `cost`, `name`, `decide`. Questions and claims share them
with every note and with none.
"""

from __future__ import annotations

from functools import cache

from shared.language.terms import stem_of

_LISTS = {
    "en": "agree amount answer ask ate attend bad begin best better bought break bring broke brought build built "
    "buy call came cause change choose chose come cook cost date day decide decided decision describe detail "
    "did difference different discuss do drank drink drive drove eat end event expensive fail far favorite "
    "favourite feel find flew fly found gave get give go good got grew grow happen hear held help hid hidden "
    "hide high hold hour idea important information keep kept kind knew know learn leave left lend list live "
    "long lose lost made make many mean meet mention minute money month much name need new next note number "
    "old paid pay people person place plan play price problem put question ran read reason recent recipe "
    "recommend record remember ride rode run said saw say see seen sell send sent size sleep slept sold solve "
    "sort spend spent start status stay suggest summarize summary take talk taught teach tell thing think "
    "thought time told took topic total travel type use variety visit visited want watch way week went win "
    "won work write writing written wrong wrote year",
    "de": "anfangen antwort art aufgeschrieben besprochen beste besuchen besucht bezahlen bezahlt brauchen bringen "
    "datum denken ende entscheiden entscheidung entschieden erfahren erwähnt erzählt essen fangen finden "
    "frage ganz geben gefahren gefunden gegessen gehen geht gekauft gekocht gelernt gelesen gemacht gesagt "
    "geschehen geschlafen geschrieben gesehen getrunken gibt grund gut haben heißen heißt hoch jahr kaufen "
    "kommen kommt kosten kostet lang lernen liste machen meinen menge monat name nehmen notiert notiz nummer "
    "passiert plan preis problem sache sagen sagte schreiben stand tag thema tun uhr unterschied viel wissen "
    "woche zahl zeit",
    "es": "anotar año buscar cambiar cantidad causa comer comido comprado comprar compré comí costar coste costo "
    "cuesta cuestan decidido decidimos decidir decir diferencia dijo día escribir escribí fecha forma gustar "
    "hablar hacer hizo hora idea información ir leer leído lista llama llamar mejor mes motivo necesitar "
    "nombre nota número pagar pagué pasar pasó pensar persona precio problema razón recordar semana tema "
    "tener tiempo tipo usar ver vi viajar visitar visto",
    "fr": "acheter acheté aimer aller an appeler appelle apprendre boire bu cause changer chose combien coût coûte "
    "coûter date demander différence dire dit donner décider décidé décision est-ce faire fait heure idée "
    "information jour lire liste lu manger mangé meilleur mois montant nom nombre note noter numéro parler "
    "passer passé payer payé penser personne prix problème qu'est-ce raison semaine sujet temps trouver type "
    "utiliser visiter visité voir vouloir vu écrire écrit",
}


@cache
def general(lang: str) -> frozenset[str]:
    """Their stems; empty for a language without a list. `lang`: ISO 639-1."""
    return frozenset(stem_of(word, lang) for word in _LISTS.get(lang, "").split())
