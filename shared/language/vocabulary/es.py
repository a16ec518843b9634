"""Spanish."""

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
        "day": "día|días|dia|dias", "week": "semana|semanas", "month": "mes|meses", "quarter": "trimestre|trimestres",
        "half": "semestre|semestres", "year": "año|años|ano|anos",
    },
    weekdays=("lunes", "martes", "miércoles|miercoles", "jueves", "viernes", "sábado|sabado", "domingo"),
    date="{day} de {month} de {year}",
    months=("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre|setiembre", "octubre",
            "noviembre", "diciembre"),
    short_months={"ene": 1, "dic": 12},
    seasons=("primavera", "verano", "otoño", "invierno"),
    weekend="fin de semana|fines de semana|findes?",
    weeks=r"semanas?(?: número)?",
    quarter_letters="qt",
    half_letters="hs",
    feasts={
        "12-31": "nochevieja|fin de año", "01-01": "año nuevo", "01-06": "día de reyes|reyes magos|epifanía",
        "02-14": "san valentín|día de los enamorados", "-47": "martes de carnaval", "-46": "miércoles de ceniza",
        "-7/8": "semana santa", "-7": "domingo de ramos", "-3": "jueves santo", "-2": "viernes santo", "-2/4": "pascua",
        "+0": "domingo de pascua|domingo de resurrección", "+1": "lunes de pascua",
        "05-01": "día del trabajo|día del trabajador", "+39": "ascensión", "+49/2": "pentecostés",
        "+50": "lunes de pentecostés", "+60": "corpus christi|corpus", "06-24": "san juan", "03-19": "san josé",
        "05-6#1": "día de la madre", "08-15": "asunción", "09-16": "día de la independencia",
        "10-12": "día de la hispanidad|fiesta nacional|pilar", "10-31": "halloween",
        "11-01": "todos los santos|día de todos los santos", "11-02": "día de muertos|día de los muertos",
        "12-06": "día de la constitución", "12-08": "inmaculada|inmaculada concepción",
        "12-24": "nochebuena|víspera de navidad|vispera de navidad", "12-24/3": "navidad|navidades",
        "12-25": "día de navidad",
    },
    numbers=("uno|un|una", "dos|un par de", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once",
             "doce"),
    tens=("veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"),
    more_numbers={"quince": 15},
    few="unos|unas",
    ordinals=("primer|primero|primera|uno", "segundo|segunda", "tercer|tercero|tercera", "cuarto|cuarta"),
    rules=(
        Rule("ignored", r"(?:próximo|próxima|proximo|proxima|cada) {period}"),
        Rule("ignored", r"{period} (?:que viene|próximo|próxima)"),
        Rule("ignored", r"(?:de|a|con|para) (?:pilar|asunción|ascensión|inmaculada)"),  # women: the feasts have their article
        Rule("ignored", r"de \d{1,2} de {month}"),  # a day has its article: "la letra de 19 de noviembre" is a title
        Rule("ignored", r"para (?:el |la )?{period}"),
        Rule("same_day", r"(?:(?:en )?(?:el |tal )?(?:mismo día|día como hoy)|este (?:mismo )?día)"),
        Rule("today", r"hoy|esta (?:mañana|tarde|noche)"),
        Rule("day_before_yesterday", r"anteayer|antes de ayer|anteanoche"),
        Rule("yesterday", r"ayer|anoche"),
        Rule("recently", r"recientemente|últimamente|ultimamente"),
        Rule("other_day", r"el otro día|hace poco"),
        Rule("ago", r"hace (?:unos |unas )?{n} (?:o {most} )?{unit}"),
        Rule("shifted", r"hace (?:exactamente|justo) {n} {unit}"),
        Rule("clock_ago", r"hace (?:unos |unas )?(?:media|{n}) (?:horas?|(?P<minutes>minutos?))|hace un (?:rato|momento)"),
        Rule("rolling", r"(?:en |durante )?(?:los |las )?(?:últimos|últimas|ultimos|ultimas|pasados|pasadas) {n} {unit}"),
        Rule("half_year", r"hace (?:medio año|(?P<more>(?:un )?año y medio))"),
        Rule("rolling", r"(?:en |durante )?(?:los |las )?{n} (?:últim|ultim|pasad)[oa]s {unit}"),
        Rule("rolling", r"(?:en |durante )?(?:los |las )(?:últim|ultim)[oa]s (?P<few>)(?P<unit>días|dias|semanas|meses|años)"),
        Rule("before_last", r"(?:la |el )?{period} antepasad[oa]"),
        Rule("before_last", r"(?:la |el )?(?:penúltim|antepenúltim|penultim)[oa] {period}"),
        Rule("current", r"(?P<unit>semana|mes|trimestre|año)", weak=True),
        Rule("last", r"(?:(?:la|el|este) )?{period} pasad[oa]"),
        Rule("this", r"est[ea] {period}"),
        Rule("this", r"(?:en )?lo que va de(?:l)? {units}"),
        Rule("weekend", r"(?:el |(?<=del\s))(?:fin de semana|finde)"),
        Rule("days_of_month", r"(?:entre el |desde el |del )?(?P<d1>\d{1,2})(?:\s*[-–/]\s*| y (?:el )?| al | hasta el )(?P<d2>\d{1,2}) de {month}(?: (?:de|del) {year})?"),
        Rule("date", r"(?:el )?(?:(?P<day>\d{1,2})|{nth}) de {month}(?: (?:de|del) {year})?"),
        Rule("feast", r"(?:en|por|el|la) {feast}(?: (?:(?:de|del) )?{year})?"),
        Rule("feast", r"{feast}(?: (?:(?:de|del) )?{year})?", weak=True),
        Rule("decade", r"(?:los )?(?:años|década de(?: los)?) {decade}"),
        Rule("decade", r"los {decade}(?<!\d)"),
    ),
    prepositions=r"(?:en|el|desde|del|de|hasta|antes de|antes del|después de|después del|entre|y|a|al|durante|año|este|esta|la)",
    operators={
        "since": r"desde(?: el| la)?|a (?:partir|contar) de(?:l)?(?: el| la)?|no antes de(?:l)?",
        "after": r"(?:después|despues)(?: de| del)(?: el| la)?|posterior(?:es)? (?:al?|a la)|siguientes? (?:al?|a la)|tras(?: el| la)?",
        "before": r"antes(?: de| del)(?: el| la)?|anterior(?:es)? (?:al?|a la)",
        "until": r"hasta(?: el| la)?|a más tardar(?: el| en| del?)?|como muy tarde(?: el| en| del?)?|no más tarde de(?:l)?|no después de(?:l)?",
    },
    behind={
        "since": r"en adelante|y después|o después",
        "until": r"a más tardar|como muy tarde|y antes|o antes",
        "included": r"inclusive|incluid[oa]",
    },
    unread=r"(?:significa|se dice|refrán|acordes)(?: \S+){0,6}|excepto(?: en| el| la)?|salvo(?: en| el| la)?|menos(?: el| la)?|sin(?: el| la)?|que|(?:no|nunca)(?: en| el)?|casi|contra|versus|vs|fuera de(?:l)?|en vez de(?:l)?",
    on_days=r"el|del|al",
    distances=(
        Rule("counted", r"(?:(?:unos|unas) )?{n} {unit}"),
        Rule("few", r"(?:(?:en|durante) )?(?:los|las) (?P<unit>días|dias|semanas|meses|años)"),
        Rule("adjoining", r"(?:(?:en|durante) )?(?:la|el|los|las) (?:{n} )?{unit}|la (?:mañana|tarde|noche)"),
        Rule("nearest", r"(?:el )?(?:{weekday}|{weekend})"),
        Rule("soon", r"poco|justo"),
    ),
    ordinal_days=(
        Rule("nth", r"(?:en )?(?:el |la )?(?:{nth}|últim[oa]) (?:{weekday}|{weekend}|(?P<unit>semana|día|mes|trimestre)) de(?:l)?"),
        Rule("eve", r"(?:en )?(?:la )?víspera de(?:l)?"),
        Rule("units", r"(?:(?:en|durante) )?l[ao]s (?:{n} )?(?:primer|(?P<last>últim))[oa]s (?:{n2} )?(?P<unit>días|semanas|meses) de(?:l)?"),
    ),
    named=r"se escribe|se deletrea|palabras?|término|llamad[oa]|variables?",
    named_parts=r"columnas?|campos?|celdas?|filas?|hojas?|claves?|opción|parámetros?",
    between=r"entre(?: el)?|desde(?: el)?|de|del",
    joiners=r"y(?: el| la)?|o|hasta(?: el| la)?|a la|a|al|-|–",
    links=r"de|del|de la|en",
    day_endings="º|ª|er|o",
    parts={"start": r"(?:a )?(?:principios|comienzos|inicios) del?", "mid": r"(?:a )?mediados del?|la mitad del?",
           "end": r"(?:a )?(?:finales|fines|fin|final) del?", "week": r"(?:la )?semana del",
           "first half": r"(?:en )?la primera (?:mitad|quincena) del?", "second half": r"(?:en )?la segunda (?:mitad|quincena) del?",
           "weekend": r"(?:el )?(?:fin de semana|finde)(?: del)?"},
    names_are_lower_case=True,
    date_links="de",
    eras=r"[ad]\.?\s?c|(?:antes|después) de cristo",
    in_a_month="en",
    from_to="entre {} y {}",
)  # fmt: skip

