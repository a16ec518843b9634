"""Italian."""

from __future__ import annotations

from shared.language.vocabulary import Answers, Asking, Facts, FollowUps, Rule, Times, Vocabulary

TIMES = Times(
    units={
        "day": "giorno|giorni", "week": "settimana|settimane", "month": "mese|mesi", "quarter": "trimestre|trimestri",
        "year": "anno|anni",
    },
    weekdays=("lunedì|lunedi", "martedì|martedi", "mercoledì|mercoledi", "giovedì|giovedi", "venerdì|venerdi", "sabato",
              "domenica"),
    months=("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre",
            "novembre", "dicembre"),
    short_months={"genn": 1, "febbr": 2, "magg": 5, "lugl": 7, "sett": 9, "ott": 10},
    seasons=("primavera", "estate", "autunno", "inverno"),
    numbers=("uno|un|una|un'|un’", "due|un paio di", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci",
             "undici", "dodici"),
    tens=("venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta"),
    more_numbers={"quindici": 15},
    few="alcuni|alcune|qualche",
    ordinals=("primo|prima", "secondo|seconda", "terzo|terza", "quarto|quarta"),
    rules=(
        Rule("ignored", r"prossim[oaie] (?:{unit}|{weekday}|{month}|{season})"),
        Rule("ignored", r"(?:{unit}|{weekday}|{month}|{season}) prossim[oa]"),
        Rule("ignored", r"(?:entro|per) (?:il |la |l['’])?(?:{weekday}|{month}|{season})"),
        Rule("today", r"oggi|stamattina|stamani|stasera|questa (?:mattina|sera|notte)"),
        Rule("day_before_yesterday", r"(?:l['’])?altro ieri|altroieri|avantieri"),
        Rule("yesterday", r"ieri(?: (?:mattina|pomeriggio|sera|notte))?|la (?:scorsa notte|notte scorsa)"),
        Rule("recently", r"recentemente|di recente|ultimamente|negli ultimi tempi"),
        Rule("other_day", r"l['’]altro giorno|poco (?:tempo )?fa"),
        Rule("ago", r"(?:circa )?{n} (?:o {most} )?{unit} fa"),
        Rule("clock_ago", r"(?:circa )?(?:mezz['’]|{n}\s*)(?:or[ae]|(?P<minutes>minut[oi])) fa"),
        Rule("clock_ago", r"un (?:momento|attimo) fa"),
        Rule("half_year", r"(?:circa )?mezzo anno fa"),
        Rule("year_and_half", r"(?:circa )?un anno e mezzo fa"),
        Rule("rolling", r"(?:ne(?:gli|lle|i) |durante (?:gli |le |i )?|gli |le |i )?(?:ultim|scors|passat)[ie] {n} {unit}"),
        Rule("rolling", r"(?:ne(?:gli|lle|i) |durante (?:gli |le |i )?|gli |le |i )?{n} {unit} (?:scors|passat)[ie]"),
        Rule("rolling", r"(?:negli |nelle |gli |le )ultim[ie] (?P<few>)(?P<unit>giorni|settimane|mesi|anni)"),
        Rule("rolling", r"nell['’]ultim[oa] (?P<unit>settimana|mese|trimestre|anno)"),
        Rule("current", r"(?:l['’])?(?P<unit>settimana|mese|trimestre|anno)", weak=True),
        Rule("weekday_in_week", r"(?:il |la )?{weekday} (?:della (?P<last>scorsa) settimana|della settimana (?P<last2>scorsa)|di questa settimana)"),
        Rule("last_unit", r"(?:(?:nel|nella|il|la) |(?:l|nell)['’])?(?P<unit>settimana|mese|trimestre|anno) (?:scors|passat)[oa]"),
        Rule("last_unit", r"(?:(?:nella|la|nello|lo) )?scors[oa] (?P<unit>settimana|mese|trimestre|anno)"),
        Rule("this_unit", r"(?:in )?quest(?:[oa] |['’])(?P<unit>settimana|mese|trimestre|anno)"),
        Rule("weekend", r"(?:(?:il|lo|nel|nello) )?(?:(?P<last>scorso) (?:fine settimana|week-?end)|(?:fine settimana|week-?end) (?P<last2>scorso|passato))"),
        Rule("weekend", r"(?:questo|il|nel) (?:fine settimana|week-?end)"),
        Rule("weekday", r"(?:lo |la )?(?P<last>scors[oa]) {weekday}"),
        Rule("weekday", r"(?:il |la )?{weekday} (?P<last>scors[oa]|passat[oa])"),
        Rule("weekday", r"{weekday}(?: (?:mattina|pomeriggio|sera))?", weak=True),
        Rule("days_of_month", r"(?:tra il |fra il |dal |dall['’])?(?P<d1>\d{1,2})(?:\s*[-–]\s*| e (?:il |l['’])?| al | all['’])(?P<d2>\d{1,2}) {month}(?: (?:del )?{year})?"),
        Rule("date", r"(?:il |l['’])?(?P<day>\d{1,2})[°º]? {month}(?: (?:del )?{year})?"),
        Rule("dots", r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>(?:19|20)\d\d)"),
        Rule("month", r"(?:lo )?(?P<last>scorso) {month}"),
        Rule("month", r"{month} (?P<last>scorso|passato)"),
        Rule("month", r"{month} (?:del )?{year}"),
        Rule("month", r"{month}", weak=True),
        Rule("season", r"(?:la |lo |l['’])?(?P<last>scors[oa]) {season}"),
        Rule("season", r"(?:la |lo |l['’])?{season} (?P<last>scors[oa]|passat[oa])"),
        Rule("season", r"{season} (?:del )?{year}"),
        Rule("season", r"quest(?:o |a |['’]){season}"),
        Rule("season", r"{season}", weak=True),
        Rule("quarter", r"(?:il )?(?P<nth>primo|secondo|terzo|quarto) trimestre (?:del )?{year}"),
        Rule("quarter", r"(?:il )?(?P<nth>primo|secondo|terzo|quarto) trimestre", weak=True),
        Rule("new_years_eve", r"(?:a |per |la notte di )?san silvestro"),
        Rule("new_years_day", r"(?:a |per )?capodanno|(?:il )?primo dell['’]anno"),
        Rule("christmas_eve", r"(?:al)?la vigilia di natale"),
        Rule("christmas", r"(?:a |per )?(?:(?P<last>lo scorso) )?natale(?: (?:del )?{year})?"),
        Rule("year", r"(?:anno )?{year}(?! (?:euro|parole|persone|pagine)\b)", weak=True),
    ),
    prepositions=r"in|nel|nella|nell['’]|del|della|dell['’]|di|da|dal|dalla|a|al|alla|il|la|lo|l['’]|fino a|fino al|prima di|prima del|dopo|tra|fra|e|anno|durante",
    operators={
        "since": r"da|dal(?:la|l['’])?|a partire da(?:l|lla|ll['’])?",
        "after": r"dopo(?: il| la| lo| l['’])?|successiv[oaie] a(?:l|lla|ll['’])?",
        "before": r"prima (?:di|del|della|dello|dell['’])|precedent[ei] a(?:l|lla|ll['’])?",
        "until": r"fino a(?:l|lla|llo|ll['’])?",
    },
    distances=(
        Rule("counted", r"(?:circa )?{n} {unit}"),
        Rule("few", r"(?:nei|negli|nelle|i|gli|le) (?P<unit>giorni|settimane|mesi|anni)"),
        Rule("adjoining", r"(?:nella |nel |nell['’]|nei |nelle |la |il |l['’]|i |le )(?:{n} )?{unit}"),
        Rule("adjoining", r"la (?:mattina|sera|notte)"),
        Rule("weekday", r"(?:il |la )?{weekday}"),
        Rule("weekend", r"(?:il |nel )?(?:fine settimana|week-?end)"),
        Rule("soon", r"poco|subito"),
    ),
    members=(
        Rule("weekday", r"(?:il |la )?(?P<nth>primo|prima|secondo|seconda|terzo|terza|quarto|quarta|ultimo|ultima) {weekday} (?:di|del|della|dell['’])"),
        Rule("weekend", r"(?:il )?(?P<nth>primo|secondo|terzo|quarto|ultimo) (?:fine settimana|week-?end) (?:di|del|della|dell['’])"),
    ),
    named=r"si scrive|si pronuncia|parol[ae]|termin[ei]|chiamat[oa]|intitolat[oa]|variabil[ei]",
    named_parts=r"colonn[ae]|camp[oi]|cell[ae]|rig(?:a|he)|fogli(?:o)?|chiav[ei]|opzion[ei]|parametr[oi]",
    between=r"tra(?: il| la| l['’])?|fra(?: il| la| l['’])?|da|dal|dalla|dall['’]",
    joiners=r"e(?: il| la| l['’])?|o|fino a(?:l|lla|ll['’])?|a|al|alla|-|–",
    links=r"di|del|della|dell['’]|dello|in|nel",
    parts={
        "start": r"(?:all['’])?inizio (?:di|del|della|dell['’])|(?:ai )?primi di",
        "mid": r"(?:a )?metà (?:di |del |della |dell['’])?",
        "end": r"(?:alla )?fine (?:di|del|della|dell['’])",
        "week": r"(?:la |nella )?settimana del(?:l['’])?",
        "second week": r"(?:la |nella )?seconda settimana (?:di|del)",
        "third week": r"(?:la |nella )?terza settimana (?:di|del)",
    },
    day_endings="°|º",
    date_links="di|del",
    in_a_month="in",
    from_to="tra {} e {}",
)  # fmt: skip

