"""French."""

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
        "day": "jour|jours", "week": "semaine|semaines", "month": "mois", "quarter": "trimestre|trimestres",
        "half": "semestre|semestres", "year": "an|ans|année|années",
    },
    weekdays=("lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"),
    date="{day} {month} {year}",
    months=("janvier", "février|fevrier", "mars", "avril", "mai", "juin", "juillet", "août|aout", "septembre", "octobre",
            "novembre", "décembre|decembre"),
    short_months={"févr": 2, "avr": 4, "juil": 7, "juill": 7, "déc": 12},
    seasons=("printemps", "été", "automne", "hiver"),
    weekend="week-?ends?",
    weeks=r"semaines?(?: numéro| n°)?",
    quarter_letters="qt",
    half_letters="hs",
    feasts={
        "12-31": "saint-sylvestre|réveillon du nouvel an", "01-01": "jour de l'an|nouvel an",
        "01-06": "épiphanie|fête des rois", "02-02": "chandeleur", "02-14": "saint-valentin", "-47": "mardi gras",
        "-46": "mercredi des cendres", "-7/8": "semaine sainte", "-7": "dimanche des rameaux|rameaux",
        "-3": "jeudi saint", "-2": "vendredi saint", "-2/4": "pâques", "+0": "dimanche de pâques",
        "+1": "lundi de pâques", "05-01": "fête du travail", "05-08": "fête de la victoire",
        "+39": "ascension|jeudi de l'ascension", "+49/2": "pentecôte", "+50": "lundi de pentecôte", "+60": "fête-dieu",
        "06-21": "fête de la musique", "06-24": "saint-jean", "07-14": "fête nationale", "08-15": "assomption",
        "10-31": "halloween", "11-01": "toussaint", "11-11": "armistice", "12-06": "saint-nicolas",
        "12-24": "veille de noël|réveillon de noël", "12-24/3": "noël", "12-25": "jour de noël",
    },
    decades=("vingt", "trente", "quarante", "cinquante", "soixante", "soixante-dix", "quatre-vingt|quatre-vingts",
             "quatre-vingt-dix"),
    numbers=("un|une", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze"),
    tens=("vingt", "trente", "quarante", "cinquante", "soixante", "soixante-dix", "quatre-vingts", "quatre-vingt-dix"),
    more_numbers={"quinze": 15},
    few="quelques",
    ordinals=("premier|première|1er|1re", "deuxième|second|2e|2ème", "troisième|3e|3ème", "quatrième|4e|4ème"),
    rules=(
        Rule("ignored", r"{period} prochaine?"),
        Rule("ignored", r"(?:prochaine?|chaque) {period}"),
        Rule("same_day", r"(?:(?:le |au )?même jour|(?:en )?ce (?:même )?jour(?:-(?:là|ci))?|jour pour jour)"),
        Rule("today", r"(?:d['’])?aujourd['’]hui|ce (?:matin|soir)|cet après-midi|cette nuit"),
        Rule("day_before_yesterday", r"(?:d['’])?avant[- ]hier"),
        Rule("yesterday", r"(?:d['’])?hier(?: (?:matin|soir|après-midi))?|(?:la )?nuit dernière"),
        Rule("recently", r"récemment|recemment|dernièrement|ces derniers temps"),
        Rule("other_day", r"l['’]autre jour"),
        Rule("ago", r"il y a (?:environ )?{n} (?:ou {most} )?{unit}"),
        Rule("shifted", r"il y a (?:exactement|tout juste) {n} {unit}"),
        Rule("clock_ago", r"il y a (?:environ )?(?:une demi-|{n} )(?:heures?|(?P<minutes>minutes?))|il y a un (?:instant|moment)"),
        Rule("rolling", r"(?:durant |pendant |dans |au cours )?(?:des |les |ces )?{n} derni(?:ers|ères) {unit}"),
        Rule("rolling", r"(?:ces|les) derni(?:ers|ères) (?P<few>){unit}"),
        Rule("half_year", r"il y a (?:environ )?(?:une demi-année|(?P<more>un an et demi))"),
        Rule("current", r"(?:l['’])?(?P<unit>semaine|mois|trimestre|année)", weak=True),
        Rule("last", r"(?:la |le |l['’])?{period} (?:derni(?:er|[èe]re)|passée?)"),
        Rule("before_last", r"(?:la |le |l['’])?avant[- ]derni(?:er|[èe]re) {period}"),
        Rule("before_last", r"(?:la |le |l['’])?{period} (?:d['’]avant|avant[- ]derni(?:er|[èe]re))"),
        Rule("this", r"ce(?:tte|t)? {period}(?:-ci)?"),
        Rule("weekend", r"(?:(?<=depuis\sle\s)|(?<=avant\sle\s)|(?<=du\s))week-?end"),
        Rule("weekday", r"{weekday}(?: (?:matin|midi|après-midi|soir))?", weak=True),
        Rule("days_of_month", r"(?:entre le |du |des )?(?P<d1>\d{1,2})(?:er)?(?:\s*[-–/]\s*| et (?:le )?| au )(?P<d2>\d{1,2}) {month}(?: {year})?"),
        Rule("date", r"(?:le )?(?:(?P<day>\d{1,2})(?:er)?|{nth}) {month}(?: {year})?"),
        Rule("feast", r"(?:(?:à|pour|pendant) )?(?:le |la |l['’])?{feast}(?: (?:de )?{year})?"),
        Rule("decade", r"(?:les )?années {decade}"),
    ),
    prepositions=r"(?:en|au|le|depuis|du|de|d['’]|avant|après|jusqu['’]à|jusqu['’]en|entre|et|à|au mois|fin|début|mi-|l['’]|l['’]année)",
    operators={
        "since": r"depuis(?: le| la)?|à (?:partir|compter) (?:du|de la|de|d['’])|dès(?: le| la)?|pas avant(?: le| la)?|au plus tôt(?: le| en)?",
        "after": r"(?:d['’])?après(?: le| la)?|suivant(?: le)?",
        "before": r"(?:d['’])?avant(?: le| la)?|précédant(?: le)?",
        "until": r"jusqu['’](?:au|à la|à|en)?|au plus tard(?: le| en| fin)?|pas plus tard que(?: le)?|pas après(?: le)?",
    },
    behind={
        "since": r"et après|ou après|et au-delà",
        "until": r"au plus tard|et avant|ou avant",
        "included": r"inclus(?:e|ivement)?|compris",
    },
    unread=r"(?:veut dire|signifie|proverbe|dicton)(?: \S+){0,6}|sauf(?: le| en)?|en dehors (?:de|du|d['’])|(?:pas|jamais)(?: en| au| le| du)?|hormis(?: le)?|sans(?: le)?|excepté(?: le)?|que(?: le)?|presque|lendemain (?:de|du)|contre|versus|vs|hors(?: de)?|au lieu de|chaque|tous les",
    on_days=r"le|du|au",
    distances=(
        Rule("counted", r"(?:environ )?{n} {unit}"),
        Rule("few", r"(?:(?:pendant|durant|dans) )?les (?P<unit>jours|semaines|mois|années)"),
        Rule("adjoining", r"(?:(?:pendant|durant|dans) )?(?:la |le |les |l['’])(?:{n} )?{unit}|le (?:matin|soir)"),
        Rule("nearest", r"(?:le )?(?:{weekday}|{weekend})"),
        Rule("soon", r"juste|peu"),
    ),
    ordinal_days=(
        Rule("nth", r"(?:le |la )?(?:{nth}|derni(?:er|[èe]re)) (?:{weekday}|{weekend}|(?P<unit>semaine|jour|mois|trimestre)) (?:de |du |d['’])"),
        Rule("eve", r"(?:à )?(?:la )?veille (?:de |du |d['’])"),
        Rule("units", r"(?:(?:(?:pendant|durant|dans) )?les|aux|lors des|au cours des) (?:{n} )?(?:tout )?(?:premi(?:ers|ères)|(?P<last>derni(?:ers|ères))) (?P<unit>jours|semaines|mois) (?:de |du |d['’])"),
    ),
    named=r"écrit-on|s['’]écrit|s['’]épelle|mots?|terme|nommée?|intitulée?|variables?",
    named_parts=r"colonnes?|champs?|cellules?|lignes?|feuilles?|clés?|option|paramètres?",
    between=r"entre(?: le)?|du|de",
    joiners=r"et(?: le| la)?|ou|à la|à|au|jusqu['’](?:au|à)|-|–",
    links=r"de|du|de la|d['’]|en|au",
    parts={"start": r"(?:au |en )?début(?: de la| de| du| d['’])?", "mid": r"mi-|(?:au )?milieu (?:de|du)",
           "end": r"(?:à la )?fin(?: de la| de| du| d['’])?", "week": r"(?:la )?semaine du",
           "first half": r"la première (?:moitié|quinzaine) (?:de |du |d['’])", "second half": r"la (?:deuxième|seconde) (?:moitié|quinzaine) (?:de |du |d['’])",
           "weekend": r"(?:le )?week-?end(?: du| des?)?"},
    names_are_lower_case=True,
    date_links="de",
    hyphened="mi",
    day_endings="er",
    eras=r"a[vp]\.\s?j|(?:avant|après) (?:j(?=\.)|(?:jésus-)?christ)",
    in_a_month="en",
    from_to="entre {} et {}",
)  # fmt: skip