_QUESTION_WORDS = (
    "cuánto cuanto cuándo cuando dónde donde cómo como quién quien quiénes cuál se me nos le no"
)
_BEHIND_QUESTION_WORD = "|".join(rf"(?<=\b{word} )" for word in _QUESTION_WORDS.split())
_IMPERFECT = (
    r"(?!(?:guay|síl|tr)abas?\b)\w{2,}ab(?:as?|an|amos)|dab(?:a|an)|ib(?:a|an)|íbamos|éramos|"
    r"(?:ten|hab|hac|dec|pod|quer|ven|sal|pon|sab|viv|deb|val|segu|le|cre|com|beb|conoc|exist|serv|dorm|ped|cumpl|abr|"
    r"escrib|recib|perd|ve|vend)ía(?:s|n|mos)?|"
    rf"(?:{_BEHIND_QUESTION_WORD})(?!\w+(?:[aei]|d|b)ría)(?-i:[a-zñ])\w+ía(?:n|mos)?"
)
"""Many nouns end in -ía, so that most verbs in it count only behind a question word or a pronoun."""
_IRREGULAR_PAST = (
    r"(?:estuv|tuv|pud|pus|sup|quis|hic|vin|dij|traj|anduv)(?:e|o|imos|ieron|eron)|hizo|hubo|di(?:o|eron)|vi(?:o|eron)|"
    r"fui|fuimos|fue|fueron"
)

