"""English: the language of what is written by us, and of what is too short to tell."""

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

_NAMED_DAYS = r"black|cyber|bloody|casual|super|bank holiday|every|each|rainy"

TIMES = Times(
    units={
        **{unit: f"{unit}|{unit}s" for unit in ("day", "week", "month", "quarter", "year")},
        "half": "half|half-year|half year|semester",
    },
    weekend="weekends?",
    weeks=r"(?:calendar )?weeks?(?: numbers?| no\.?)?|cw|kw|wk",
    month_first=True,
    fortnights="fortnight|fortnights",
    weekdays=("monday|mon", "tuesday|tue|tues", "wednesday|wed", "thursday|thu|thurs", "friday|fri", "saturday|sat",
              "sunday|sun"),
    date="{day} {Month} {year}",
    months=("january|jan", "february|feb", "march|mar", "april|apr", "may", "june|jun", "july|jul", "august|aug",
            "september|sept|sep", "october|oct", "november|nov", "december|dec"),
    verbs_as_months="may march",
    seasons=("spring", "summer", "autumn|fall", "winter"),
    feasts={
        "12-31": "new year's eve|new years eve", "01-01": "new year's day|new years day|new year's",
        "01-06": "epiphany", "02-14": "valentine's day|valentine's|valentines day", "03-17": "st patrick's day",
        "-47": "shrove tuesday|pancake day|mardi gras", "-46": "ash wednesday", "-7": "palm sunday",
        "-3": "maundy thursday", "-2": "good friday", "-2/4": "easter|easter weekend", "+0": "easter sunday",
        "+1": "easter monday", "05-01": "may day", "+39": "ascension day", "+49/2": "pentecost|whitsun",
        "+50": "whit monday", "10-31": "halloween|hallowe'en", "11-01": "all saints day|all saints' day",
        "12-24": "christmas eve|eve of christmas", "12-24/3": "christmas|xmas", "12-25": "christmas day",
        "12-26": "boxing day", "01-0#3": "mlk day|martin luther king day", "02-0#3": "presidents' day|presidents day",
        "05-0#0": "memorial day", "06-19": "juneteenth",
        "07-04": "independence day|the fourth of july|fourth of july|4th of july", "09-0#1": "labor day",
        "10-0#2": "columbus day|indigenous peoples' day", "11-05": "bonfire night|guy fawkes night",
        "11-11": "veterans day|remembrance day|armistice day", "11-3#4": "thanksgiving day|thanksgiving",
    },
    decades=("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties"),
    numbers=("one|a|an", "two|couple|a couple|couple of|a couple of", "three", "four", "five", "six", "seven", "eight",
             "nine", "ten", "eleven", "twelve"),
    tens=("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"),
    tens_join="-",
    few="few|a few|several",
    ordinals=("first|1st", "second|2nd", "third|3rd", "fourth|4th", "fifth"),
    rules=(
        Rule("ignored", r"(?:next|coming|upcoming|following) {period}"),
        Rule("ignored", rf"(?:{_NAMED_DAYS}) (?:{{weekday}}|day|week|month|year)"),
        # A month that is a verb too, then a number of something: "may 3 people join?"
        Rule("ignored", r"(?:may|march) (?:the )?\d{1,2}(?= (?!and|to|until|or|we|i|in|at|about|with|for)(?-i:[a-z]))"),
        Rule("today", r"today|tonight|this (?:morning|afternoon|evening)"),
        Rule("day_before_yesterday", r"(?:the )?(?:day before yesterday|night before last)"),
        Rule("yesterday", r"yesterday(?: (?:morning|afternoon|evening|night))?|last night"),
        Rule("recently", r"recently|lately|in recent weeks|as of late"),
        Rule("other_day", r"the other day|in recent days"),
        Rule("ago", r"(?:(?:about|around|roughly|some) )?{n} (?:(?:or|to) {most} )?{unit} ago"),
        Rule("same_day", r"(?:on )?(?:this|this very|this same|the same|that same|the very same) (?:day|date)|exactly|to the day"),
        Rule("clock_ago", r"(?:(?:about|around|roughly|some) )?(?:half an|{n}) (?:hours?|hrs?|(?P<minutes>minutes?|mins?)) ago|(?:a moment|just a moment|moments) ago"),
        Rule("half_year", r"(?:(?:about|around|roughly|some) )?(?:half a year|(?P<more>a year and a half)) ago"),
        Rule("before_last", r"(?:the )?{period} before last(?! (?:{names}))"),
        Rule("before_last", r"(?:the )?(?:penultimate|last but one|second[ -]last) {period}"),
        Rule("older", r"older than {n} {unit}"),
        Rule("rolling", r"(?:(?:in|over|during|within|for) )?(?:the )?(?:last|past|previous) (?:{n} {unit}|(?P<hours>[1-9]\d{0,2}) hours)"),
        Rule("now", r"now"),
        Rule("rolling", r"(?:(?:in|over|during|within) the (?:last|past)|(?:the )?past) (?P<unit>day|week|fortnight|month|quarter|year)"),
        Rule("units", r"(?:(?:in|over|during) )?the (?:first|early|opening|(?P<last>last|final|closing)) (?:{n} )?{month} (?P<unit>days|weeks)(?: (?:of )?{year})?"),
        Rule("last", r"(?:on )?(?:last|previous|(?:(?:this|the) )?past) (?:{weekday}|{weekend}|{month}|{season})(?: (?:morning|afternoon|evening|night))?"),
        Rule("last", r"(?:last|previous) {units}(?! of\b)"),
        Rule("this", r"(?:(?:earlier|on) )?(?:this|current) {period}(?: (?:morning|afternoon|evening|night))?"),
        Rule("weekday", r"{n} (?:{weekday}s?|weekends?) ago"),
        Rule("current", r"(?P<unit>week|month|quarter|year)", weak=True),
        Rule("weekend", r"(?:(?:at the|on the|over the|during the) |(?<=since\sthe\s)|(?<=before\sthe\s)|(?<=from\sthe\s))weekend"),
        Rule("weekday", r"{weekday}(?: (?:morning|afternoon|evening|night))?", weak=True),
        Rule("days_of_month", r"(?:between |from )?(?:the )?(?P<d1>\d{1,2})(?:st|nd|rd|th)?(?:\s*[-–/]\s*| and | to | until | till | through )(?:the )?(?P<d2>\d{1,2})(?:st|nd|rd|th)? (?:of )?{month}(?:,? {year})?"),
        Rule("days_of_month", r"(?:between |from )?{month} (?:the )?(?P<d1>\d{1,2})(?:st|nd|rd|th)?(?:\s*[-–/]\s*| and | to | until | till | through )(?:the )?(?P<d2>\d{1,2})(?:st|nd|rd|th)?(?:,? {year})?"),
        Rule("date", r"(?:the )?(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)?|{nth} of) {month}(?:(?:,\s*| ){year})?"),
        Rule("date", r"{month} (?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:(?:,\s*| ){year})?"),
        Rule("day_number", r"the (?P<day>\d{1,2})(?:st|nd|rd|th)", weak=True),
        Rule("feast", r"(?:(?:over|at|around|during|on) )?(?P<last>last )?{feast}(?:,? (?:(?:in|of) )?{year})?"),
        Rule("decade", r"(?:the )?['’]?{decade}['’]?s"),
        Rule("decade", r"(?:the )?{decade}(?<=s)", weak=True),
    ),
    prepositions=r"(?:in|on|during|of|over|from|around|throughout|early|late|mid)",
    operators={
        "since": r"since|on or after|starting(?: from)?|ever since|as (?:from|of)|not before|not until|no earlier than|not earlier than|from and including",
        "after": r"after|later than|following",
        "before": r"before|prior to|earlier than|older than|preceding|leading up to",
        "by": r"by",
        "more than": r"more than|over",
        "until": r"until|on or before|till|up to|up until|(?<!all\s)through|up to and including|until and including|through to|no later than|not later than|not after|at the latest(?: on)?|by no later than",
        "within": r"less than|within",
    },
    behind={
        "since": r"onwards?|and (?:later|after|beyond|since)|or later|at the earliest",
        "until": r"at the latest|or earlier|and (?:earlier|before)",
        "from": r"on",
        "included": r"inclusive|included",
    },
    unread=r"(?:run|lead)-up to|(?:mean(?:s|ing)?|idiom|proverb|saying|lyrics|chords)(?: \S+){0,6}|except(?: for| in| on)?|besides|than|(?:not|never)(?: in| on| during| from)?|without|excluding|versus|vs|outside(?: of)?|apart from|(?:all|any|every|whole|everything|anything)(?: \w+){0,2} but(?: in| on| during)?|other than|instead of|unlike|almost|nearly|all but|every|each",
    on_days=r"on|from|between|and|to",
    distances=(
        Rule("counted", r"(?:(?:about|around|roughly|some|exactly|just) )?{n} {unit}"),
        Rule("few", r"(?:(?:in|over|during) )?the (?:(?:last|first|few) )*(?P<unit>days|weeks|months|years)"),
        Rule("adjoining", r"(?:(?:in|over|during|on) )?the (?:(?:(?:last|first) )?(?:{n} )?{unit}|morning|afternoon|evening|night)"),
        Rule("nearest", r"(?:(?:on|over|during|at) )?(?:(?:the|last|the last) )?(?:{weekday}|{weekend})"),
        Rule("soon", r"shortly|soon|right|just|immediately"),
    ),
    ordinal_days=(
        Rule("nth", r"(?:(?:on|over|during) )?(?:the )?(?:{nth}|last) (?:{weekday}|{weekend}|(?P<unit>week|day|month|quarter)) (?:of|in)"),
        Rule("eve", r"(?:on )?the eve of"),
        Rule("units", r"(?:(?:in|over|during) )?the (?:first|early|opening|(?P<last>last|final|closing)) (?:{n} )?(?P<unit>days|weeks|months) (?:of|in)"),
    ),
    named=r"spell|spelled|words?|terms?|named|titled|variables?",
    named_parts=r"columns?|fields?|cells?|rows?|sheets?|tabs?|keys?|options?|parameters?|flags?",
    between=r"between|from",
    joiners=r"and|or|to|until|till|through|up to|-|–",
    links=r"of|in|on|from|during|back in|['’]s|(?P<said>as (?:mentioned|stated|said|noted|written|described) (?:on|in))",
    parts={
        "start": r"(?:the )?(?:start|beginning) of|start of",
        "end": r"(?:the )?(?:end|last week) of",
        "mid": r"(?:the )?(?:middle of)|mid(?:-|\s)",
        "early": r"early(?: in)?",
        "late": r"late(?: in)?",
        "first half": r"(?:the )?(?:first|1st) (?:half|fortnight) of",
        "second half": r"(?:the )?(?:second|2nd|latter) (?:half|fortnight) of",
        "week": r"(?:the )?week (?:of|starting|beginning|commencing)|w/c",
        "weekend": r"(?:the )?weekend(?: of)?",
    },
    articles="the",
    attributes_follow="the|a|an|my|our|your|his|her|their|for|with|about|by|of|first|second|third",
    hyphened="mid",
    day_endings="st|nd|rd|th",
    date_links="of",
    eras=r"bce?|ad|ce|b\.c|a\.d|(?:before|after) christ",
    in_a_month="in",
    from_to="between {} and {}",
)  # fmt: skip