_PARTICIPLE = (
    r"(?!(?:lui|tu|du|qui|si|ici|aussi|parmi|ainsi|\w*midi|\w+di|lieu|envie|congé)\b)"
    r"(?:(?:dû|eu|lu|pu|su|vu|bu|[a-zà-ÿ]{2,}(?:é|i|u))(?:e?s?)|\w*(?:mi|pri|qui)s(?:es?)?|"
    r"\w*(?:fai|di|cri|dui|trui|ver|fer|pein|join|plain)te?s?)"
)
_PERFECT = (
    r"(?:ai|as?|avons|avez|ont)(?=(?:-\w+)*\s+"
    r"(?:(?:pas|jamais|déjà|toujours|bien|tout|tous|plus|rien|encore|beaucoup|trop|\w+ment)\s+)?"
    rf"(?-i:{_PARTICIPLE})\b)|"
    r"(?:suis|es|est|sommes|êtes|sont)(?=(?:-\w+)*\s+"
    r"(?:all|arriv|entr|rentr|mont|n|rest|retourn|tomb|pass|ven|reven|deven|part|repart|sort|descend|mor)(?:é|u|i|t)e?s?\b)"
)
"""Auxiliaries with a participle, unlike `quel âge a Léa`."""
_CONDITIONAL = r"\w*(?:er|dr|evr|rr|aur|ser)"
_IMPERFECT = (
    rf"(?!(?:{_CONDITIONAL}|p|ess|bal|rel|effr|r)?aient\b)\w+aient|"
    rf"(?!(?:{_CONDITIONAL}ait|(?:petit-)?lait|(?:for|par|bien|mé|re|dé|satis|impar|stupé)?fait|"
    r"(?:ex|re|por|abs|at|dis|sous)?trait|souhait|(?:dé)?pla[iî]t|sait|(?:re)?conna[iî]t|(?:ap|dis|com)?para[iî]t|"
    r"na[iî]t|hait|tait|ait)\b)\w+ait|"
    r"(?:(?<=\bje )|(?<=\bj['’])|(?<=\btu ))(?!(?:sais|fais|vais|plais|connais|ais|\w+rais)\b)\w+ais|"
    r"étions|furent|fut"
)
"""The imperfect, without the conditional (`pourrait`) and other words in -ait, most of them nouns (`lait`, `forfait`)."""