VOCABULARY = Vocabulary(
    stop_words="""
        el la los las lo un una unos unas este esta esto estos estas ese esa eso esos esas aquel aquella
        yo me mi mis mí tú te ti tu tus él ella ello se su sus le les nosotros nos nuestro nuestra nuestros nuestras
        vosotros os vuestro ellos ellas usted ustedes
        soy eres es somos son era eras eran fue fui fueron ser sido estoy está están estaba estaban estar
        he has ha hemos han había habían haber hay tengo tiene tienen tenía hice hizo hacer puede puedo pueden
        y e o u ni pero sino si que porque como cuando donde mientras
        no nada ningún ninguna muy más menos también ya solo sólo todo toda todos todas
        de del a al en con por para sin sobre entre hasta desde hacia según durante
        qué quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas dónde cómo adónde
        pasado pasada último última hace favor
    """,
    spellings=("ñ", "¿", "¡"),
    abbreviations="sra srta dra ud uds pág núm aprox",
    plurals="s es z/ces",
    verb_endings="ar er ir ado ada ido ida ando iendo aron ieron e o aba ia",
    asking=Asking(
        who_or_where="quién|quien|dónde",
        questions=r"qué|cuándo|cuál(?:es)?|cuánt[oa]s?|cómo",
        amounts=r"cuánt[oa]s?|a qué hora",
        moments="cuándo|cuando",
        verbs=r"enséñame|muestra|muéstrame|resume|busca",
        past=rf"ha|he|hemos|han|era|eran|{_IRREGULAR_PAST}|{_IMPERFECT}|"
        r"(?<!\bel )(?<!\bun )(?<!\bde )(?<!\bdel )(?<!\bal )(?<!\bmi )(?<!\btu )(?<!\bsu )"
        r"(?!qué|porqué|aquí|así|ahí|allí|mí|sí)(?:(?<=¿)|(?-i:(?=[a-zñ])))\w+(?:é|í|ó)|"
        r"(?!estamos|vamos|tramos|ramos|préstamos|\w*gramos|\w*[ntxc]imos\b)\w+(?:aron|ieron|amos|imos)",
        participles=r"\w{2,}[ai]d[oa]s?|hech[oa]s?|escrit[oa]s?|vist[oa]s?|abiert[oa]s?|puest[oa]s?",
        present=r"es|son|está|están|hay",
        former=r"antigu[oa]s?|anterior(?:es)?|viej[oa]s?|antiguamente|originalmente",
        before=r"antes",
        duty=r"necesito|necesitamos|me hace falta|puedo|podemos|debo|debemos|tengo que|tenemos que|hay que|se puede",
        writing="escribir escribí escrito muestra muéstrame enséñame resume resumen nota notas entrada entradas diario todo",
        happening="pasó pasar ocurre ocurrió ocurría ocurrido ocurrir sucede sucedió sucedía sucedido suceder hice hicimos hacer "
        "hecho trabajar trabajé",
        happening_phrases=r"(?:tuvo|tuvieron|tenido|tener) lugar|hubo",
        fillers=r"tod[oa]s(?: l[oa]s)?",
        asker=r"yo|me|mis?|nosotr[oa]s|nos|nuestr[oa]s?|he|hemos|fui|hice|estuve|\w+(?:amos|imos)|(?!qué|aquí|así|ahí|allí|mí|sí)(?-i:[a-zñ])\w*(?:é|í)",
        genitive=r"del?",
        genitive_of_names=r"de",
        authorship=r"de|por",
        names=r"nombres?|apellidos?",
        articles=r"la",
        first=r"primera?",
        last=r"últim[oa]",
    ),
    times=TIMES,
    follow_ups=FollowUps(
        at_length=r"(?:y|e|o|pero|también)(?: qué (?:tal|hay de|pasa con))?|qué (?:tal|hay de|pasa con)",
        shortly=r"para|en|con|de",
        things=r"es[oae]|esto|allí|ahí|l[oa](?= \w+[éó]\b)|l[oa]s? mism[oa]s?|otr[ao]s?",
        people=r"él|ella|ellos|ellas",
        empty="más mucho otra otro otras otros mismo misma primero segundo último explica dime",
        clauses=r"y|pero|porque",
    ),
    facts=FactWords(
        negations="no nunca jamás nada nadie ningún ninguna ninguno tampoco sin ni",
        negates_before=True,
        only=r"sólo|solo",
        contrasts=r"pero|sino",
        replaces="reemplaza|sustituye",
        replaced=r"(?:reemplazad[oa]|sustituid[oa])[ _-]?por",
        affirmations="sí si",
        scales={"mil": 1e3, "millón": 1e6, "millones": 1e6},
    ),
    answers=Answers(
        nearest="Los pasajes más cercanos de tus notas:",
        nearest_without="Los pasajes más cercanos de tus notas (sin {words}):",
        quoted="«{word}»",
        untitled="Sin título",
        nothing_about="Nada sobre {subject}; lo más cercano:",
        of_then="Tus notas de ese tiempo:",
        newest="Solo se leyeron las {count} notas más recientes de ese tiempo.",
        general="Tus notas no contienen la respuesta. Según conocimientos generales:",
        widened=("No hay nada de «{time}», así que busqué {days} días antes y después.", "No hay nada de «{time}», así que busqué en notas de cualquier fecha."),
        refusals={
            "no_notes": "Todavía no hay notas en las que buscar.",
            "no_candidates": "Nada en tus notas habla de esto.",
            "below_threshold": "Las notas más cercanas no contienen la respuesta.",
            "time_range_empty": "No tienes notas de ese tiempo.",
            "unsupported_claims": "Tus notas no respaldan lo que escribió el modelo, así que no se muestra.",
            "index_pending": "Algunas de tus notas aún se están indexando. Vuelve a preguntar en un momento.",
        },
        conjunctions="y",
        sources=r"fuentes|referencias|citas",
        knowing=r"notas?|fuentes?|pasajes?|fragmentos?|apuntes|información|datos|respuesta|responder|menciona|sé",
        denials=r"nada|ningun[ao]?|ningún|tampoco",
    ),
    small_talk=SmallTalk(
        greetings=r"hola|buenas|buenos días|buenas (?:tardes|noches)|hola buenas",
        thanks=r"gracias|muchas gracias|mil gracias|genial|perfecto",
        product=r"ayuda|qué (?:puedes|sabes) hacer|qué puedo preguntar(?:te)?|quién eres|qué eres|cómo funciona(?: esto)?",
        hello="¡Hola! Pregúntame algo sobre tus notas.",
        welcome="De nada.",
        help="Respondo a partir de tus notas y muestro el pasaje de cada afirmación. Pregunta por una persona, un proyecto, un lugar o un día.",
    ),
)  # fmt: skip
