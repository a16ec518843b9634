"""German."""

from __future__ import annotations

from shared.language.vocabulary import (
    Answers,
    Asking,
    FactWords,
    FollowUps,
    Rule,
    SmallTalk,
    Times,
    Vocabulary,
)

TIMES = Times(
    units={
        "day": "tag|tage|tagen", "week": "woche|wochen", "month": "monat|monate|monaten|monats",
        "quarter": "quartal|quartale|quartalen|quartals", "half": "halbjahr|halbjahre|halbjahren|halbjahres|jahreshälfte",
        "year": "jahr|jahre|jahren|jahres",
    },
    weekend="wochenenden?",
    weeks=r"(?:kw|kalenderwochen?|woche)",
    weekdays=("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag|sonnabend", "sonntag"),
    date="{day}.\u00a0{Month} {year}",  # with a plain blank it would begin a numbered list
    months=("januar|jänner", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober",
            "november", "dezember"),
    short_months={"mär": 3, "okt": 10, "dez": 12},
    seasons=("frühling|frühjahr", "sommer", "herbst", "winter"),
    feasts={
        "12-31": "silvester", "01-01": "neujahr|neujahrstag",
        "01-06": "heilige drei könige|heiligen drei königen|dreikönigstag|dreikönig", "02-14": "valentinstag",
        "-48": "rosenmontag", "-47": "faschingsdienstag|fastnachtsdienstag|veilchendienstag", "-46": "aschermittwoch",
        "-7": "palmsonntag", "-3": "gründonnerstag", "-7/8": "karwoche", "-2": "karfreitag", "-2/4": "ostern",
        "+0": "ostersonntag", "+1": "ostermontag", "05-01": "tag der arbeit|maifeiertag",
        "+39": "christi himmelfahrt|himmelfahrt|vatertag", "+49/2": "pfingsten", "+49": "pfingstsonntag",
        "05-6#2": "muttertag", "+50": "pfingstmontag", "+60": "fronleichnam", "08-15": "mariä himmelfahrt",
        "08-01": "bundesfeier|bundesfeiertag", "10-03": "tag der deutschen einheit|tags der deutschen einheit",
        "10-26": "nationalfeiertag", "10-31": "reformationstag|halloween", "11-01": "allerheiligen",
        "12-06": "nikolaus|nikolaustag", "12-08": "mariä empfängnis",
        "12-24": "vorabend von weihnachten|vorabend zu weihnachten|vorabend des weihnachtsfestes|heiligabend|heiliger abend",
        "12-24/3": "weihnachten",
        "12-25": "erster weihnachtstag|ersten weihnachtstag|1. weihnachtstag|ersten weihnachtsfeiertag|1. weihnachtsfeiertag",
        "12-26": "zweiter weihnachtstag|zweiten weihnachtstag|2. weihnachtstag|zweiten weihnachtsfeiertag|2. weihnachtsfeiertag|stephanstag",
    },
    decades=("zwanziger|zwanzigern", "dreißiger|dreißigern", "vierziger|vierzigern", "fünfziger|fünfzigern",
             "sechziger|sechzigern", "siebziger|siebzigern", "achtziger|achtzigern", "neunziger|neunzigern"),
    numbers=("ein|eine|einem|einer", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
             "zwölf"),
    tens=("zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"),
    more_numbers={"vierzehn": 14, "fünfzehn": 15},
    few="ein paar|paar|einigen",
    ordinals=("erste|ersten|erstes", "zweite|zweiten|zweites", "dritte|dritten|drittes", "vierte|vierten|viertes"),
    rules=(
        Rule("ignored", r"(?:nächste[nrms]?|kommende[nrms]?|jede[nrms]?) {period}"),
        Rule("same_day", r"(?:am )?(?:selben|gleichen|diesem) tag|genau|auf den tag genau"),
        Rule("today", r"heute(?: (?:morgen|früh|abend|nacht|mittag))?"),
        Rule("day_before_yesterday", r"vorgestern"),
        Rule("yesterday", r"gestern(?: (?:morgen|früh|abend|nacht|mittag))?|letzte nacht"),
        Rule("recently", r"kürzlich|in letzter zeit|vor kurzem"),
        Rule("other_day", r"neulich|letztens"),
        Rule("ago", r"vor (?:etwa |ungefähr )?{n} (?:(?:oder|bis) {most} )?{unit}"),
        Rule("clock_ago", r"vor (?:etwa |ungefähr )?(?:einer halben|{n}) (?:stunden?|(?P<minutes>minuten?))"),
        Rule("before_last", r"vorletzte[nrms]? {period}"),
        Rule("shifted", r"vor (?:genau|exakt) {n} {unit}"),
        Rule("half_year", r"vor (?:etwa |ungefähr )?(?:einem halben jahr|(?P<more>anderthalb|eineinhalb) jahren)"),
        Rule("rolling", r"(?:in |während )?(?:den |der |die )?(?:letzten|vergangenen) {n} {unit}"),
        Rule("rolling", r"(?:in |während )?(?:den |die )(?:letzten|vergangenen) (?P<few>)(?P<unit>tagen?|wochen|monaten?|jahren?)"),
        Rule("last", r"(?:letzte|vergangene|vorige)[nrms]? (?:{units}|{season}|{month})"),
        Rule("nth", r"(?:in |aus )?(?:der |dem |am )?(?:{nth}|letzten?) {month}(?:(?P<unit>woche)|{weekend})"),
        Rule("units", r"(?:(?:in|an|während|aus) )?(?:den|die|der) (?:ersten|(?P<last>letzten)) (?:{n} )?{month}(?P<unit>tagen?|wochen)(?: {year})?"),
        Rule("last", r"(?:am )?(?:letzte|vergangene|vorige)[nrms]? (?:{weekend}|{weekday})"),
        Rule("this", r"diese[nrms]? {period}"),
        Rule("weekend", r"(?:am |(?<=seit\sdem\s)|(?<=vor\sdem\s)|(?<=vom\s))wochenende"),
        Rule("current", r"(?P<unit>jahres|monats|quartals|woche)", weak=True),
        Rule("weekday", r"{weekday}(?:\s?(?:früh|morgen|mittag|abend|nacht|nachmittag|vormittag))?", weak=True),
        Rule("days_of_month", r"(?:zwischen (?:dem )?|vom )?(?P<d1>\d{1,2})\.?(?:\s*[-–/]\s*| und (?:dem )?| auf (?:den )?| bis (?:zum )?)(?P<d2>\d{1,2})\.\s*{month}(?: {year})?"),
        Rule("date", r"(?:(?P<day>\d{1,2})\.\s*|{nth} ){month}(?: {year})?"),
        Rule("dots", r"(?P<first>\d{1,2})\.\s*(?P<second>\d{1,2})\.(?:\s?(?P<yy>\d\d))?", weak=True),
        Rule("days_of_month", r"(?:zwischen (?:dem )?|vom )?(?P<d1>\d{1,2})\.?(?:\s*[-–/]\s*| und (?:dem )?| auf (?:den )?| bis (?:zum )?)(?P<d2>\d{1,2})\.\s*(?P<number>\d{1,2})\.(?:\s?{year})?"),
        Rule("feast", r"(?:(?:über|an|am|zu) )?(?P<last>letzte[mns]? )?{feast}(?: {year})?"),
        Rule("decade", r"(?:den )?{decade}er(?:n|[ -]jahren?)"),
        Rule("decade", r"den {decade}(?:[ -]?jahren)?(?<=n)"),
    ),
    prepositions=r"(?:im|in|am|an|aus|aus dem|vom|von|seit|nach|vor|bis|zwischen|und|ab|dem|der|den|jahr|anfang|mitte|ende|seit dem)",
    operators={
        "since": r"(?:frühestens )?(?:seit|ab)(?: dem| der)?|frühestens(?: am| im)?|nicht vor(?: dem| der)?",
        "after": r"nach(?: dem| der)?",
        "before": r"vor(?: dem| der)?",
        "until": r"(?:spätestens )?bis (?:einschließlich|inklusive)(?: zum| dem)?|(?:spätestens )?bis(?: zum| zur)?|spätestens(?: am| im| zum| vom)?|nicht später als(?: am| im)?",
    },
    behind={
        "since": r"und später|und danach",
        "until": r"und früher|und davor",
        "from": r"an|ab|aufwärts",
        "included": r"einschließlich|inklusive|inkl",
    },
    unread=r"(?:was (?:heißt|bedeutet)|redewendung|sprichwort|songtext|akkorde)(?: \S+){0,6}|außer(?: am| im| an| in)?|außerhalb(?: von| vom| des)?|ohne(?: den)?|als|(?:nicht|nie)(?: am| im| in)?|statt|anstatt|fast|gegen|versus|vs|neben|jeden|alle|bis auf(?: den| die)?",
    on_days=r"am|vom|zum",
    distances=(
        Rule("counted", r"(?:(?:etwa|ungefähr|genau) )?{n} {unit}"),
        Rule("few", r"(?:(?:in|an) )?(?:den|die) (?P<unit>tagen?|wochen|monaten?|jahren?)"),
        Rule("adjoining", r"(?:in der|in den|am|im|die|der|das|den) (?:{n} )?{unit}|am (?:morgen|vormittag|nachmittag|abend)"),
        Rule("nearest", r"(?:(?:am|der|den|das|dem) )?(?:{weekday}|{weekend})"),
        Rule("soon", r"kurz|gleich|direkt|unmittelbar"),
    ),
    ordinal_days=(
        Rule("nth", r"(?:am |in der )?(?:{nth}|letzten) (?:{weekday}|{weekend}|(?P<unit>woche|tag|monat|quartal)) (?:im|des|von)"),
        Rule("eve", r"am (?:vorabend|vortag) (?:vor|von|vom|des|der)"),
        Rule("units", r"(?:in )?(?:den|die) (?:ersten|(?P<last>letzten)) (?:{n} )?(?P<unit>tagen?|wochen|monaten?) (?:im|des)"),
    ),
    named=r"schreibt man|buchstabiert man|wort|wörter|begriff|namens|variablen?",
    named_parts=r"spalten?|felde?r?|zellen?|zeilen?|tabellenblatt|blatt|schlüssel|option|parameter|schalter",
    between=r"zwischen(?: dem)?|vom|von",
    joiners=r"und(?: dem)?|oder|bis (?:einschließlich)(?: zum)?|bis(?: zum| zur)?|-|–",
    links=r"im|am|in|des|dem|den|der|vom|von",
    parts={"start": r"anfang(?: des)?|(?:in der )?ersten? woche (?:im|des)", "mid": r"mitte(?: des)?",
           "end": r"ende(?: des)?|(?:in der )?letzten? woche (?:im|des)",
           "first half": r"(?:in der )?(?:ersten? hälfte|1\. hälfte) (?:im|des|von)", "second half": r"(?:in der )?(?:zweiten? hälfte|2\. hälfte) (?:im|des|von)",
           "week": r"(?:in der )?woche (?:vom|von|des|ab dem)", "weekend": r"(?:am )?wochenende(?: vom| von| des| um den)?"},
    date_links="des|vom",
    eras=r"[vn]\.\s?chr|(?:vor|nach) christus",
    in_a_month="im",
    from_to="zwischen {} und {}",
)  # fmt: skip