VOCABULARY = Vocabulary(
    stop_words="""
        il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla in nel
        nella nei con su sul sulla per tra fra e ed o ma se che non come più anche io tu lui lei noi voi loro mi ti si
        ci vi mio mia miei mie suo sua suoi sono sei è siamo siete era erano stato essere ho hai ha abbiamo avete hanno
        aveva avere questo questa questi queste quello quella chi cosa quale quali quando dove perché quanto quanti
        dell nell dall sull all scorso scorsa
        nello negli nostro nostra nostri nostre tuo tua tuoi tue fu furono sarà fosse avevo avevamo posso può possono
        devo deve devono fa già così ancora molto dopo durante senza fino mentre cui quanta quante ultimo ultima ultimi
        ultime
    """,
    spellings=("ì", "ò"),
    abbreviations="dott dssa sig sigra avv pag pagg cfr",
    closing_abbreviations="ecc",
    asking=Asking(
        questions=r"chi|che|cosa|quando|dove|qual[ei]?|quant[oaie]|come|perché|cos['’]\w+|dov['’]\w+",
        verbs=r"mostra(?:mi)?|riassumi|trova(?:mi)?|cerca|elenca|posso|devo|possiamo|dobbiamo|si può|bisogna",
        past=r"ho|hai|ha|abbiamo|avete|hanno|aveva|avevo|era|erano|fu|furono|stat[oaie]|\w+(?:ai|ò|ammo|arono|irono)",
        duty=r"posso|possiamo|devo|dobbiamo|si può|si deve|bisogna",
        genitive=r"di|del|della|dello|dell['’]",
        articles=r"il|la|lo|l['’]",
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
    facts=Facts(
        negations="non no mai niente nulla nessun nessuno nessuna né neanche nemmeno neppure senza",
        negates_before=True,
        only=r"solo|soltanto",
        contrasts=r"ma|però|bensì",
        affirmations="sì si",
        measures={
            "millisecond": "millisecondo millisecondi", "second": "secondo secondi", "minute": "minuto minuti",
            "hour": "ora ore", "gram": "grammo grammi", "kilogram": "chilo chili chilogrammo chilogrammi",
            "metre": "metro metri", "kilometre": "chilometro chilometri", "litre": "litro litri", "euro": "euro",
            "dollar": "dollaro dollari", "pound": "sterline",
        },
        scales={"mila": 1e3, "milione": 1e6, "milioni": 1e6, "miliardo": 1e9, "miliardi": 1e9},
    ),
    answers=Answers(
        nearest="I passaggi più vicini nei tuoi appunti:",
        conjunctions="e",
        sources=r"fonti|riferimenti|citazioni",
        knowing=r"not[ae]|appunti|font[ei]|passaggi|estratti|informazioni|dati|risposta|rispondere|menziona(?:no|t[oaie])?|sapere",
        denials=r"non(?!-)|nulla|niente|nessun[oa]?|neanche|nemmeno",
    ),
)  # fmt: skip