VOCABULARY = Vocabulary(
    stop_words="""
        le la les un une des du de au aux ce cet cette ces ça cela
        je me moi mon ma mes tu te toi ton ta tes il elle on se soi son sa ses lui leur leurs nous notre nos vous votre
        vos ils elles eux y en
        suis es est sommes êtes sont étais était étions étaient été être sera serait fut
        ai as a avons avez ont avais avait avions avaient eu avoir fait faire fais peut peux peuvent doit dois
        et ou mais donc or ni car si que parce comme lorsque puisque quand
        ne pas non plus rien aucun aucune très aussi déjà tout toute tous toutes même
        à dans par pour sur avec sans sous entre vers chez depuis pendant avant après
        qui quoi quel quelle quels quelles où comment pourquoi combien dont lequel laquelle lesquels lesquelles
        dernier dernière derniers dernières lorsqu puisqu jusqu quelqu
        puis faut ai-je as-tu avons-nous avez-vous ont-ils ont-elles qu'ai-je qu'as-tu qu'avons-nous qu'avez-vous est-ce
        qu'est-ce était-ce est-il est-elle s'est-il suis-je es-tu sommes-nous êtes-vous sont-ils sont-elles peut-on
        puis-je dois-je faut-il
    """,
    spellings=(*"çèêœàù", " l'", " d'", " j'", " qu'", " l’", " d’", " j’", " qu’"),
    abbreviations="mme mlle mm env av",
    plurals="s x al/aux",
    verb_endings="er ir e ee ees ant ait aient",
    asking=Asking(
        who_or_where=r"c['’](?:est|était) (?:qui|où)|qui|où",
        questions=r"c['’](?:est|était) (?:quoi|quand)|que|quoi|quand|quel(?:le)?s?|pourquoi|comment|combien|qu['’]\w+",
        amounts=r"combien|à quelle heure",
        moments="quand",
        verbs=r"est-ce|puis-je|dois-je|peut-on|faut-il|ai-je|avons-nous|a-t-\w+|montre|résume|trouve",
        past=rf"{_PERFECT}|{_IMPERFECT}",
        participles=_PARTICIPLE,
        present=r"est(?!-ce\b)|sont|y a",
        former=r"ancien(?:ne)?s?|précédent(?:e)?s?|d['’]avant|autrefois|auparavant|jadis|à l['’]origine",
        before=r"avant",
        duty=r"(?:ai-je|avons-nous|a-t-on) besoin|que fais-je|puis-je|dois-je|peut-on|doit-on|faut-il|(?:je|on) (?:peux|peut|dois|doit)|nous (?:pouvons|devons)",
        writing="écrire écrit montre résume résumé note notes entrée entrées journal tout",
        happening="j'ai passé passe faire fait travailler travaillé",
        happening_phrases=r"(?:qu['’]|ce qui )est(?:-il)? (?:arrivé|advenu|survenu)|(?:eu|eut) lieu|s['’](?:est|est-il|était) produit|"
        r"se (?:passait|passe-t|produisit|produisait)-il",
        fillers=r"tou(?:te)?s(?: les)?",
        asker=r"je|j['’]\w+|me|m['’]\w+|mon|ma|mes|nous|notre|nos|on|(?:qu['’])?ai-je|\w+-je|\w+-nous|\w+-on",
        genitive=r"de|du|d['’]",
        genitive_of_names=r"de|d['’]",
        authorship=r"de|par",
        names=r"noms?|prénoms?",
        articles=r"la|le|l['’]",
        first=r"premi(?:er|ère)",
        last=r"derni(?:er|ère)",
    ),
    times=TIMES,
    follow_ups=FollowUps(
        at_length=r"et|ou|mais|aussi|alors",
        shortly=r"pour|en|avec|chez|dans",
        things=r"ça|cela|cel(?:ui|le)-ci|là-bas|l['’]autre|les autres|en(?= (?:est|était|sont|ai|as|a)\b)|"
        r"c['’](?:est|était)",
        people=r"elle|elles|lui|leur",
        empty="plus beaucoup autre autres même première premier second deuxième dernier explique dis",
        clauses=r"et|mais",
    ),
    facts=FactWords(
        negations="pas jamais rien aucun aucune sans ni",
        half_negations="ne",
        negates_before=True,
        only=r"seulement",
        contrasts=r"mais",
        replaces="remplace",
        replaced=r"remplacée?[ _-]?par",
        affirmations="oui si",
        scales={"mille": 1e3, "million": 1e6, "millions": 1e6},
    ),
    answers=Answers(
        nearest="Les passages les plus proches de vos notes :",
        nearest_without="Les passages les plus proches de vos notes (sans {words}) :",
        quoted="« {word} »",
        untitled="Sans titre",
        nothing_about="Rien sur {subject} ; les plus proches :",
        of_then="Vos notes de cette période :",
        newest="Seules les {count} notes les plus récentes de cette période ont été lues.",
        general="Vos notes ne contiennent pas la réponse. D’après des connaissances générales :",
        widened=("Rien pour « {time} » : j’ai cherché {days} jours avant et après.", "Rien pour « {time} » : j’ai cherché dans les notes de toutes les dates."),
        refusals={
            "no_notes": "Il n’y a pas encore de notes à parcourir.",
            "no_candidates": "Rien dans vos notes n’en parle.",
            "below_threshold": "Les notes les plus proches ne contiennent pas la réponse.",
            "time_range_empty": "Vous n’avez pas de notes de cette période.",
            "unsupported_claims": "Vos notes n’appuient pas ce que le modèle a écrit ; il n’est pas affiché.",
            "index_pending": "Certaines de vos notes sont encore en cours d’indexation. Posez la question à nouveau dans un instant.",
        },
        conjunctions="et",
        sources=r"citations?|références|sources? citées?|sources?",
        knowing=r"extraits?|informations?|réponse|répondre|mentionnée?|sais",
        denials=r"pas|rien|aucune?",
    ),
    small_talk=SmallTalk(
        greetings=r"bonjour|salut|coucou|bonsoir|bonne journée",
        thanks=r"merci|merci (?:beaucoup|bien)|parfait|super",
        product=r"aide|que (?:peux|sais) tu faire|qu est ce que tu (?:peux|sais) faire|que puis je (?:te )?demander|qui es tu|comment ça marche",
        hello="Bonjour ! Posez-moi une question sur vos notes.",
        welcome="Avec plaisir.",
        help="Je réponds à partir de vos notes et je montre le passage derrière chaque affirmation. Demandez une personne, un projet, un lieu ou un jour.",
    ),
)  # fmt: skip
