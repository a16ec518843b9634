"""Italian."""

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
        "day": "giorno|giorni", "week": "settimana|settimane", "month": "mese|mesi", "quarter": "trimestre|trimestri",
        "half": "semestre|semestri", "year": "anno|anni",
    },
    weekdays=("lunedì|lunedi", "martedì|martedi", "mercoledì|mercoledi", "giovedì|giovedi", "venerdì|venerdi", "sabato",
              "domenica"),
    date="{day} {month} {year}",
    months=("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
            "novembre", "dicembre"),
    short_months={"genn": 1, "febbr": 2, "magg": 5, "lugl": 7, "sett": 9, "ott": 10},
    seasons=("primavera", "estate", "autunno", "inverno"),
    weekend="fine settimana|week-?end",
    weeks=r"settiman[ae](?: numero| n\.?)?(?: da)?",
    quarter_letters="qt",
    half_letters="hs",
    feasts={
        "12-31": "san silvestro", "01-01": "capodanno|primo dell'anno", "01-06": "epifania|befana",
        "02-14": "san valentino", "-47": "martedì grasso", "-46": "mercoledì delle ceneri", "-7/8": "settimana santa",
        "-7": "domenica delle palme", "-3": "giovedì santo", "-2": "venerdì santo", "-2/4": "pasqua",
        "+0": "domenica di pasqua", "+1": "pasquetta|lunedì di pasqua|lunedì dell'angelo",
        "04-25": "festa della liberazione|liberazione", "05-01": "festa dei lavoratori|festa del lavoro",
        "+39": "ascensione", "+49/2": "pentecoste", "05-6#2": "festa della mamma", "06-02": "festa della repubblica",
        "+60": "corpus domini", "06-24": "san giovanni", "08-15": "ferragosto|assunta", "10-31": "halloween",
        "11-01": "ognissanti|tutti i santi", "11-02": "giorno dei morti", "12-07": "sant'ambrogio",
        "12-08": "immacolata", "12-24": "vigilia di natale|vigilia del natale", "12-24/3": "natale",
        "12-25": "giorno di natale", "12-26": "santo stefano",
    },
    numbers=("uno|un|una|un'", "due|un paio di", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci",
             "undici", "dodici"),
    tens=("venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta"),
    more_numbers={"quindici": 15},
    few="alcuni|alcune|qualche",
    ordinals=("primo|prima", "secondo|seconda", "terzo|terza", "quarto|quarta"),
    rules=(
        Rule("ignored", r"(?:prossim[oaie]|ogni) {period}"),
        Rule("ignored", r"{period} prossim[oa]"),
        Rule("ignored", r"(?:di|a|ad|con|per) (?:assunta|immacolata)"),  # women: the feasts have their article
        Rule("ignored", r"di \d{1,2} {month}(?: {year})?"),  # a day has its article: "il testo di 29 settembre" is a title
        Rule("ignored", r"(?:entro|per) (?:il |la |l['’])?(?:{weekday}|{month}|{season})"),
        Rule("same_day", r"(?:(?:ne)?llo |in questo )?stesso giorno|(?:in )?quest(?:o giorno|a data)|esattamente|esatt[oi]"),
        Rule("today", r"oggi|stamattina|stamani|stasera|questa (?:mattina|sera|notte)"),
        Rule("day_before_yesterday", r"(?:l['’])?altro ieri|altroieri|avantieri"),
        Rule("yesterday", r"ieri(?: (?:mattina|pomeriggio|sera|notte))?|la (?:scorsa notte|notte scorsa)"),
        Rule("recently", r"recentemente|di recente|ultimamente|negli ultimi tempi"),
        Rule("other_day", r"l['’]altro giorno|poco (?:tempo )?fa"),
        Rule("ago", r"(?:circa )?{n} (?:o {most} )?{unit} fa"),
        Rule("clock_ago", r"(?:circa )?(?:mezz['’]|{n}(?: |(?<=['’])))(?:or[ae]|(?P<minutes>minut[oi])) fa|un (?:momento|attimo) fa"),
        Rule("half_year", r"(?:circa )?(?:mezzo anno|(?P<more>un anno e mezzo)) fa"),
        Rule("rolling", r"(?:ne(?:gli|lle|i) |durante (?:gli |le |i )?|gli |le |i )?(?:ultim|scors|passat)[ie] {n} {unit}"),
        Rule("rolling", r"(?:ne(?:gli|lle|i) |durante (?:gli |le |i )?|gli |le |i )?{n} {unit} (?:scors|passat)[ie]"),
        Rule("rolling", r"(?:negli |nelle |gli |le )ultim[ie] (?P<few>)(?P<unit>giorni|settimane|mesi|anni)"),
        Rule("rolling", r"nell['’]ultim[oa] (?P<unit>settimana|mese|trimestre|anno)"),
        Rule("current", r"(?:l['’])?(?P<unit>settimana|mese|trimestre|anno)", weak=True),
        Rule("last", r"(?:(?:nel|nella|il|lo|la) |(?:l|nell)['’])?{period} (?:scors|passat)[oa]"),
        Rule("last", r"(?:(?:nella|la|nello|lo) )?scors[oa] {period}"),
        Rule("before_last", r"(?:(?:il|la|l['’]) )?penultim[oa] {period}"),
        Rule("this", r"(?:in )?quest(?:[oa] |['’]){period}"),
        Rule("weekend", r"(?:(?:il|nel) |(?<=del\s))(?:fine settimana|week-?end)"),
        Rule("weekday", r"{weekday}(?: (?:mattina|pomeriggio|sera))?", weak=True),
        Rule("days_of_month", r"(?:tra il |fra il |dal |dall['’])?(?P<d1>\d{1,2})(?:\s*[-–/]\s*| e (?:il |l['’])?| al | all['’])(?P<d2>\d{1,2}) {month}(?: (?:del )?{year})?"),
        Rule("date", r"(?:il |l['’])?(?:(?P<day>\d{1,2})[°º]?|{nth}) {month}(?: (?:del )?{year})?"),
        Rule("feast", r"(?:(?:a|per|al|la notte di) )?(?:il |(?:al)?la |l['’])?(?P<last>lo scorso )?{feast}(?: (?:del )?{year})?"),
        Rule("decade", r"(?:gli )?anni ['’]?{decade}"),
    ),
    prepositions=r"in|nel|nella|nell['’]|del|della|dell['’]|di|da|dal|dalla|ad?|al|alla|il|la|lo|l['’]|fino ad?|fino al|prima di|prima del|dopo|tra|fra|e|anno|durante",
    operators={
        "since": r"da|dal(?:la|lo|l['’])?|a (?:partire|decorrere|contare) da(?:l|lla|ll['’])?|non prima (?:di|del|della|dell['’])",
        "after": r"dopo(?: il| la| lo| l['’])?|successiv[oaie] a(?:l|lla|ll['’])?",
        "before": r"prima (?:di|del|della|dello|dell['’])|precedent[ei] a(?:l|lla|ll['’])?",
        "until": r"fino(?: a(?:l|lla|llo|ll['’])?)?|entro(?: il| la| l['’])?|al più tardi(?: il| a)?|non oltre(?: il)?|non dopo(?: il)?",
    },
    behind={
        "since": r"in poi|in avanti|e dopo",
        "until": r"al più tardi|e prima",
        "included": r"compres[oa]|inclus[oa]",
    },
    unread=r"(?:significa|vuol dire|proverbio)(?: \S+){0,6}|tranne(?: il| la| a| in| nel)?|fuori(?: di| da| dal| del)?|(?:non|mai)(?: a| in| nel| il)?|eccetto(?: il| la)?|salvo(?: il| la)?|senza(?: il| la)?|che|quasi|l['’]indomani (?:di|del)|contro|versus|vs|invece di|ogni",
    on_days=r"il|del|dal|al",
    distances=(
        Rule("counted", r"(?:circa )?{n} {unit}"),
        Rule("few", r"(?:nei|negli|nelle|i|gli|le) (?P<unit>giorni|settimane|mesi|anni)"),
        Rule("adjoining", r"(?:nella |nel |nell['’]|nei |nelle |la |il |l['’]|i |le )(?:{n} )?{unit}|la (?:mattina|sera|notte)"),
        Rule("nearest", r"(?:il |la |nel )?(?:{weekday}|{weekend})"),
        Rule("soon", r"poco|subito"),
    ),
    ordinal_days=(
        Rule("nth", r"(?:il |la |nella )?(?:{nth}|ultim[oa]) (?:{weekday}|{weekend}|(?P<unit>settimana|giorno|mese|trimestre)) (?:di|del|della|dell['’])"),
        Rule("eve", r"(?:al)?(?:la )?vigilia (?:di|del|della|dell['’])"),
        Rule("units", r"(?:durante )?(?:nelle|nei|negli|gli|le|i) (?:prim[ei]|(?P<last>ultim[ei])) (?:{n} )?(?P<unit>giorni|settimane|mesi) (?:di|del|della|dell['’]|d['’])"),
    ),
    named=r"si scrive|si pronuncia|parol[ae]|termin[ei]|chiamat[oa]|intitolat[oa]|variabil[ei]",
    named_parts=r"colonn[ae]|camp[oi]|cell[ae]|rig(?:a|he)|fogli(?:o)?|chiav[ei]|opzion[ei]|parametr[oi]",
    between=r"tra(?: il| la| l['’])?|fra(?: il| la| l['’])?|da|dal|dalla|dall['’]",
    joiners=r"e(?: il| la| l['’])?|o|fino a(?:l|lla|ll['’])?|a|al|alla|all['’]|-|–",
    links=r"di|del|della|dell['’]|dello|in|nel|da|dal",
    parts={
        "start": r"(?:all['’])?inizio(?: (?:di|del|della|dell['’]))?|(?:ai )?primi di",
        "mid": r"(?:a )?metà (?:di |del |della |dell['’])?",
        "end": r"(?:alla )?fine(?: (?:di|del|della|dell['’]))?",
        "first half": r"(?:ne)?l?la prima (?:metà|quindicina) (?:di|del|dell['’])",
        "second half": r"(?:ne)?l?la seconda (?:metà|quindicina) (?:di|del|dell['’])",
        "week": r"(?:la |nella )?settimana del(?:l['’])?",
        "weekend": r"(?:il |nel )?(?:fine settimana|week-?end)(?: di| del(?:l['’])?)?",
    },
    names_are_lower_case=True,
    day_endings="°|º",
    date_links="di|del",
    eras=r"[ad]\.?\s?c|(?:avanti|dopo) cristo",
    in_a_month="in",
    from_to="tra {} e {}",
)  # fmt: skip

