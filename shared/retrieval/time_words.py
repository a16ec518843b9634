"""How four languages name times: words, and patterns that tie them to the kinds `time_phrases` can resolve.

A pattern is a regular expression in which `{unit}`, `{n}`, `{weekday}`, `{month}`, `{season}` and `{year}` stand for
the language's words. A pattern marked weak is a time only behind one of the language's prepositions or operators:
`March` alone is a verb, a name or a month, `in March` is the month.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

YEAR = r"(?:19|20)\d\d"


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to name a time. `kind` is resolved by `time_phrases`; `weak`: needs a preposition before it."""

    kind: str
    pattern: str
    weak: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """One language's time words, lower case."""

    units: Mapping[str, str]
    numbers: Mapping[str, int]
    weekdays: Mapping[str, int]
    months: Mapping[str, int]
    seasons: Mapping[str, int]
    """Word -> first month."""
    rules: tuple[Rule, ...]
    prepositions: str
    """What makes a weak match a time, directly before it."""
    operators: Mapping[str, str]
    """`since`, `after`, `before`, `until`, … -> pattern directly before a time."""
    distances: tuple[Rule, ...]
    """What makes `before` and `after` a distance from a time, directly before them."""
    between: str
    """What opens a range, directly before its first end."""
    joiners: str
    """What stands between the two ends of a range."""
    links: str
    """What stands between two times that are one, a comma aside: `March of last year`. Behind `said` stands the day of
    the note."""
    parts: Mapping[str, str] = field(default_factory=dict)
    """`start`, `end`, … -> pattern directly before a time."""
    names_are_capitalised: bool = True
    """Whether a capital inside a sentence marks a name (not so in German)."""

    @property
    def words(self) -> Mapping[str, str]:
        """Name in a pattern -> what it stands for."""
        return {
            "unit": _group("unit", self.units),
            "n": rf"(?P<n>\d{{1,3}}|{_alternatives(self.numbers)})",
            "weekday": _group("weekday", self.weekdays),
            "month": _group("month", self.months),
            "season": _group("season", self.seasons),
            "year": rf"(?P<year>{YEAR})",
        }


def _alternatives(words: Mapping[str, object]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True)).replace(r"\ ", r"\s+")


def _group(name: str, words: Mapping[str, object]) -> str:
    return rf"(?P<{name}>{_alternatives(words)})"


def _filled(pattern: str, words: Mapping[str, str]) -> str:
    for name, alternatives in words.items():
        pattern = pattern.replace("{" + name + "}", alternatives)
    return pattern.replace(" ", r"\s+")


