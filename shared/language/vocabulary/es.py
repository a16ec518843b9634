"""Spanish."""

from __future__ import annotations

from shared.language.vocabulary import Answers, Asking, Facts, FollowUps, Rule, SmallTalk, Times, Vocabulary

TIMES = Times(
    units={
        "day": "día|días|dia|dias", "week": "semana|semanas", "month": "mes|meses", "quarter": "trimestre|trimestres",
        "year": "año|años|ano|anos",
    },
    weekdays=("lunes", "martes", "miércoles|miercoles", "jueves", "viernes", "sábado|sabado", "domingo"),
    months=("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre|setiembre", "octubre",
            "noviembre", "diciembre"),
    short_months={"ene": 1, "dic": 12},
    seasons=("primavera", "verano", "otoño", "invierno"),
    numbers=("uno|un|una", "dos|un par de", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once",
             "doce"),
    tens=("veinte", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"),
    more_numbers={"quince": 15},
    few="unos|unas",
    ordinals=("primer", "segundo", "tercer", "cuarto"),
    rules=(
        Rule("ignored", r"(?:próximo|próxima|proximo|proxima) (?:{unit}|{weekday}|{month}|{season})"),
        Rule("ignored", r"{unit} (?:que viene|próximo|próxima)"),
        Rule("ignored", r"para (?:el |la )?(?:{weekday}|{month}|{season})"),
        Rule("today", r"hoy|esta (?:mañana|tarde|noche)"),
        Rule("day_before_yesterday", r"anteayer|antes de ayer|anteanoche"),
        Rule("yesterday", r"ayer|anoche"),
        Rule("recently", r"recientemente|últimamente|ultimamente"),
        Rule("other_day", r"el otro día|hace poco"),
        Rule("ago", r"hace (?:unos |unas )?{n} (?:o {most} )?{unit}"),
        Rule("clock_ago", r"hace (?:unos |unas )?(?:media|{n}) (?:horas?|(?P<minutes>minutos?))"),
        Rule("clock_ago", r"hace un (?:rato|momento)"),
        Rule("half_year", r"hace medio año"),
        Rule("rolling", r"(?:en |durante )?(?:los |las )?(?:últimos|últimas|ultimos|ultimas|pasados|pasadas) {n} {unit}"),
        Rule("year_and_half", r"hace año y medio"),
        Rule("rolling", r"(?:en |durante )?(?:los |las )?{n} (?:últim|ultim|pasad)[oa]s {unit}"),
        Rule("rolling", r"(?:en |durante )?(?:los |las )(?:últim|ultim)[oa]s (?P<few>)(?P<unit>días|dias|semanas|meses|años)"),
        Rule("ago", r"(?:la |el )?(?P<unit>semana|mes|año) antepasad[oa]"),
        Rule("current", r"(?P<unit>semana|mes|trimestre|año)", weak=True),
        Rule("weekday_in_week", r"(?:el )?{weekday} de (?:la semana (?P<last>pasada)|esta semana)"),
        Rule("last_unit", r"(?:la |el )?(?P<unit>semana|mes|trimestre|año) pasad[oa]"),
        Rule("this_unit", r"est[ea] (?P<unit>semana|mes|trimestre|año)"),
        Rule("this_unit", r"(?:en )?lo que va de(?:l)? (?P<unit>semana|mes|trimestre|año)"),
        Rule("weekend", r"(?:el )?fin de semana (?P<last>pasado)"),
        Rule("weekend", r"(?:este|el) fin de semana"),
        Rule("weekday", r"(?:el|este) (?:(?P<last>pasado) )?{weekday}(?P<last2> pasado)?"),
        Rule("weekday", r"{weekday}", weak=True),
        Rule("days_of_month", r"(?:entre el |desde el |del )?(?P<d1>\d{1,2})(?:\s*[-–]\s*| y (?:el )?| al | hasta el )(?P<d2>\d{1,2}) de {month}(?: (?:de|del) {year})?"),
        Rule("date", r"(?:el )?(?P<day>\d{1,2}) de {month}(?: (?:de|del) {year})?"),
        Rule("dots", r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>(?:19|20)\d\d)"),
        Rule("month", r"{month} pasado(?P<last>)"),
        Rule("month", r"{month} (?:de |del )?{year}"),
        Rule("month", r"{month}", weak=True),
        Rule("season", r"(?:el |la )?{season} (?P<last>pasad[oa])"),
        Rule("season", r"{season} (?:de |del )?{year}"),
        Rule("season", r"{season}", weak=True),
        Rule("quarter", r"(?:el )?(?P<nth>primer|segundo|tercer|cuarto) trimestre", weak=True),
        Rule("new_years_eve", r"(?:en |por )?nochevieja"),
        Rule("new_years_day", r"(?:en |por )?año nuevo"),
        Rule("christmas_eve", r"(?:en |por )?nochebuena"),
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
    ordinal_days=(
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
    date_links="de",
    in_a_month="en",
    from_to="entre {} y {}",
)  # fmt: skip

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
    asking=Asking(
        questions=r"quién|quien|qué|cuándo|dónde|cuál(?:es)?|cuánt[oa]s?|cómo",
        verbs=r"enséñame|muestra|muéstrame|resume|busca",
        past=r"ha|he|hemos|han|había|fue|fueron|era|eran|estuv\w+|\w+(?:é|ó|aron|ieron|amos|imos)",
        duty=r"puedo|podemos|debo|debemos|tengo que|tenemos que|hay que|se puede",
        everything="escribir escribí escrito pasó pasar hice hacer hecho muestra muéstrame enséñame resume resumen nota notas entrada entradas diario todo trabajar trabajé",
        genitive=r"del?",
        articles=r"la",
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
    facts=Facts(
        negations="no nunca jamás nada nadie ningún ninguna ninguno tampoco sin ni",
        negates_before=True,
        only=r"sólo|solo",
        contrasts=r"pero|sino",
        affirmations="sí si",
        scales={"mil": 1e3, "millón": 1e6, "millones": 1e6},
    ),
    answers=Answers(
        nearest="Los pasajes más cercanos de tus notas:",
        of_then="Tus notas de ese tiempo:",
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