_PERFECT = (
    r"(?:ho|hai|ha|abbiamo|avete|hanno)(?= (?:(?:mai|già|sempre|ancora|più|poi|anche|tutto|\w+mente) )?"
    r"(?:\w{2,}(?:at|it|ut)[oaie]|(?:fat|det|pres|mess|vist|scrit|let|apert|chius|pers|spes|rot|chiest|rispost|decis|mort|"
    r"scelt|offert|success|cors|tolt|vint|sces|rimast|trascors|promess|permess)t?[oaie])\b)"
)
"""Auxiliaries with a participle, unlike `chi ha la chiave`."""
_IMPERFECT = (
    r"(?!(?:bra|gra|sca|schia|otta|le|rile|solle|prele|alle|ele)v)"
    r"(?:\w{2,}(?:av|ev)(?:a|ano|amo|ate)|\w{3,}avo|\w{2,}evo)|(?:d|st)av(?:a|ano|amo|o)|er(?:a|ano|o|avamo)|"
    r"(?:ven|usc|dorm|apr|serv|part|prefer|fin|cap|sent|segu|offr|riun|forn|sal|mor|copr|riemp)iv(?:a|ano|amo|o)"
)
"""The imperfect. In -iva many nouns and verbs of the present end, so that its verbs are listed."""


