"""English: the language of what is written by us, and of what is too short to tell."""

from __future__ import annotations

from shared.language.vocabulary import Answers, Asking, Facts, FollowUps, Rule, SmallTalk, Times, Vocabulary

_NAMED_DAYS = r"black|good|cyber|bloody|casual|super|ash|palm|easter|whit|shrove|every|each"

TIMES = Times(
    units={unit: f"{unit}|{unit}s" for unit in ("day", "week", "month", "quarter", "year")},
    fortnights="fortnight|fortnights",
    weekdays=("monday|mon", "tuesday|tue|tues", "wednesday|wed", "thursday|thu|thurs", "friday|fri", "saturday|sat",
              "sunday|sun"),
    months=("january|jan", "february|feb", "march|mar", "april|apr", "may", "june|jun", "july|jul", "august|aug",
            "september|sept|sep", "october|oct", "november|nov", "december|dec"),
    verbs_as_months="may march",
    seasons=("spring", "summer", "autumn|fall", "winter"),
    numbers=("one|a|an", "two|couple|a couple|couple of|a couple of", "three", "four", "five", "six", "seven", "eight",
             "nine", "ten", "eleven", "twelve"),
    tens=("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"),
    tens_join="-",
    few="few|a few|several",
    ordinals=("first|1st", "second|2nd", "third|3rd", "fourth|4th", "fifth"),
    rules=(
        Rule("ignored", r"(?:next|coming|upcoming|following) (?:{unit}|{weekday}|{month}|{season}|weekend)"),
        Rule("ignored", rf"(?:{_NAMED_DAYS}) (?:{{weekday}}|day|week|month|year)"),
        Rule("ignored", r"(?:day|week|month|year) (?:by|after|to) (?:day|week|month|year)"),
        # A month that is a verb too, then a number of something: "may 3 people join?"
        Rule("ignored", r"(?:may|march) (?:the )?\d{1,2}(?= (?!and|to|until|or|we|i|in|at|about|with|for)(?-i:[a-z]))"),
        Rule("today", r"today|tonight|this (?:morning|afternoon|evening)"),
        Rule("day_before_yesterday", r"(?:the )?day before yesterday"),
        Rule("day_before_yesterday", r"(?:the )?night before last"),
        Rule("yesterday", r"yesterday(?: (?:morning|afternoon|evening|night))?|last night"),
        Rule("recently", r"recently|lately|in recent weeks|as of late"),
        Rule("other_day", r"the other day|in recent days"),
        Rule("ago", r"(?:(?:about|around|roughly|some) )?{n} (?:(?:or|to) {most} )?{unit} ago(?: today)?"),
        Rule("clock_ago", r"(?:(?:about|around|roughly|some) )?(?:half an|{n}) (?:hours?|hrs?|(?P<minutes>minutes?|mins?)) ago"),
        Rule("clock_ago", r"(?:a moment|just a moment|moments) ago"),
        Rule("half_year", r"(?:(?:about|around|roughly|some) )?half a year ago"),
        Rule("year_and_half", r"(?:(?:about|around|roughly|some) )?a year and a half ago"),
        Rule("ago", r"(?P<unit>week|month|quarter|year) before last(?! (?:{weekday}|{month}|{season}|christmas|xmas))"),
        Rule("older", r"older than {n} {unit}"),
        Rule("rolling", r"(?:(?:in|over|during|within|for) )?(?:the )?(?:last|past|previous) {n} {unit}"),
        Rule("hours", r"(?:(?:in|over|during|within|for) )?(?:the )?(?:last|past|previous) (?P<hours>[1-9]\d{0,2}) hours"),
        Rule("now", r"now"),
        Rule("rolling", r"(?:in|over|during|within) the (?:last|past) (?P<unit>day|week|month|quarter|year)"),
        Rule("rolling", r"(?:the )?past (?P<unit>day|week|month|quarter|year)"),
        Rule("last_unit", r"(?:last|previous) (?P<unit>week|month|quarter|year)(?! of\b)"),
        Rule("this_unit", r"(?:earlier )?(?:this|current) (?P<unit>week|month|quarter|year)"),
        Rule("weekend", r"(?P<last>last|previous|(?:this |the )?past) weekend"),
        Rule("weekend", r"{n} weekends? ago"),
        Rule("weekday", r"{n} {weekday}s? ago"),
        Rule("weekend", r"(?P<last>)(?:the )?weekend (?P<before>before) last(?! (?:{weekday}|{month}|{season}|christmas|xmas))"),
        Rule("current", r"(?P<unit>week|month|quarter|year)", weak=True),
        Rule("weekend", r"(?:(?:this|at the|on the|over the|during the) |(?<=since\sthe\s))weekend"),
        Rule("weekday_in_week", r"(?:on )?{weekday} (?:of )?(?:(?P<last>last)|this) week"),
        Rule("weekday_in_week", r"(?P<last>last) week(?:'s|’s|,)? (?:on )?{weekday}"),
        Rule("weekday", r"(?:on )?(?:(?P<last>last|past|previous)|this) {weekday}(?: (?:morning|afternoon|evening|night))?"),
        Rule("weekday", r"{weekday}(?: (?:morning|afternoon|evening|night))?", weak=True),
        Rule("days_of_month", r"(?:between |from )?(?:the )?(?P<d1>\d{1,2})(?:st|nd|rd|th)?(?:\s*[-–]\s*| and | to )(?:the )?(?P<d2>\d{1,2})(?:st|nd|rd|th)? (?:of )?{month}(?:,? {year})?"),
        Rule("days_of_month", r"(?:between |from )?{month} (?P<d1>\d{1,2})(?:\s*[-–]\s*| and | to )(?P<d2>\d{1,2})(?:,? {year})?"),
        Rule("date", r"(?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? {month}(?:(?:,\s*| ){year})?"),
        Rule("date", r"{month} (?:the )?(?P<day>\d{1,2})(?:st|nd|rd|th)?(?:(?:,\s*| ){year})?"),
        Rule("slashes", r"(?P<first>\d{1,2})/(?P<second>\d{1,2})/(?P<year>(?:19|20)\d\d)"),
        Rule("day_number", r"the (?P<day>\d{1,2})(?:st|nd|rd|th)", weak=True),
        Rule("month", r"(?:(?P<last>last|previous)|this) {month}"),
        Rule("month", r"{month},?(?: of)? {year}"),
        Rule("month", r"{month}", weak=True),
        Rule("quarter", r"q(?P<quarter>[1-4])(?:[\s/-]?{year})?"),
        Rule("quarter", r"{year}[\s-]?q(?P<quarter>[1-4])"),
        Rule("quarter", r"(?:the )?(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th|last) quarter(?: of)?(?: {year}| (?:(?P<current>this)|(?P<back>last)) year)"),
        Rule("quarter", r"(?:the )?(?P<nth>first|second|third|fourth) quarter(?! of\b)", weak=True),
        Rule("iso_week", r"(?:calendar week|week number|cw|kw) ?(?P<week>\d{1,2})(?:(?:,\s*| )(?:of )?{year})?"),
        Rule("half", r"h(?P<half>[12]) {year}"),
        Rule("season", r"(?P<last>last|previous) {season}"),
        Rule("season", r"(?:this )(?P<season>spring|summer|autumn|winter|fall)"),
        Rule("season", r"{season}(?: of)? {year}"),
        Rule("season", r"(?:the )?(?P<season>spring|summer|autumn|winter|fall)(?! of\b(?! (?:last|this) year))", weak=True),
        Rule("new_years_eve", r"(?:on )?new year['’]?s eve"),
        Rule("new_years_day", r"(?:on )?new year['’]?s day"),
        Rule("christmas_eve", r"(?:on )?christmas eve"),
        Rule("christmas", r"(?:(?:over|at|around|during|on) )?(?P<last>last )?(?:christmas|xmas)(?! (?:tree|party|list|card|gift|present|market|carol|song)s?)(?: {year})?"),
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
    ordinal_days=(
        Rule("day", r"(?:on )?the (?P<nth>first|last) day of"),
        Rule("weekday", r"(?:on )?(?:the )?(?P<nth>first|second|third|fourth|fifth|last) {weekday} (?:of|in)"),
        Rule("weekend", r"(?:(?:on|over|during) )?(?:the )?(?P<nth>first|second|third|fourth|fifth|last) weekend (?:of|in)"),
    ),
    named=r"spell|spelled|words?|terms?|named|titled|variables?",
    named_parts=r"columns?|fields?|cells?|rows?|sheets?|tabs?|keys?|options?|parameters?|flags?",
    between=r"between|from",
    joiners=r"and|or|to|until|till|through|-|–",
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
    articles="the",
    attributes_follow="the|a|an|my|our|your|his|her|their|for|with|about|by|of|first|second|third",
    hyphened="mid",
    day_endings="st|nd|rd|th",
    date_links="of",
    in_a_month="in",
    from_to="between {} and {}",
)  # fmt: skip

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
    asking=Asking(
        questions=r"who|whom|whose|what|when|where|which|why|how",
        verbs=r"did|was|were|had|has|have|is|are|am|may|can|could|should|must|do|does|will|would|shall|show|list|find|"
        r"summari[sz]e|tell",
        past=r"did|was|were|had|has|have",
        duty=r"(?:may|can|could|should|shall|must|do|am|will|would|need) (?:i|we)",
        everything="write wrote written happen happened happening do doing done go going show summarise summarize summary recap overview list note notes entry entries journal diary log everything work worked working",
        genitive=r"of|from",
        articles=r"the",
        possessive=r"['’]s",
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
    facts=Facts(
        negations="not no never none nothing nobody neither nor cannot without",
        negated_verbs=r"\w+n['’]t",
        negates_before=False,
        only=r"only|just",
        contrasts=r"but|although|whereas",
        affirmations="yes yeah ok okay",
        scales={"thousand": 1e3, "k": 1e3, "million": 1e6, "millions": 1e6, "billion": 1e9, "billions": 1e9},
    ),
    answers=Answers(
        nearest="Closest passages in your notes:",
        of_then="Your notes of that time:",
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
