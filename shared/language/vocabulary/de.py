"""German."""

from __future__ import annotations

from shared.language.vocabulary import Answers, Asking, Facts, FollowUps, Rule, SmallTalk, Times, Vocabulary

TIMES = Times(
    units={
        "day": "tag|tage|tagen", "week": "woche|wochen", "month": "monat|monate|monaten|monats",
        "quarter": "quartal|quartale|quartalen|quartals", "year": "jahr|jahre|jahren|jahres",
    },
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag"),
    months=("januar|jänner", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober",
            "november", "dezember"),
    short_months={"mär": 3, "okt": 10, "dez": 12},
    seasons=("frühling|frühjahr", "sommer", "herbst", "winter"),
    numbers=("ein|eine|einem|einer", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
             "zwölf"),
    tens=("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"),
    more_numbers={"vierzehn": 14, "fünfzehn": 15},
    few="ein paar|paar|einigen",
    ordinals=("erste|ersten", "zweite|zweiten", "dritte|dritten", "vierte|vierten"),
    rules=(
        Rule("ignored", r"(?:nächste[nrms]?|kommende[nrms]?) (?:{unit}|{weekday}|{month}|{season}|wochenende)"),
        Rule("today", r"heute(?: (?:morgen|früh|abend|nacht|mittag))?"),
        Rule("day_before_yesterday", r"vorgestern"),
        Rule("yesterday", r"gestern(?: (?:morgen|früh|abend|nacht|mittag))?|letzte nacht"),
        Rule("recently", r"kürzlich|in letzter zeit|vor kurzem"),
        Rule("other_day", r"neulich|letztens"),
        Rule("ago", r"vor (?:etwa |ungefähr )?{n} (?:(?:oder|bis) {most} )?{unit}"),
        Rule("clock_ago", r"vor (?:etwa |ungefähr )?(?:einer halben|{n}) (?:stunden?|(?P<minutes>minuten?))"),
        Rule("half_year", r"vor (?:etwa |ungefähr )?einem halben jahr"),
        Rule("ago", r"vorletzte[nrms]? {unit}"),
        Rule("year_and_half", r"vor (?:etwa |ungefähr )?(?:anderthalb|eineinhalb) jahren"),
        Rule("rolling", r"(?:in |während )?(?:den |der |die )?(?:letzten|vergangenen) {n} {unit}"),
        Rule("rolling", r"(?:in |während )?(?:den |die )(?:letzten|vergangenen) (?P<few>)(?P<unit>tagen?|wochen|monaten?|jahren?)"),
        Rule("last_unit", r"(?:letzte|vergangene|vorige)[nrms]? (?P<unit>woche|monat|quartal|jahr|monats|jahres|quartals)"),
        Rule("this_unit", r"diese[nrms]? (?P<unit>woche|monat|quartal|jahr|monats|jahres|quartals)"),
        Rule("weekend", r"(?:am )?(?P<last>letzte|vergangene|vorige)[nrms]? wochenende"),
        Rule("weekend", r"(?:am |dieses |(?<=seit\sdem\s))wochenende"),
        Rule("current", r"(?P<unit>jahres|monats|quartals|woche)", weak=True),
        Rule("weekday_in_week", r"(?:am )?{weekday} (?:(?:der )?(?P<last>letzte|vergangene|vorige)[nr]?|dieser) woche"),
        Rule("weekday_in_week", r"(?P<last>letzte|vergangene|vorige) woche (?:am )?{weekday}"),
        Rule("weekday", r"(?:am )?(?P<last>letzte|vergangene|vorige)[nrms]? {weekday}"),
        Rule("weekday", r"{weekday}(?:morgen|abend|nachmittag|vormittag)?", weak=True),
        Rule("days_of_month", r"(?:zwischen (?:dem )?|vom )?(?P<d1>\d{1,2})\.?(?:\s*[-–]\s*| und (?:dem )?| bis (?:zum )?)(?P<d2>\d{1,2})\.\s*{month}(?: {year})?"),
        Rule("date", r"(?P<day>\d{1,2})\.\s*{month}(?: {year})?"),
        Rule("dots", r"(?P<first>\d{1,2})\.\s*(?P<second>\d{1,2})\.\s*(?P<year>(?:19|20)\d\d)"),
        Rule("dots", r"(?P<first>\d{1,2})\.\s*(?P<second>\d{1,2})\.", weak=True),
        Rule("iso_week", r"(?:kw|kalenderwoche) ?(?P<week>\d{1,2})(?:(?:/| ){year})?"),
        Rule("month", r"(?P<last>letzte|vergangene|vorige)[nrms]? {month}"),
        Rule("month", r"{month} {year}"),
        Rule("month", r"{month}", weak=True),
        Rule("quarter", r"q(?P<quarter>[1-4])(?:[\s/-]?(?P<year>(?:19|20)\d\d))?"),
        Rule("quarter", r"(?P<nth>ersten?|zweiten?|dritten?|vierten?) quartal {year}"),
        Rule("quarter", r"(?P<nth>ersten|zweiten|dritten|vierten) quartal", weak=True),
        Rule("season", r"(?P<last>letzte|vergangene|vorige)[nrms]? {season}"),
        Rule("season", r"{season} {year}"),
        Rule("season", r"{season}", weak=True),
        Rule("new_years_eve", r"(?:an |zu |über )?silvester"),
        Rule("new_years_day", r"(?:an |zu )?neujahr"),
        Rule("christmas_eve", r"(?:an )?heiligabend"),
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
    ordinal_days=(
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
    in_a_month="im",
    from_to="zwischen {} und {}",
)  # fmt: skip

VOCABULARY = Vocabulary(
    stop_words="""
        der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem
        ich mich mir mein meine meinen meinem meiner du dich dir dein deine deinen er ihn ihm sein seine seinen sie ihr
        ihre ihren ihrem ihrer es wir uns unser unsere unseren euch euer man sich
        bin bist ist sind war warst waren wart sein gewesen werde wirst wird werden wurde wurden worden
        habe hast hat haben hatte hatten gehabt kann kannst können konnte konnten muss müssen musste soll sollen sollte
        will wollen wollte darf dürfen mag möchte würde würden
        und oder aber sondern denn wenn als ob dass weil damit so wie auch nur noch schon sehr doch mal
        nicht kein keine keinen keinem keiner nichts
        in im an am auf aus bei beim mit nach von vom vor zu zum zur über unter um für durch gegen ohne bis seit hinter
        was wer wen wem wessen wann wo wohin woher warum wieso weshalb welche welcher welches welchen welchem
        hier dort da dann letzte letzten letzter letztes bitte
    """,
    spellings=("ä", "ö", "ü", "ß"),
    abbreviations="bzw ggf evtl inkl exkl zzgl bspw sog vgl tel abs hr hrn frl dipl ing mio mrd tsd",
    closing_abbreviations="usw str art fr",
    titles="fr",
    nouns_are_capitalised=True,
    asking=Asking(
        questions=r"wer|wen|wem|wessen|was|wann|wo|woher|wohin|welche[rnms]?|warum|wieso|wie|worüber|wofür|womit",
        verbs=r"hat|habe|haben|war|waren|wurden?|ist|sind|darf|dürfen|kann|können|muss|müssen|soll|sollen|zeige?|nenne?|"
        r"finde?|fasse?",
        past=r"hat|habe|haben|hatten?|war|waren|wurden?|stand",
        duty=r"(?:darf|dürfen|kann|können|könnte|muss|müssen|soll|sollen|sollte|brauche|bin) (?:ich|wir|man)",
        everything="schreiben schrieb geschrieben passiert passierte machen gemacht getan los zeig zeige fasse zusammen zusammenfassung überblick notiz notizen eintrag einträge tagebuch alles arbeiten gearbeitet gibt",
        genitive=r"von|vom|aus|des",
        articles=r"der|dem",
    ),
    times=TIMES,
    follow_ups=FollowUps(
        at_length=r"(?:und|oder|aber|auch|dann)(?: was ist mit| wie ist es mit)?|was ist mit|wie ist es mit",
        shortly=r"für|in|im|am|mit|bei|von",
        things=r"(?<!gibt )(?<!gab )es(?! (?:gibt|gab|geht))|da(?:von|mit|für|zu|rüber|bei|ran|rauf|rin)|dort|"
        r"andere[rns]?|dies(?:e[rsnm]?)?|das(?=\s*[?.!]|$| war| ist| hat)|(?:(?<=ist )|(?<=war ))das",
        people=r"er|ihn|ihm|sie|sein|seine[rnm]?|ihre[rnm]?",
        empty="mehr viel viele andere anderen anderer anderes gleiche erste zweite letzte genauer erkläre erzähl sonst "
        "etwas",
        clauses=r"und|aber|weil|wenn",
    ),
    facts=Facts(
        negations="nicht kein keine keinen keinem keiner nie niemals nichts niemand weder ohne",
        negates_before=True,
        only=r"nur",
        contrasts=r"aber|sondern",
        affirmations="ja",
        scales={"tausend": 1e3, "millionen": 1e6, "mio": 1e6, "milliarden": 1e9},
    ),
    answers=Answers(
        nearest="Die nächstliegenden Stellen in deinen Notizen:",
        of_then="Deine Notizen aus dieser Zeit:",
        conjunctions="und",
        sources=r"quellen(?:angaben|verzeichnis)?|belege",
        knowing=r"notiz(?:en)?|quellen?|aufzeichnungen|textstellen|informationen|angaben|antwort|beantworten|weiß|erwähnt",
        denials=r"nicht|nichts|kein\w{0,2}|weder",
    ),
    small_talk=SmallTalk(
        greetings=r"hallo|hi|hey|servus|moin|grüß gott|guten (?:morgen|tag|abend)|grüezi",
        thanks=r"danke|danke (?:schön|sehr|dir|vielmals)|vielen dank|dankeschön|super|prima",
        product=r"hilfe|was kannst du(?: alles)?|was kann ich (?:dich )?(?:fragen|hier tun)|wer bist du|was bist du|wie funktioniert (?:das|es)",
        hello="Hallo! Frag mich etwas zu deinen Notizen.",
        welcome="Gern geschehen.",
        help="Ich antworte aus deinen Notizen und zeige zu jeder Aussage die Stelle. Frag nach einer Person, einem Projekt, einem Ort oder einem Tag.",
    ),
)  # fmt: skip
