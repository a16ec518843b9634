"""How German, Spanish and French name times, and which language has which lexicon."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from shared.retrieval.time_english import ENGLISH
from shared.retrieval.time_lexicon import Compiled, Lexicon, Rule, compile_lexicon

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
        Rule("ago", r"vor (?:etwa |ungefähr )?{n} (?:(?:oder|bis) {most} )?{unit}"),
        Rule("clock_ago", r"vor (?:etwa |ungefähr )?(?:einer halben|{n}) (?P<clock>stunden?|minuten?)"),
        Rule("half_year", r"vor (?:etwa |ungefähr )?einem halben jahr"),
        Rule("ago", r"vorletzte[nrms]? {unit}"),
        Rule("rolling", r"(?:in |während )?(?:den |der |die )?(?:letzten|vergangenen) {n} {unit}"),
        Rule("last_unit", r"(?:letzte|vergangene|vorige)[nrms]? (?P<unit>woche|monat|quartal|jahr|monats|jahres|quartals)"),
        Rule("this_unit", r"diese[nrms]? (?P<unit>woche|monat|quartal|jahr|monats|jahres|quartals)"),
        Rule("weekend", r"(?:am )?(?P<last>letzte|vergangene|vorige)[nrms]? wochenende"),
        Rule("weekend", r"(?:am |dieses |(?<=seit\sdem\s))wochenende"),
        Rule("weekday", r"(?:am )?(?P<last>letzte|vergangene|vorige)[nrms]? {weekday}"),
        Rule("weekday", r"{weekday}(?:morgen|abend|nachmittag|vormittag)?", weak=True),
        Rule("days_of_month", r"(?:zwischen (?:dem )?|vom )?(?P<d1>\d{1,2})\.?(?:\s*[-–]\s*| und (?:dem )?| bis (?:zum )?)(?P<d2>\d{1,2})\.\s*{month}(?: {year})?"),
        Rule("date", r"(?P<day>\d{1,2})\.\s*{month}(?: {year})?"),
        Rule("dots", r"(?P<first>\d{1,2})\.\s*(?P<second>\d{1,2})\.\s*(?P<year>(?:19|20)\d\d)"),
        Rule("dots", r"(?P<first>\d{1,2})\.\s*(?P<second>\d{1,2})\.", weak=True),
        Rule("iso", r"(?P<year>(?:19|20)\d\d)-(?P<number>0[1-9]|1[0-2])(?:-(?P<day>0[1-9]|[12]\d|3[01]))?"),
        Rule("iso_week", r"(?:kw|kalenderwoche) ?(?P<week>\d{1,2})(?:(?:/| ){year})?"),
        Rule("month", r"(?P<last>letzte|vergangene|vorige)[nrms]? {month}"),
        Rule("month", r"{month} {year}"),
        Rule("month", r"{month}", weak=True),
        Rule("quarter", r"q(?P<quarter>[1-4])(?:[\s/-]?(?P<year>(?:19|20)\d\d))?"),
        Rule("quarter", r"(?P<nth>ersten?|zweiten?|dritten?|vierten?) quartal {year}"),
        Rule("season", r"(?P<last>letzte|vergangene|vorige)[nrms]? {season}"),
        Rule("season", r"{season} {year}"),
        Rule("season", r"{season}", weak=True),
        Rule("christmas", r"(?:über |an |zu )?(?P<last>letzte[ms]? )?weihnachten(?: {year})?"),
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
    members=(
        Rule("weekday", r"(?:am )?(?P<nth>ersten|zweiten|dritten|vierten|letzten) {weekday} (?:im|des)"),
        Rule("weekend", r"(?:am )?(?P<nth>ersten|zweiten|dritten|vierten|letzten) wochenende (?:im|des)"),
    ),
    named=r"schreibt man|buchstabiert man|wort|wörter|begriff|namens|variablen?",
    named_parts=r"spalten?|felde?r?|zellen?|zeilen?|tabellenblatt|blatt|schlüssel|option|parameter|schalter",
    between=r"zwischen(?: dem)?|vom|von",
    joiners=r"und(?: dem)?|oder|bis(?: zum)?|-|–",
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
        Rule("ago", r"hace (?:unos |unas )?{n} (?:o {most} )?{unit}"),
        Rule("clock_ago", r"hace (?:unos |unas )?(?:media|{n}) (?P<clock>horas?|minutos?)"),
        Rule("clock_ago", r"hace un (?:rato|momento)"),
        Rule("half_year", r"hace medio año"),
        Rule("rolling", r"(?:en |durante )?(?:los |las )?(?:últimos|últimas|ultimos|ultimas|pasados|pasadas) {n} {unit}"),
        Rule("last_unit", r"(?:la |el )?(?P<unit>semana|mes|trimestre|año) pasad[oa]"),
        Rule("this_unit", r"est[ea] (?P<unit>semana|mes|trimestre|año)"),
        Rule("weekend", r"(?:el )?fin de semana (?P<last>pasado)"),
        Rule("weekend", r"(?:este|el) fin de semana"),
        Rule("weekday", r"(?:el|este) (?:(?P<last>pasado) )?{weekday}(?P<last2> pasado)?"),
        Rule("weekday", r"{weekday}", weak=True),
        Rule("days_of_month", r"(?:entre el |desde el |del )?(?P<d1>\d{1,2})(?:\s*[-–]\s*| y (?:el )?| al | hasta el )(?P<d2>\d{1,2}) de {month}(?: (?:de|del) {year})?"),
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
    members=(
        Rule("weekday", r"(?:el )?(?P<nth>primer|segundo|tercer|cuarto|último) {weekday} de(?:l)?"),
        Rule("weekend", r"(?:el )?(?P<nth>primer|segundo|tercer|cuarto|último) fin de semana de(?:l)?"),
    ),
    named=r"se escribe|se deletrea|palabras?|término|llamad[oa]|variables?",
    named_parts=r"columnas?|campos?|celdas?|filas?|hojas?|claves?|opción|parámetros?",
    between=r"entre(?: el)?|desde(?: el)?|de|del",
    joiners=r"y(?: el)?|o|hasta(?: el)?|a|al|-|–",
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
        Rule("ago", r"il y a (?:environ )?{n} (?:ou {most} )?{unit}"),
        Rule("clock_ago", r"il y a (?:environ )?(?:une demi-|{n} )(?P<clock>heures?|minutes?)"),
        Rule("clock_ago", r"il y a un (?:instant|moment)"),
        Rule("rolling", r"(?:durant |pendant |dans |au cours )?(?:des |les |ces )?{n} derni(?:ers|ères) {unit}"),
        Rule("rolling", r"(?:ces|les) derni(?:ers|ères) {unit}"),
        Rule("last_unit", r"(?:la |le |l['’])?(?P<unit>semaine|mois|trimestre|an|année) (?:derni(?:er|ère)|passée?)"),
        Rule("this_unit", r"ce(?:tte|t)? (?P<unit>semaine|mois|trimestre|année)(?:-ci)?"),
        Rule("weekend", r"(?:le )?week-?end (?P<last>dernier)"),
        Rule("weekend", r"(?:ce |(?<=depuis\sle\s))week-?end"),
        Rule("weekday", r"(?:le )?{weekday} (?P<last>dernier|passé)"),
        Rule("weekday", r"{weekday}(?: (?:matin|soir))?", weak=True),
        Rule("days_of_month", r"(?:entre le |du )?(?P<d1>\d{1,2})(?:er)?(?:\s*[-–]\s*| et (?:le )?| au )(?P<d2>\d{1,2}) {month}(?: {year})?"),
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
    members=(
        Rule("weekday", r"(?:le )?(?P<nth>premier|deuxième|troisième|quatrième|dernier) {weekday} (?:de |du |d['’])"),
        Rule("weekend", r"(?:le )?(?P<nth>premier|deuxième|troisième|quatrième|dernier) week-?end (?:de |du |d['’])"),
    ),
    named=r"écrit-on|s['’]écrit|s['’]épelle|mots?|terme|nommée?|intitulée?|variables?",
    named_parts=r"colonnes?|champs?|cellules?|lignes?|feuilles?|clés?|option|paramètres?",
    between=r"entre(?: le)?|du|de",
    joiners=r"et(?: le)?|ou|à|au|jusqu['’](?:au|à)|-|–",
    links=r"de|du|d['’]|en|au",
    parts={"start": r"(?:au )?début(?: de| du)?", "mid": r"mi-|(?:au )?milieu (?:de|du)",
           "end": r"(?:à la )?fin(?: de| du)?", "week": r"(?:la )?semaine du",
           "second week": r"(?:la )?deuxième semaine (?:de |du |d['’])",
           "third week": r"(?:la )?troisième semaine (?:de |du |d['’])"},
)  # fmt: skip

LEXICONS: Mapping[str, Lexicon] = {"en": ENGLISH, "de": GERMAN, "es": SPANISH, "fr": FRENCH}

ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            "first|1st|erste|ersten|primer|premier",
            "second|2nd|zweite|zweiten|segundo|deuxième",
            "third|3rd|dritte|dritten|tercer|troisième",
            "fourth|4th|vierte|vierten|cuarto|quatrième",
            "fifth",
        ),
        start=1,
    )
    for word in words.split("|")
}
"""Without the last one."""


@cache
def compiled(lang: str) -> Compiled:
    """The language's expressions, made on first use. Raises KeyError for a language without a lexicon."""
    return compile_lexicon(LEXICONS[lang])