VOCABULARY = Vocabulary(
    stop_words="""
        il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla in nel
        nella nei ad con su sul sulla per tra fra e ed o ma se che non come più anche io tu lui lei noi voi loro mi ti si
        ci vi mio mia miei mie suo sua suoi sono sei è siamo siete era erano stato essere ho hai ha abbiamo avete hanno
        aveva avere questo questa questi queste quello quella chi cosa quale quali quando dove perché quanto quanti
        scorso scorsa
        nello negli nostro nostra nostri nostre tuo tua tuoi tue fu furono sarà fosse avevo avevamo posso può possono
        devo deve devono fa già così ancora molto dopo durante senza fino mentre cui quanta quante ultimo ultima ultimi
        ultime
    """,
    elided="all dall dell nell sull",
    spellings=("ì", "ò", " l'", " l’"),
    abbreviations="dott dssa sig sigra avv pag pagg cfr",
    closing_abbreviations="ecc",
    asking=Asking(
        who_or_where=r"chi|dove|dov['’]\w+",
        questions=r"che|cosa|quando|qual[ei]?|quant[oaie]|come|perché|cos['’]\w+",
        amounts=r"quant[oaie]|a che ora",
        moments="quando",
        verbs=r"mostra(?:mi)?|riassumi|trova(?:mi)?|cerca|elenca|posso|devo|possiamo|dobbiamo|si può|bisogna",
        past=rf"{_PERFECT}|{_IMPERFECT}|fu|furono|stat[oaie]|"
        r"(?!(?:m|orm|ass|d|f|s|v|st|h|gu)ai\b)\w+ai|\w+(?:ò|ammo|arono|irono)",
        participles=r"(?!stat)\w{2,}(?:at|it|ut)[oaie]|(?:fatt|dett|pres|mess|vist|scritt|lett|apert|chius|spes|uscit)[oaie]",
        present=r"è|sono|c['’]è",
        former=r"vecchi[oae]?|precedent[ei]|ex|una volta|originariamente",
        before=r"prima",
        duty=r"mi serv(?:e|ono)|ho bisogno|posso|possiamo|devo|dobbiamo|si può|si deve|bisogna",
        writing="scrivere scritto mostra mostrami riassumi riassunto nota note appunti voce voci diario tutto",
        happening="successo succede accaduto accade accadde avvenuto avviene avvenne fare fatto lavorare lavorato",
        happening_phrases=r"capit(?:ato|a|ò)|(?:si è|si sono) verificat[oaie]|(?:avuto|ebbe|ebbero) luogo",
        fillers=r"tutt[ie](?: (?:le|gli|i))?|stat[oaie]|venut[oaie](?=\s+\w{2,}(?:at|it|ut)[oaie]\b)",
        asker=r"io|mio?|mia|miei|mie|noi|nostr[oaie]|ho|abbiamo|ero|eravamo|avev(?:o|amo)|\w+(?:[aei]mmo)",
        genitive=r"di|del|della|dello|dell['’]",
        genitive_of_names=r"di",
        authorship=r"di",
        names=r"nom[ei]|cognom[ei]",
        articles=r"il|la|lo|l['’]",
        first=r"prim[oa]",
        last=r"ultim[oa]",
    ),
    times=TIMES,
    follow_ups=FollowUps(
        at_length=r"(?:e|ed|o|ma|anche|allora|poi)(?: che (?:ne è di|mi dici di))?|che (?:ne è di|mi dici di)",
        shortly=r"per|in|con|a|di|da",
        things=r"ciò|quell[oaie](?=\s*[?.!]|$)|quest[oaie](?=\s*[?.!]|$)|l[oa](?= (?:ho|hai|ha|abbiamo|avevo|avevamo)\b)|"
        r"l['’](?:ho|hai|ha|abbiamo|avevo)|ne(?= (?:ho|ha|hai|abbiamo|pensa|parla)\b)|lì|altr[oaie]|stess[oaie]",
        people=r"lui|lei|loro|gli(?= (?:ho|ha|hai)\b)",
        empty="più molto altro altra altri altre stesso stessa primo secondo ultimo spiega dimmi ancora",
        clauses=r"e|ma|perché|quando|se",
    ),
    facts=FactWords(
        negations="non no mai niente nulla nessun nessuno nessuna né neanche nemmeno neppure senza",
        negates_before=True,
        only=r"solo|soltanto",
        contrasts=r"ma|però|bensì",
        replaces="sostituisce",
        replaced=r"(?:sostituit[oa]|superat[oa])[ _-]?da",
        affirmations="sì si",
        scales={"mila": 1e3, "milione": 1e6, "milioni": 1e6, "miliardo": 1e9, "miliardi": 1e9},
    ),
    answers=Answers(
        nearest="I passaggi più vicini nei tuoi appunti:",
        nearest_without="I passaggi più vicini nei tuoi appunti (senza {words}):",
        quoted="«{word}»",
        untitled="Senza titolo",
        nothing_about="Niente su {subject}; i più vicini:",
        of_then="I tuoi appunti di quel periodo:",
        newest="Sono stati letti solo i {count} appunti più recenti di quel periodo.",
        general="I tuoi appunti non contengono la risposta. In base a conoscenze generali:",
        widened=("Niente per «{time}», quindi ho cercato {days} giorni prima e dopo.", "Niente per «{time}», quindi ho cercato negli appunti di ogni data."),
        refusals={
            "no_notes": "Non ci sono ancora appunti in cui cercare.",
            "no_candidates": "Nei tuoi appunti non se ne parla.",
            "below_threshold": "Gli appunti più vicini non contengono la risposta.",
            "time_range_empty": "Non hai appunti di quel periodo.",
            "unsupported_claims": "I tuoi appunti non sostengono ciò che il modello ha scritto, perciò non viene mostrato.",
            "index_pending": "Alcuni dei tuoi appunti vengono ancora indicizzati. Chiedi di nuovo tra un momento.",
        },
        conjunctions="e",
        sources=r"fonti|riferimenti|citazioni",
        knowing=r"not[ae]|appunti|font[ei]|passaggi|estratti|informazioni|dati|risposta|rispondere|menziona(?:no|t[oaie])?|sapere",
        denials=r"non(?!-)|nulla|niente|nessun[oa]?|neanche|nemmeno",
    ),
    small_talk=SmallTalk(
        greetings=r"ciao|salve|buongiorno|buonasera|buon pomeriggio",
        thanks=r"grazie|grazie mille|molte grazie|tante grazie|perfetto",
        product=r"aiuto|cosa (?:puoi|sai) fare|che cosa (?:puoi|sai) fare|cosa posso chieder(?:e|ti)|chi sei|come funziona",
        hello="Ciao! Chiedimi qualcosa sui tuoi appunti.",
        welcome="Prego.",
        help="Rispondo dai tuoi appunti e mostro il passaggio dietro ogni affermazione. Chiedi di una persona, un progetto, un luogo o un giorno.",
    ),
)  # fmt: skip