def _whole_word(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./@#_])(?<!(?<!mid)(?<!mi)-)(?:{pattern})(?![\w/@_]|[.\-][\w])", re.IGNORECASE)


ENGLISH_NAMED_DAYS = r"black|good|cyber|bloody|casual|super|ash|palm|easter|whit|shrove|every|each"

ENGLISH = Lexicon(
    units={f"{unit}{s}": unit for unit in ("day", "week", "month", "quarter", "year") for s in ("", "s")}
    | {"fortnight": "week", "fortnights": "week"},
    numbers={
        word: number
        for number, words in enumerate(
            ("a|an|one", "two|couple|a couple|couple of|a couple of", "three", "four", "five", "six", "seven", "eight",
             "nine", "ten", "eleven", "twelve"),
            start=1,
        )
        for word in words.split("|")
    }
    | {"few": -1, "a few": -1, "several": -1},
    weekdays={
        word: number
        for number, words in enumerate(
            ("monday|mon", "tuesday|tue|tues", "wednesday|wed", "thursday|thu|thurs", "friday|fri",
             "saturday|sat", "sunday|sun")
        )
        for word in words.split("|")
    },
    months={
        word: number
        for number, words in enumerate(
            ("january|jan", "february|feb", "march|mar", "april|apr", "may", "june|jun", "july|jul", "august|aug",
             "september|sept|sep", "october|oct", "november|nov", "december|dec"),
            start=1,
        )
        for word in words.split("|")
    },
    seasons={"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12},
    rules=(
        Rule("ignored", r"(?:next|coming|upcoming|following) (?:{unit}|{weekday}|{month}|{season}|weekend)"),
        Rule("ignored", rf"(?:{ENGLISH_NAMED_DAYS}) (?:{{weekday}}|day|week|month|year)"),
        Rule("ignored", r"(?:day|week|month|year) (?:by|after|to) (?:day|week|month|year)"),
        Rule("today", r"today|tonight|this (?:morning|afternoon|evening)"),
        Rule("day_before_yesterday", r"(?:the )?day before yesterday"),
        Rule("yesterday", r"yesterday(?: (?:morning|afternoon|evening|night))?|last night"),
        Rule("recently", r"recently|lately|in recent weeks|as of late"),
        Rule("other_day", r"the other day|in recent days"),
        Rule("fortnight", r"(?:a|one) fortnight ago"),
        Rule("ago", r"(?:(?:about|around|roughly|some) )?{n} {unit} ago(?: today)?"),
        Rule("ago", r"(?P<unit>week|month|quarter|year) before last"),
        Rule("older", r"older than {n} {unit}"),
        Rule("rolling", r"(?:(?:in|over|during|within|for) )?(?:the )?(?:last|past|previous) {n} {unit}"),
        Rule("rolling", r"(?:in|over|during|within) the (?:last|past) (?P<unit>day|week|month|quarter|year)"),
        Rule("rolling", r"(?:the )?past (?P<unit>day|week|month|quarter|year)"),
        Rule("last_unit", r"(?:last|previous) (?P<unit>week|month|quarter|year)(?! of\b)"),
        Rule("this_unit", r"(?:earlier )?(?:this|current) (?P<unit>week|month|quarter|year)"),
        Rule("weekend", r"(?P<last>last|previous) weekend"),
        Rule("weekend", r"(?P<last>)(?:the )?weekend (?P<before>before) last"),
        Rule("weekend", r"(?:(?:this|at the|on the|over the|during the) )weekend"),
        Rule("weekday_in_week", r"(?:on )?{weekday} (?:of )?(?:(?P<last>last)|this) week"),
        Rule("weekday_in_week", r"(?P<last>last) week(?:'s|’s|,)? (?:on )?{weekday}"),
        Rule("weekday", r"(?:on )?(?:(?P<last>last|past|previous)|this) {weekday}(?: (?:morning|afternoon|evening|night))?"),
        Rule("weekday", r"{weekday}(?: (?:morning|afternoon|evening|night))?", weak=True),
        Rule("days_of_month", r"(?:between |from )?(?P<d1>\d{1,2})(?:\s*[-–]\s*| and | to )(?P<d2>\d{1,2}) (?:of )?{month}(?:,? {year})?"),
        Rule("days_of_month", r"(?:between |from )?{month} (?P<d1>\d{1,2})(?:\s*[-–]\s*| and | to )(?P<d2>\d{1,2})(?:,? {year})?"),
        Rule("date", r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? {month}(?:(?:,\s*| ){year})?"),
        Rule("date", r"{month} (?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:(?:,\s*| ){year})?"),
        Rule("iso", r"(?P<year>(?:19|20)\d\d)-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?"),
        Rule("slashes", r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>(?:19|20)\d\d)"),
        Rule("day_number", r"the (?P<day>\d{1,2})(?:st|nd|rd|th)", weak=True),
        Rule("month", r"(?:(?P<last>last|previous)|this) {month}"),
        Rule("month", r"{month},?(?: of)? {year}"),
        Rule("month", r"{month}", weak=True),
        Rule("quarter", r"q(?P<quarter>[1-4])(?:[\s/-]?{year})?"),
        Rule("quarter", r"{year}[\s-]?q(?P<quarter>[1-4])"),
        Rule("quarter", r"(?:the )?(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th|last) quarter(?: of)?(?: {year}| (?P<back>this|last) year)"),
        Rule("half", r"h(?P<half>[12]) {year}"),
        Rule("season", r"(?P<last>last|previous) {season}"),
        Rule("season", r"(?:this )(?P<season>spring|summer|autumn|winter|fall)"),
        Rule("season", r"{season}(?: of)? {year}"),
        Rule("season", r"(?:the )?(?P<season>spring|summer|autumn|winter|fall)(?! of\b(?! (?:last|this) year))", weak=True),
        Rule("christmas", r"(?:(?:over|at|around|during|since|on) )?(?P<last>last )?(?:christmas|xmas)(?! (?:tree|party|list|card|gift|present|market|carol|song)s?)(?: {year})?"),
        Rule("year", r"(?:the year )?{year}(?! (?:words|lines|people|users|euros?|dollars|pages|items|notes|requests|units|steps|times|calories|characters|tokens|rows|files|km|kg|m|mb|gb|ms|kilometers|meters|hours|minutes|seconds|days|weeks|customers|subscribers|servers|records|points|copies|pieces|entries|messages|emails|feet|miles|percent)\b)", weak=True),
    ),
    prepositions=r"(?:in|on|during|of|over|from|around|throughout|early|late|mid)",
    operators={
        "since": r"since|starting(?: from)?|ever since",
        "after": r"after|later than|following",
        "before": r"before|prior to|earlier than|older than|preceding|leading up to",
        "more than": r"more than|over",
        "until": r"until|till|up to|up until|through",
        "within": r"less than|within",
    },
    distances=(
        Rule("counted", r"(?:(?:about|around|roughly|some|exactly|just) )?{n} {unit}"),
        Rule("few", r"(?:(?:in|over|during) )?the (?:(?:last|first|few) )*(?P<unit>days|weeks|months|years)"),
        Rule("adjoining", r"(?:(?:in|over|during|on) )?the (?:(?:last|first) )?(?:{n} )?{unit}"),
        Rule("adjoining", r"(?:(?:in|on|during) )?the (?:morning|afternoon|evening|night)"),
        Rule("weekday", r"(?:on )?(?:(?:the|last|the last) )?{weekday}"),
        Rule("weekend", r"(?:(?:on|over|during|at) )?(?:(?:the|last|the last) )?weekend"),
        Rule("soon", r"shortly|soon|right|just|immediately"),
    ),
    between=r"between|from",
    joiners=r"and|to|until|till|through|-|–",
    links=r"of|in|on|from|during|back in|(?P<said>as (?:mentioned|stated|said|noted|written|described) (?:on|in))",
    parts={
        "start": r"(?:the )?(?:start|beginning|first week|first days) of|start of",
        "end": r"(?:the )?(?:end|last week|last days) of",
        "mid": r"(?:the )?(?:middle of)|mid(?:-|\s)",
        "early": r"early(?: in)?",
        "late": r"late(?: in)?",
        "first half": r"(?:the )?(?:first|1st) half of",
        "second half": r"(?:the )?(?:second|2nd|latter) half of",
        "week": r"(?:the )?week of",
        "weekend": r"(?:the )?weekend of",
        "second week": r"(?:the )?(?:second|2nd) week of",
        "third week": r"(?:the )?(?:third|3rd) week of",
        "fourth week": r"(?:the )?(?:fourth|4th) week of",
    },
)  # fmt: skip

GERMAN = Lexicon(
    units={
        "tag": "day", "tage": "day", "tagen": "day", "woche": "week", "wochen": "week", "monat": "month",
        "monate": "month", "monaten": "month", "quartal": "quarter", "quartale": "quarter", "quartalen": "quarter",
        "jahr": "year", "jahre": "year", "jahren": "year",
    },
    numbers={
        "einem": 1, "einer": 1, "ein": 1, "eine": 1, "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
        "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "elf": 11, "zwölf": 12, "ein paar": -1, "einigen": -1,
        "paar": -1,
    },
    weekdays={name: number for number, name in enumerate(
        ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"))} | {"sonnabend": 5},
    months={
        "januar": 1, "jänner": 1, "februar": 2, "märz": 3, "april": 4, "mai": 5, "juni": 6, "juli": 7, "august": 8,
        "september": 9, "oktober": 10, "november": 11, "dezember": 12,
    },
    seasons={"frühling": 3, "frühjahr": 3, "sommer": 6, "herbst": 9, "winter": 12},
    rules=(
        Rule("ignored", r"(?:nächste[nrms]?|kommende[nrms]?) (?:{unit}|{weekday}|{month}|{season}|wochenende)"),
        Rule("today", r"heute(?: (?:morgen|früh|abend|nacht|mittag))?"),
        Rule("day_before_yesterday", r"vorgestern"),
        Rule("yesterday", r"gestern(?: (?:morgen|früh|abend|nacht|mittag))?|letzte nacht"),
        Rule("recently", r"kürzlich|in letzter zeit|vor kurzem"),
        Rule("other_day", r"neulich|letztens"),
        Rule("ago", r"vor (?:etwa |ungefähr )?{n} {unit}"),
        Rule("ago", r"vorletzte[nrms]? {unit}"),
        Rule("rolling", r"(?:in |während )?(?:den |der |die )?(?:letzten|vergangenen) {n} {unit}"),
        Rule("last_unit", r"(?:letzte|vergangene|vorige)[nrms]? (?P<unit>woche|monat|quartal|jahr|monats|jahres|quartals)"),
        Rule("this_unit", r"diese[nrms]? (?P<unit>woche|monat|quartal|jahr|monats|jahres|quartals)"),
        Rule("weekend", r"(?:am )?(?P<last>letzte|vergangene|vorige)[nrms]? wochenende"),
        Rule("weekend", r"(?:am|dieses) wochenende"),
        Rule("weekday", r"(?:am )?(?P<last>letzte|vergangene|vorige)[nrms]? {weekday}"),
        Rule("weekday", r"{weekday}(?:morgen|abend|nachmittag|vormittag)?", weak=True),
        Rule("date", r"(?P<day>\d{1,2})\.\s*{month}(?: {year})?"),
        Rule("dots", r"(?P<first>\d{1,2})\.\s*(?P<second>\d{1,2})\.\s*(?P<year>(?:19|20)\d\d)"),
        Rule("iso", r"(?P<year>(?:19|20)\d\d)-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?"),
        Rule("month", r"(?P<last>letzte|vergangene|vorige)[nrms]? {month}"),
        Rule("month", r"{month} {year}"),
        Rule("month", r"{month}", weak=True),
        Rule("quarter", r"q(?P<quarter>[1-4])(?:[\s/-]?(?P<year>(?:19|20)\d\d))?"),
        Rule("quarter", r"(?P<nth>ersten?|zweiten?|dritten?|vierten?) quartal {year}"),
        Rule("season", r"(?P<last>letzte|vergangene|vorige)[nrms]? {season}"),
        Rule("season", r"{season} {year}"),
        Rule("season", r"{season}", weak=True),
        Rule("christmas", r"(?:über |an |zu )?(?P<last>letzte )?weihnachten(?: {year})?"),
        Rule("year", r"(?:jahre? )?{year}(?! (?:euro|wörter|zeilen|leute|seiten|stück)\b)", weak=True),
    ),
    prepositions=r"(?:im|in|am|an|vom|von|seit|nach|vor|bis|zwischen|und|ab|dem|der|den|jahr|anfang|mitte|ende|seit dem)",
    operators={
        "since": r"seit(?: dem| der)?|ab(?: dem)?",
        "after": r"nach(?: dem| der)?",
        "before": r"vor(?: dem| der)?",
        "until": r"bis(?: zum| zur)?",
    },
    distances=(
        Rule("counted", r"(?:(?:etwa|ungefähr|genau) )?{n} {unit}"),
        Rule("few", r"(?:(?:in|an) )?(?:den|die) (?P<unit>tagen?|wochen|monaten?|jahren?)"),
        Rule("adjoining", r"(?:in der|in den|am|im|die|der|das|den) (?:{n} )?{unit}"),
        Rule("adjoining", r"am (?:morgen|vormittag|nachmittag|abend)"),
        Rule("weekday", r"(?:(?:am|der|den) )?{weekday}"),
        Rule("weekend", r"(?:(?:am|das|dem) )?wochenende"),
        Rule("soon", r"kurz|gleich|direkt|unmittelbar"),
    ),
    between=r"zwischen(?: dem)?|vom|von",
    joiners=r"und(?: dem)?|bis(?: zum)?|-|–",
    links=r"im|am|in|des|dem|den|der|vom|von",
    parts={"start": r"anfang(?: des)?|(?:in der )?ersten? woche (?:im|des)", "mid": r"mitte(?: des)?",
           "end": r"ende(?: des)?|(?:in der )?letzten? woche (?:im|des)",
           "week": r"(?:in der )?woche (?:vom|von|des)",
           "second week": r"(?:in der )?zweiten? woche (?:im|des)",
           "third week": r"(?:in der )?dritten? woche (?:im|des)"},
    names_are_capitalised=False,
)  # fmt: skip

SPANISH = Lexicon(
    units={
        "día": "day", "días": "day", "dia": "day", "dias": "day", "semana": "week", "semanas": "week", "mes": "month",
        "meses": "month", "trimestre": "quarter", "trimestres": "quarter", "año": "year", "años": "year",
    },
    numbers={
        "un": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9,
        "diez": 10, "once": 11, "doce": 12, "unos": -1, "unas": -1, "un par de": 2,
    },
    weekdays={"lunes": 0, "martes": 1, "miércoles": 2, "miercoles": 2, "jueves": 3, "viernes": 4, "sábado": 5,
              "sabado": 5, "domingo": 6},
    months={
        "enero": 1, "febrero": 2, "marzo": 3, "abril": 4, "mayo": 5, "junio": 6, "julio": 7, "agosto": 8,
        "septiembre": 9, "setiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12,
    },
    seasons={"primavera": 3, "verano": 6, "otoño": 9, "invierno": 12},
    rules=(
        Rule("ignored", r"(?:próximo|próxima|proximo|proxima) (?:{unit}|{weekday}|{month}|{season})"),
        Rule("ignored", r"{unit} (?:que viene|próximo|próxima)"),
        Rule("ignored", r"para (?:el |la )?(?:{weekday}|{month}|{season})"),
        Rule("today", r"hoy|esta (?:mañana|tarde|noche)"),
        Rule("day_before_yesterday", r"anteayer|antes de ayer"),
        Rule("yesterday", r"ayer|anoche"),
        Rule("recently", r"recientemente|últimamente|ultimamente"),
        Rule("other_day", r"el otro día|hace poco"),
        Rule("ago", r"hace (?:unos |unas )?{n} {unit}"),
        Rule("rolling", r"(?:en |durante )?(?:los |las )?(?:últimos|últimas|ultimos|ultimas|pasados|pasadas) {n} {unit}"),
        Rule("last_unit", r"(?:la |el )?(?P<unit>semana|mes|trimestre|año) pasad[oa]"),
        Rule("this_unit", r"est[ea] (?P<unit>semana|mes|trimestre|año)"),
        Rule("weekend", r"(?:el )?fin de semana (?P<last>pasado)"),
        Rule("weekend", r"(?:este|el) fin de semana"),
        Rule("weekday", r"(?:el|este) (?:(?P<last>pasado) )?{weekday}(?P<last2> pasado)?"),
        Rule("weekday", r"{weekday}", weak=True),
        Rule("date", r"(?:el )?(?P<day>\d{1,2}) de {month}(?: (?:de|del) {year})?"),
        Rule("iso", r"(?P<year>(?:19|20)\d\d)-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?"),
        Rule("dots", r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>(?:19|20)\d\d)"),
        Rule("month", r"{month} pasado(?P<last>)"),
        Rule("month", r"{month} (?:de |del )?{year}"),
        Rule("month", r"{month}", weak=True),
        Rule("season", r"(?:el |la )?{season} (?P<last>pasad[oa])"),
        Rule("season", r"{season} (?:de |del )?{year}"),
        Rule("season", r"{season}", weak=True),
        Rule("christmas", r"(?:en |por )?navidad(?: de)?(?: {year})?"),
        Rule("year", r"(?:año )?{year}(?! (?:euros|palabras|personas|páginas)\b)", weak=True),
    ),
    prepositions=r"(?:en|el|desde|del|de|hasta|antes de|antes del|después de|después del|entre|y|a|al|durante|año|este|esta|la)",
    operators={
        "since": r"desde(?: el| la)?",
        "after": r"(?:después|despues)(?: de| del)(?: el| la)?|posterior(?:es)? (?:al?|a la)|siguientes? (?:al?|a la)|tras(?: el| la)?",
        "before": r"antes(?: de| del)(?: el| la)?|anterior(?:es)? (?:al?|a la)",
        "until": r"hasta(?: el| la)?",
    },
    distances=(
        Rule("counted", r"(?:(?:unos|unas) )?{n} {unit}"),
        Rule("few", r"(?:(?:en|durante) )?(?:los|las) (?P<unit>días|dias|semanas|meses|años)"),
        Rule("adjoining", r"(?:(?:en|durante) )?(?:la|el|los|las) (?:{n} )?{unit}"),
        Rule("adjoining", r"la (?:mañana|tarde|noche)"),
        Rule("weekday", r"(?:el )?{weekday}"),
        Rule("weekend", r"(?:el )?fin de semana"),
        Rule("soon", r"poco|justo"),
    ),
    between=r"entre(?: el)?|desde(?: el)?|de|del",
    joiners=r"y(?: el)?|hasta(?: el)?|a|al|-|–",
    links=r"de|del|en",
    parts={"start": r"(?:a )?(?:principios|comienzos|inicios) de(?:l)?", "mid": r"(?:a )?mediados de(?:l)?",
           "end": r"(?:a )?(?:finales|fines) de(?:l)?", "week": r"(?:la )?semana del",
           "second week": r"(?:en )?(?:la )?segunda semana de(?:l)?",
           "third week": r"(?:en )?(?:la )?tercera semana de(?:l)?"},
)  # fmt: skip

FRENCH = Lexicon(
    units={
        "jour": "day", "jours": "day", "semaine": "week", "semaines": "week", "mois": "month", "trimestre": "quarter",
        "trimestres": "quarter", "an": "year", "ans": "year", "année": "year", "années": "year",
    },
    numbers={
        "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "six": 6, "sept": 7, "huit": 8, "neuf": 9,
        "dix": 10, "onze": 11, "douze": 12, "quelques": -1,
    },
    weekdays={name: number for number, name in enumerate(
        ("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"))},
    months={
        "janvier": 1, "février": 2, "fevrier": 2, "mars": 3, "avril": 4, "mai": 5, "juin": 6, "juillet": 7, "août": 8,
        "aout": 8, "septembre": 9, "octobre": 10, "novembre": 11, "décembre": 12, "decembre": 12,
    },
    seasons={"printemps": 3, "été": 6, "automne": 9, "hiver": 12},
    rules=(
        Rule("ignored", r"(?:{unit}|{weekday}|{season}) prochaine?"),
        Rule("today", r"aujourd['’]hui|ce (?:matin|soir)|cet après-midi|cette nuit"),
        Rule("day_before_yesterday", r"avant-hier"),
        Rule("yesterday", r"hier(?: (?:matin|soir|après-midi))?"),
        Rule("recently", r"récemment|recemment|dernièrement|ces derniers temps"),
        Rule("other_day", r"l['’]autre jour"),
        Rule("ago", r"il y a (?:environ )?{n} {unit}"),
        Rule("rolling", r"(?:durant |pendant |dans |au cours )?(?:des |les |ces )?{n} derni(?:ers|ères) {unit}"),
        Rule("rolling", r"(?:ces|les) derni(?:ers|ères) {unit}"),
        Rule("last_unit", r"(?:la |le |l['’])?(?P<unit>semaine|mois|trimestre|an|année) (?:derni(?:er|ère)|passée?)"),
        Rule("this_unit", r"ce(?:tte|t)? (?P<unit>semaine|mois|trimestre|année)(?:-ci)?"),
        Rule("weekend", r"(?:le )?week-?end (?P<last>dernier)"),
        Rule("weekend", r"ce week-?end"),
        Rule("weekday", r"(?:le )?{weekday} (?P<last>dernier|passé)"),
        Rule("weekday", r"{weekday}(?: (?:matin|soir))?", weak=True),
        Rule("date", r"(?:le )?(?P<day>\d{1,2})(?:er)? {month}(?: {year})?"),
        Rule("iso", r"(?P<year>(?:19|20)\d\d)-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?"),
        Rule("dots", r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>(?:19|20)\d\d)"),
        Rule("month", r"{month} (?P<last>dernier)"),
        Rule("month", r"{month} {year}"),
        Rule("month", r"(?:mois de |mois d['’])?{month}", weak=True),
        Rule("season", r"(?:l['’]|le )?{season} (?P<last>dernier)"),
        Rule("season", r"(?:cet |ce ){season}"),
        Rule("season", r"{season} {year}"),
        Rule("season", r"{season}", weak=True),
        Rule("christmas", r"(?:à |pendant )?noël(?: {year})?"),
        Rule("year", r"(?:année )?{year}(?! (?:euros|mots|personnes|pages)\b)", weak=True),
    ),
    prepositions=r"(?:en|au|le|depuis|du|de|avant|après|jusqu['’]à|jusqu['’]en|entre|et|à|au mois|fin|début|mi-|l['’]|l['’]année)",
    operators={
        "since": r"depuis(?: le)?",
        "after": r"après(?: le)?|suivant(?: le)?",
        "before": r"avant(?: le| la)?|précédant(?: le)?",
        "until": r"jusqu['’](?:au|à|en)",
    },
    distances=(
        Rule("counted", r"(?:environ )?{n} {unit}"),
        Rule("few", r"(?:(?:pendant|durant|dans) )?les (?P<unit>jours|semaines|mois|années)"),
        Rule("adjoining", r"(?:(?:pendant|durant|dans) )?(?:la |le |les |l['’])(?:{n} )?{unit}"),
        Rule("adjoining", r"le (?:matin|soir)"),
        Rule("weekday", r"(?:le )?{weekday}"),
        Rule("weekend", r"(?:le )?week-?end"),
        Rule("soon", r"juste|peu"),
    ),
    between=r"entre(?: le)?|du|de",
    joiners=r"et(?: le)?|à|au|jusqu['’](?:au|à)|-|–",
    links=r"de|du|d['’]|en|au",
    parts={"start": r"(?:au )?début(?: de| du)?", "mid": r"mi-|(?:au )?milieu (?:de|du)",
           "end": r"(?:à la )?fin(?: de| du)?", "week": r"(?:la )?semaine du",
           "second week": r"(?:la )?deuxième semaine (?:de |du |d['’])",
           "third week": r"(?:la )?troisième semaine (?:de |du |d['’])"},
)  # fmt: skip

LEXICONS: Mapping[str, Lexicon] = {"en": ENGLISH, "de": GERMAN, "es": SPANISH, "fr": FRENCH}

ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": 4} | {
    f"{stem}{ending}": number
    for number, stem in enumerate(("erste", "zweite", "dritte", "vierte"), start=1)
    for ending in ("", "n")
}
"""Which quarter; the last one is the fourth."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """A lexicon's regular expressions. Rules match whole words, never a piece of an identifier or a version."""

    words: Lexicon
    rules: tuple[tuple[Rule, re.Pattern[str]], ...]
    preposition: re.Pattern[str]
    operators: tuple[tuple[str, re.Pattern[str]], ...]
    distances: tuple[tuple[Rule, re.Pattern[str]], ...]
    between: re.Pattern[str]
    parts: tuple[tuple[str, re.Pattern[str]], ...]
    joiner: re.Pattern[str]
    link: re.Pattern[str]


@cache
def compiled(lang: str) -> Compiled:
    """The language's expressions, made on first use. Raises KeyError for a language without a lexicon."""
    words = LEXICONS[lang]
    return Compiled(
        words,
        tuple((rule, _whole_word(_filled(rule.pattern, words.words))) for rule in words.rules),
        _before(words.prepositions),
        tuple((name, _before(pattern)) for name, pattern in words.operators.items()),
        tuple((rule, _before(_filled(rule.pattern, words.words))) for rule in words.distances),
        _before(words.between),
        tuple((name, _before(pattern)) for name, pattern in words.parts.items()),
        re.compile(rf"\s*(?:{words.joiners})\s+(?:the\s+)?|\s*[-–]\s*", re.IGNORECASE),
        re.compile(rf",?\s*(?:(?:{words.links.replace(' ', chr(92) + 's+')})\s*(?:the\s+)?)?", re.IGNORECASE),
    )


def _before(pattern: str) -> re.Pattern[str]:
    """Matches at the end of what precedes a time."""
    return re.compile(rf"(?<![\w-])(?:{pattern.replace(' ', chr(92) + 's+')})(?:\s+the)?\s*$", re.IGNORECASE)