_STRONG_PAST = (
    r"(?:war|lag|saß|stand|lief|kam|ging|gab|galt|hieß|schrieb|fuhr|blieb|bekam|nahm|fand|hielt|erhielt|half|trug|betrug|"
    r"traf|sprach|schlief|zog|bezog|verlor|begann|rief|ließ|schloss|wuchs|sang|sprang|starb|stieg|verstand|bestand|"
    r"entschied|gewann|empfahl|schien|trat|flog|verschob|aß|trank|sah|hing|fing|lud|schlug)(?:en)?|"
    r"(?:brach|dach|kann|nann|muss|wuss|woll|durf|moch|konn)ten?|wurden?|hatten?"
)
_WEAK_PAST = (
    r"(?!(?:könn|soll|letz|sieb|heu|bit)ten?\b)(?:\w+(?:[bgkmnp]|[fhl]l|ff|rr|tz|ck|[td]e|[cfgk]h?ne|e[rl]|iel|eil|uf|ier|hr|"
    r"ör)|mach|brauch|besuch|koch|such|reich|hol|pass|reis|heiz)ten?"
)
"""Regular verbs after whose stem the ending of the past is no part of it, as it is in `wir arbeiten`."""
_QUESTION_WORDS = (
    "was wer wen wem wo woher wohin wann warum wie womit wofür viel viele lange oft hoch teuer weit"
)
_BEHIND_QUESTION_WORD = "|".join(rf"(?<=\b{word} )" for word in _QUESTION_WORDS.split())
_PAST = (
    rf"^(?:{_STRONG_PAST})|(?-i:{_STRONG_PAST}|"
    r"(?<!\bder )(?<!\bdie )(?<!\bdas )(?<!\bden )(?<!e )(?!ge)\w{2,}[td]eten?)|"
    rf"(?:{_BEHIND_QUESTION_WORD})(?-i:{_WEAK_PAST})|(?-i:{_WEAK_PAST})(?=\s+(?:ich|wir|er|sie|es|man)\b)"
)
"""Verbs of the past, in small letters. Of the regular ones most are taken for verbs only beside a question word or a
pronoun: `-te` ends many adjectives and, in careless writing, nouns.
"""

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
    determiners="""
        der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines
        dieser diese dieses diesen diesem jener jene jenes jenen jenem jeder jede jedes jeden jedem
        welcher welche welches welchen welchem solche solcher solches solchen solchem
        mein meine meinen meinem meiner meines dein deine deinen deinem deiner deines
        sein seine seinen seinem seiner seines ihr ihre ihren ihrem ihrer ihres
        unser unsere unseren unserem unserer unseres euer eure euren eurem eurer eures
        alle allen aller alles beide beiden einige einigen mehrere mehreren manche manchen viele vielen
        am ans aufs beim fürs im ins ums vom zum zur
    """,
    asking=Asking(
        who_or_where="wer|wen|wem|wessen|wo|woher|wohin",
        questions=r"was|wann|welche[rnms]?|warum|wieso|wie|worüber|wofür|womit",
        amounts=r"wie ?viele?|wie (?:lange?|oft|schnell|weit|alt|gro(?:ß|ss)|hoch|tief|breit|früh|spät|bald|teuer)",
        moments="wann",
        verbs=r"hat|habe|haben|war|waren|wurden?|ist|sind|darf|dürfen|kann|können|muss|müssen|soll|sollen|zeige?|nenne?|"
        r"finde?|fasse?",
        past=r"(?:hat|habe?|haben|hast)(?=.{0,200}\b(?-i:(?:[a-zäöü]\w{0,19})?ge\w{1,20}|"
        r"(?:be|ver|er|ent|zer|unter|über|wieder|wider|voll|miss)\w{1,20}|[a-zäöü]\w{0,19}ier)(?:t|en|an)\b"
        rf"(?!\s+(?-i:[A-ZÄÖÜ])))|{_PAST}|hatten?|war|waren|wurden?|sagte|passierte",
        participles=r"(?-i:(?!erhielt)(?:(?:[a-zäöü]\w*)?ge|be|ver|er|ent|zer)\w{2,}t)",
        present=r"ist|sind|hat|gilt",
        former=r"(?-i:alte[mnrs]?)|ehemalige[mnrs]?|frühere[mnrs]?|vorherige[mnrs]?|vorige[mnrs]?|damalige[mnrs]?|früher|"
        r"damals|ursprünglich",
        before=r"bevor|vor|vorher|zuvor",
        duty=r"(?:darf|dürfen|kann|können|könnte|muss|müssen|soll|sollen|sollte|brauche|bin) (?:ich|wir|man)",
        writing="schreiben schrieb geschrieben zeig zeige fasse zusammen zusammenfassen zusammenfassung überblick notiz notizen eintrag einträge tagebuch alles",
        happening="passiert passierte geschehen geschah geschieht ereignet ereignete stattgefunden zugetragen vorgefallen machen machte machten gemacht "
        "getan unternommen los arbeiten gearbeitet gibt",
        happening_phrases=r"gab(?= es\b)|(?:fand|fanden|findet|finden)(?=.{0,200}\bstatt\W*\Z)|statt(?=\W*\Z)",
        fillers=r"alle[mnrs]?|sämtliche[mnrs]?",
        asker=r"ich|mich|mir|mein(?:e[mnrs]?)?|wir|uns|unser(?:e[mnrs]?)?",
        genitive=r"von|vom|aus|des",
        genitive_of_names=r"von",
        authorship=r"von",
        names=r"namen?|vornamen?|nachnamen?",
        articles=r"der|dem",
        first=r"(?:aller)?erste[mnrs]?|früheste[mnrs]?|älteste[mnrs]?",
        last=r"letzte[mnrs]?|neue?ste[mnrs]?|jüngste[mnrs]?",
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
    facts=FactWords(
        negations="nicht kein keine keinen keinem keiner nie niemals nichts niemand weder ohne",
        negates_before=True,
        only=r"nur",
        contrasts=r"aber|sondern",
        replaces="ersetzt",
        replaced=r"(?:ersetzt|abgelöst)[ _-]?(?:durch|von)",
        affirmations="ja",
        scales={"tausend": 1e3, "millionen": 1e6, "mio": 1e6, "milliarden": 1e9},
    ),
    answers=Answers(
        nearest="Die nächstliegenden Stellen in deinen Notizen:",
        nearest_without="Die nächstliegenden Stellen in deinen Notizen (ohne {words}):",
        quoted="„{word}“",
        untitled="Ohne Titel",
        nothing_about="Nichts zu {subject}; am nächsten liegen:",
        of_then="Deine Notizen aus dieser Zeit:",
        newest="Nur die neuesten {count} Notizen aus dieser Zeit wurden gelesen.",
        general="Deine Notizen enthalten die Antwort nicht. Aus allgemeinem Wissen:",
        widened=("Nichts aus der Zeit „{time}“, daher habe ich {days} Tage davor und danach gesucht.", "Nichts aus der Zeit „{time}“, daher habe ich in Notizen jeder Zeit gesucht."),
        refusals={
            "no_notes": "Es gibt noch keine Notizen, die durchsucht werden könnten.",
            "no_candidates": "In deinen Notizen steht nichts darüber.",
            "below_threshold": "Die nächstliegenden Notizen enthalten die Antwort nicht.",
            "time_range_empty": "Aus dieser Zeit hast du keine Notizen.",
            "unsupported_claims": "Deine Notizen belegen nicht, was das Modell schrieb; es wird nicht gezeigt.",
            "index_pending": "Einige deiner Notizen werden noch indexiert. Frag gleich noch einmal.",
        },
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