_PARTICIPLE = (
    r"(?:\w{2,}[^\We]ed|been|become|begun|bought|broken|brought|built|caught|chosen|come|done|driven|eaten|fallen|felt|"
    r"flown|forgotten|found|given|gone|gotten|grown|had|heard|held|hidden|kept|known|learnt|lent|lost|made|meant|met|paid|"
    r"read|ridden|said|seen|sent|slept|sold|spent|spoken|stood|stolen|sung|swum|taken|taught|thought|thrown|told|"
    r"understood|won|worn|written)"
)
_NO_DETERMINER = (
    r"(?!(?:an?|the|my|our|your|his|her|their|its|this|that|these|those|to|of|for|with)\b)"
)
_PERFECT = rf"(?:has|have)(?! to\b)(?=(?:(?:\s+[\w'’-]+){{0,3}}\s+{_NO_DETERMINER}[\w'’-]+)?\s+{_PARTICIPLE}\b)"
"""`has` and `have` with a participle, unlike `who has the key`; behind an article it is an attribute: `the raised beds`."""

VOCABULARY = Vocabulary(
    stop_words="""
        a an the this that these those there here
        i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
        am is are was were be been being do does did doing done have has had having
        can could will would shall should may might must
        and or but nor if then than so as of at by for with about into onto from to in on up out over
        not no any some such only own same too very just also
        what which who whom whose when where why how
        last ago ever please tell
    """,
    abbreviations="""
        mr mrs ms dr prof sr jr mt ft gen col capt sgt rev hon sen rep gov pres vs eg ie cf approx est dept univ nos nr
        vol pp pg figs eds ed ca jan feb apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri
    """,
    closing_abbreviations="no etc st co inc ltd corp al sun sat fig sec ch mar",
    titles="st",
    closing_initials="us uk eu am pm",
    letter_words="I",
    plurals="s es y/ies f/ves fe/ves",
    verb_endings="ed ing",
    asking=Asking(
        who_or_where="who|whom|whose|where",
        questions="what|when|which|why|how",
        amounts=r"how (?:many|much|long|often|fast|far|old|big|large|high|deep|wide|early|late|soon)|what time",
        moments="when",
        verbs=r"did|was|were|had|has|have|is|are|am|may|can|could|should|must|do|does|will|would|shall|show|list|find|"
        r"summari[sz]e|tell",
        past=rf"did|was|were|had|{_PERFECT}|\w{{2,}}[^\We]ed|used|died|came|went|said|wrote|made|got|met|told|took|saw|gave|sent|bought|"
        r"began|brought|chose|drank|drove|ate|flew|grew|held|kept|knew|ran|sang|spoke|stood|taught|wore|won",
        participles=r"\w{2,}[^\We]ed|said|made|got|met|told|sent|bought|have|brought|held|kept|taught|won",
        present=rf"is|are|am|does|do(?! (?:i|we)\b)|(?!{_PERFECT})(?:has|have)",
        former=r"(?<!how )(?<!years )(?<!year )(?<!months )(?<!weeks )(?<!days )(?<!-)(?-i:old)|previous(?:ly)?|former(?:ly)?|"
        r"originally|(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bget )used to|did\b.*\buse to",
        before=r"before(?:hand)?",
        duty=r"(?:may|can|could|should|shall|must|do|am|will|would|need) (?:i|we)",
        writing="write wrote written show summarise summarize summary recap overview list note notes entry entries journal diary log everything",
        happening="happen happened happening occur occurred occurring do doing done go going work worked working",
        happening_phrases=r"(?:took|takes?|taken|taking) place",
        fillers=rf"all(?: the)?|every|(?:gets?|got|getting)(?=\s+{_PARTICIPLE}\b)",
        asker=r"(?-i:I|us)|i|me|my|we|our",
        genitive=r"of|from",
        genitive_of_names=r"of",
        authorship=r"by|of",
        names=r"names?|surnames?",
        articles=r"the",
        possessive=r"['’]s",
        first=r"(?:the|my|our|\w['’]s) (?:very )?first|^first|earliest|oldest",
        last=r"(?:the|my|our|\w['’]s) last|^last|latest|newest|most recent",
    ),
    times=TIMES,
    follow_ups=FollowUps(
        at_length=r"(?:and|or|but|so|also|then)(?:,? (?:what|how) about)?|(?:what|how) about",
        shortly=r"for|in|at|with|on|from",
        things=r"it(?! (?:worth|possible|time))|its|they|them|th(?:ese|ose)|(?<!is )(?<!are )there|"
        r"th(?:at|is)(?=\s*[?.!]|$)|(?:(?<=is )|(?<=was )|(?<=about ))that|(?:the|that|which|another) (?:other|ones?)",
        people=r"he|she|him|her|his|hers",
        empty="more much many other others one ones else same first second third last next again really anything tell "
        "explain",
        clauses=r"and|but|because|when|if",
    ),
    facts=FactWords(
        negations="not no never none nothing nobody neither nor cannot without",
        negated_verbs=r"\w+n['’]t",
        negates_before=False,
        only=r"only|just",
        contrasts=r"but|although|whereas",
        replaces="supersedes|replaces|obsoletes",
        replaced=r"(?:superseded|replaced|obsoleted)[ _-]?by",
        affirmations="yes yeah ok okay",
        scales={"thousand": 1e3, "k": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "billions": 1e9},
    ),
    answers=Answers(
        nearest="Closest passages in your notes:",
        nearest_without="Closest passages in your notes (without {words}):",
        quoted="“{word}”",
        untitled="Untitled",
        nothing_about="Nothing about {subject}; nearest:",
        of_then="Your notes of that time:",
        newest="Only the newest {count} notes of that time were read.",
        general="Your notes do not hold the answer. From general knowledge:",
        widened=("Nothing from “{time}”, so I searched {days} days either side.", "Nothing from “{time}”, so I searched notes of any time."),
        refusals={
            "no_notes": "There are no notes to search yet.",
            "no_candidates": "Nothing in your notes speaks of this.",
            "below_threshold": "The nearest notes do not hold the answer.",
            "time_range_empty": "You have no notes from that time.",
            "unsupported_claims": "Your notes do not back what the model wrote, so it was withheld.",
            "index_pending": "Some of your notes are still being indexed. Ask again in a moment.",
        },
        conjunctions="and",
        sources=r"sources?|references?|citations?|footnotes?",
        knowing=r"notes?|sources?|passages?|excerpts?|context|documents?|information|details?|evidence|answer|"
        r"mention(?:s|ed)?|know",
        denials=r"not|no|nothing|none|cannot|unable|lacks?|silent|without|\w+n['’]t",
    ),
    small_talk=SmallTalk(
        greetings=r"hi|hello|hey|hiya|howdy|greetings|(?:hi|hello|hey) there|good (?:morning|afternoon|evening|day)",
        thanks=r"thanks|thank you|thx|cheers|(?:thanks|thank you) (?:a lot|so much|very much)|many thanks|great|perfect",
        product=r"help|help me|what (?:can|do) you do|what can i (?:do|ask)(?: you)?(?: here)?|who are you|what are you|how do you work|how does (?:this|it) work",
        hello="Hello! Ask me something about your notes.",
        welcome="You're welcome.",
        help="I answer from your notes and show the passage behind every claim. Ask about a person, a project, a place or a day.",
    ),
)  # fmt: skip
