"""Every phrase the grammar promises, with its exact days, seen from Wednesday, 18 March 2026, 15:00 in Berlin."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.times.phrases import find_time

NOW = datetime(2026, 3, 18, 14, 0, tzinfo=UTC)
ZONE = "Europe/Berlin"

# fmt: off
PHRASES = [  # language, question, first day, day after the last (both may be open), the phrase
    ("en", "What did I decide last week about the API?", "2026-03-09", "2026-03-16", "last week"),
    ("en", "what happened today", "2026-03-18", "2026-03-19", "today"),
    ("en", "what did I do yesterday evening", "2026-03-17", "2026-03-18", "yesterday evening"),
    ("en", "the day before yesterday I met somebody", "2026-03-16", "2026-03-17", "the day before yesterday"),
    ("en", "notes from 3 days ago", "2026-03-15", "2026-03-16", "3 days ago"),
    ("en", "who did I meet two weeks ago", "2026-03-02", "2026-03-09", "two weeks ago"),
    ("en", "a couple of weeks ago we talked about pricing", "2026-03-02", "2026-03-09", "a couple of weeks ago"),
    ("en", "a month ago", "2026-02-01", "2026-03-01", "a month ago"),
    ("en", "three months ago today", "2025-12-01", "2026-01-01", "three months ago today"),
    ("en", "a year ago", "2025-01-01", "2026-01-01", "a year ago"),
    ("en", "two or three weeks ago", "2026-02-23", "2026-03-09", "two or three weeks ago"),
    ("de", "vor zwei bis drei Wochen", "2026-02-23", "2026-03-09", "vor zwei bis drei Wochen"),
    ("es", "hace dos o tres semanas", "2026-02-23", "2026-03-09", "hace dos o tres semanas"),
    ("fr", "il y a deux ou trois semaines", "2026-02-23", "2026-03-09", "il y a deux ou trois semaines"),
    ("en", "half a year ago", "2025-09-01", "2025-10-01", "half a year ago"),
    ("en", "what did we ship in March last year", "2025-03-01", "2025-04-01", "in March last year"),
    ("en", "in May of last year", "2025-05-01", "2025-06-01", "in May of last year"),
    ("en", "last year in November", "2025-11-01", "2025-12-01", "last year in November"),
    ("en", "the week of 3 February", "2026-02-02", "2026-02-09", "the week of 3 February"),
    ("en", "in the week of March 1", "2026-02-23", "2026-03-02", "the week of March 1"),
    ("en", "from January to now", "2026-01-01", "2026-03-19", "from January to now"),
    ("en", "in the last 24 hours", "2026-03-17", "2026-03-19", "in the last 24 hours"),
    ("en", "on the 5th and 6th of February", "2026-02-05", "2026-02-07", "the 5th and 6th of February"),
    ("en", "two years ago", "2024-01-01", "2025-01-01", "two years ago"),
    ("en", "two quarters ago", "2025-07-01", "2025-10-01", "two quarters ago"),
    ("en", "the week before last", "2026-03-02", "2026-03-09", "week before last"),
    ("en", "the month before last", "2026-01-01", "2026-02-01", "month before last"),
    ("en", "what was decided last month", "2026-02-01", "2026-03-01", "last month"),
    ("en", "what have I written this month", "2026-03-01", "2026-03-19", "this month"),
    ("en", "what did we plan this quarter", "2026-01-01", "2026-03-19", "this quarter"),
    ("en", "last quarter's numbers", "2025-10-01", "2026-01-01", "last quarter"),
    ("en", "last year's budget", "2025-01-01", "2026-01-01", "last year"),
    ("en", "this year", "2026-01-01", "2026-03-19", "this year"),
    ("en", "earlier this week", "2026-03-16", "2026-03-19", "earlier this week"),
    ("en", "this week", "2026-03-16", "2026-03-19", "this week"),
    ("en", "the previous week", "2026-03-09", "2026-03-16", "previous week"),
    ("en", "in the last 7 days", "2026-03-11", "2026-03-19", "in the last 7 days"),
    ("en", "in the last 24 days", "2026-02-22", "2026-03-19", "in the last 24 days"),
    ("en", "over the past 3 months", "2025-12-18", "2026-03-19", "over the past 3 months"),
    ("en", "during the last two years", "2024-03-18", "2026-03-19", "during the last two years"),
    ("en", "the past week", "2026-03-11", "2026-03-19", "the past week"),
    ("en", "in the last month", "2026-02-18", "2026-03-19", "in the last month"),
    ("en", "within the last 2 weeks", "2026-03-04", "2026-03-19", "within the last 2 weeks"),
    ("en", "last few days", "2026-03-11", "2026-03-19", "last few days"),
    ("en", "the last few weeks", "2026-02-18", "2026-03-19", "the last few weeks"),
    ("en", "a few days ago", "2026-03-11", "2026-03-17", "a few days ago"),
    ("en", "several weeks ago", "2026-02-16", "2026-03-09", "several weeks ago"),
    ("en", "since Monday", "2026-03-16", "2026-03-19", "since Monday"),
    ("en", "since last week", "2026-03-09", "2026-03-19", "since last week"),
    ("en", "since 2019", "2019-01-01", "2026-03-19", "since 2019"),
    ("en", "since March", "2026-03-01", "2026-03-19", "since March"),
    ("en", "since 10 January", "2026-01-10", "2026-03-19", "since 10 January"),
    ("en", "since yesterday", "2026-03-17", "2026-03-19", "since yesterday"),
    ("en", "starting from March 2025", "2025-03-01", "2026-03-19", "starting from March 2025"),
    ("en", "before March", "", "2026-03-01", "before March"),
    ("en", "before 3 May", "", "2025-05-03", "before 3 May"),
    ("en", "before last week", "", "2026-03-09", "before last week"),
    ("en", "prior to 2024", "", "2024-01-01", "prior to 2024"),
    ("en", "earlier than February 2026", "", "2026-02-01", "earlier than February 2026"),
    ("en", "until March", "", "2026-03-19", "until March"),
    ("en", "up to 5 March", "", "2026-03-06", "up to 5 March"),
    ("en", "after 10 March 2026", "2026-03-11", "2026-03-19", "after 10 March 2026"),
    ("en", "after Christmas", "2025-12-27", "2026-03-19", "after Christmas"),
    ("en", "after last Monday", "2026-03-17", "2026-03-19", "after last Monday"),
    ("en", "between 1 Jan and 10 Feb 2026", "2026-01-01", "2026-02-11", "between 1 Jan and 10 Feb 2026"),
    ("en", "between March and May 2024", "2024-03-01", "2024-06-01", "between March and May 2024"),
    ("en", "between January and March", "2026-01-01", "2026-03-19", "between January and March"),
    ("en", "between Monday and today", "2026-03-16", "2026-03-19", "between Monday and today"),
    ("en", "from November to February", "2025-11-01", "2026-03-01", "from November to February"),
    ("en", "from 2019 to 2021", "2019-01-01", "2022-01-01", "from 2019 to 2021"),
    ("en", "from 3 to 7 May 2025", "2025-05-03", "2025-05-08", "from 3 to 7 May 2025"),
    ("en", "from 1 March until 5 March", "2026-03-01", "2026-03-06", "from 1 March until 5 March"),
    ("en", "March to May 2025 was when from March to May 2025", "2025-03-01", "2025-06-01", "March to May 2025"),
    ("en", "in March", "2026-03-01", "2026-03-19", "in March"),
    ("en", "in March, what did I cook?", "2026-03-01", "2026-03-19", "in March"),
    ("en", "in december", "2025-12-01", "2026-01-01", "in december"),
    ("en", "in May", "2025-05-01", "2025-06-01", "in May"),
    ("en", "during August", "2025-08-01", "2025-09-01", "during August"),
    ("en", "in 2024", "2024-01-01", "2025-01-01", "in 2024"),
    ("en", "in the year 2023", "2023-01-01", "2024-01-01", "in the year 2023"),
    ("en", "in March 2024", "2024-03-01", "2024-04-01", "March 2024"),
    ("en", "March of 2024", "2024-03-01", "2024-04-01", "March of 2024"),
    ("en", "Jan 2025", "2025-01-01", "2025-02-01", "Jan 2025"),
    ("en", "last March", "2025-03-01", "2025-04-01", "last March"),
    ("en", "this March", "2026-03-01", "2026-03-19", "this March"),
    ("en", "last December", "2025-12-01", "2026-01-01", "last December"),
    ("en", "on Monday", "2026-03-16", "2026-03-17", "on Monday"),
    ("en", "on monday morning", "2026-03-16", "2026-03-17", "on monday morning"),
    ("en", "What did I eat Monday?", "2026-03-16", "2026-03-17", "Monday"),
    ("en", "what did i eat friday", "2026-03-13", "2026-03-14", "friday"),
    ("en", "last Tuesday", "2026-03-17", "2026-03-18", "last Tuesday"),
    ("en", "last Wednesday", "2026-03-11", "2026-03-12", "last Wednesday"),
    ("en", "on Wednesday", "2026-03-18", "2026-03-19", "on Wednesday"),
    ("en", "this Monday", "2026-03-16", "2026-03-17", "this Monday"),
    ("en", "Tuesday last week", "2026-03-10", "2026-03-11", "Tuesday last week"),
    ("en", "on Friday of last week", "2026-03-13", "2026-03-14", "on Friday of last week"),
    ("en", "last week's Tuesday", "2026-03-10", "2026-03-11", "last week's Tuesday"),
    ("en", "on 3 May", "2025-05-03", "2025-05-04", "3 May"),
    ("en", "on 3rd of May", "2025-05-03", "2025-05-04", "3rd of May"),
    ("en", "on May 3", "2025-05-03", "2025-05-04", "May 3"),
    ("en", "May 3rd, 2025", "2025-05-03", "2025-05-04", "May 3rd, 2025"),
    ("en", "on the 3rd of May 2025", "2025-05-03", "2025-05-04", "the 3rd of May 2025"),
    ("en", "3 May 2025", "2025-05-03", "2025-05-04", "3 May 2025"),
    ("en", "March 5", "2026-03-05", "2026-03-06", "March 5"),
    ("en", "on the 5th", "2026-03-05", "2026-03-06", "on the 5th"),
    ("en", "since the 5th", "2026-03-05", "2026-03-19", "since the 5th"),
    ("en", "2026-03-05", "2026-03-05", "2026-03-06", "2026-03-05"),
    ("en", "in 2026-02", "2026-02-01", "2026-03-01", "2026-02"),
    ("en", "12/31/2025", "2025-12-31", "2026-01-01", "12/31/2025"),
    ("en", "5/3/2026", "2026-03-05", "2026-03-06", "5/3/2026"),
    ("en", "3-7 May 2025", "2025-05-03", "2025-05-08", "3-7 May 2025"),
    ("en", "May 3-7, 2025", "2025-05-03", "2025-05-08", "May 3-7, 2025"),
    ("en", "Q3 2025", "2025-07-01", "2025-10-01", "Q3 2025"),
    ("en", "in Q3", "2025-07-01", "2025-10-01", "Q3"),
    ("en", "2025 Q4", "2025-10-01", "2026-01-01", "2025 Q4"),
    ("en", "the third quarter of 2025", "2025-07-01", "2025-10-01", "the third quarter of 2025"),
    ("en", "the first quarter of this year", "2026-01-01", "2026-03-19", "the first quarter of this year"),
    ("en", "the last quarter of last year", "2025-10-01", "2026-01-01", "the last quarter of last year"),
    ("en", "H1 2025", "2025-01-01", "2025-07-01", "H1 2025"),
    ("en", "the first half of 2024", "2024-01-01", "2024-07-01", "the first half of 2024"),
    ("en", "second half of last year", "2025-07-01", "2026-01-01", "second half of last year"),
    ("en", "spring 2024", "2024-03-01", "2024-06-01", "spring 2024"),
    ("en", "in spring 2025", "2025-03-01", "2025-06-01", "spring 2025"),
    ("en", "summer of 2025", "2025-06-01", "2025-09-01", "summer of 2025"),
    ("en", "last summer", "2025-06-01", "2025-09-01", "last summer"),
    ("en", "in the summer", "2025-06-01", "2025-09-01", "in the summer"),
    ("en", "this winter", "2025-12-01", "2026-03-01", "this winter"),
    ("en", "last winter", "2025-12-01", "2026-03-01", "last winter"),
    ("en", "winter 2025", "2025-12-01", "2026-03-01", "winter 2025"),
    ("en", "in autumn", "2025-09-01", "2025-12-01", "in autumn"),
    ("en", "last fall", "2025-09-01", "2025-12-01", "last fall"),
    ("en", "recently", "2026-03-04", "2026-03-19", "recently"),
    ("en", "what have I read lately", "2026-03-04", "2026-03-19", "lately"),
    ("en", "the other day", "2026-03-11", "2026-03-19", "the other day"),
    ("en", "over Christmas", "2025-12-24", "2025-12-27", "over Christmas"),
    ("en", "at Christmas 2024", "2024-12-24", "2024-12-27", "at Christmas 2024"),
    ("en", "last Christmas", "2025-12-24", "2025-12-27", "last Christmas"),
    ("en", "beginning of March", "2026-03-01", "2026-03-08", "beginning of March"),
    ("en", "end of last month", "2026-02-22", "2026-03-01", "end of last month"),
    ("en", "the end of February", "2026-02-22", "2026-03-01", "the end of February"),
    ("en", "the first week of February", "2026-02-01", "2026-02-08", "the first week of February"),
    ("en", "the last week of February 2026", "2026-02-22", "2026-03-01", "the last week of February 2026"),
    ("en", "mid-February", "2026-02-10", "2026-02-20", "mid-February"),
    ("en", "middle of February", "2026-02-10", "2026-02-20", "middle of February"),
    ("en", "early February", "2026-02-01", "2026-02-10", "early February"),
    ("en", "late February", "2026-02-20", "2026-03-01", "late February"),
    ("en", "early 2024", "2024-01-01", "2024-04-01", "early 2024"),
    ("en", "mid 2024", "2024-05-01", "2024-09-01", "mid 2024"),
    ("en", "late 2025", "2025-10-01", "2026-01-01", "late 2025"),
    ("en", "end of last year", "2025-12-01", "2026-01-01", "end of last year"),
    ("en", "beginning of 2025", "2025-01-01", "2025-02-01", "beginning of 2025"),
    ("en", "older than 3 months", "", "2025-12-18", "older than 3 months"),
    ("en", "more than 2 months ago", "", "2026-01-01", "more than 2 months ago"),
    ("en", "over 3 weeks ago", "", "2026-02-23", "over 3 weeks ago"),
    ("en", "less than 3 weeks ago", "2026-02-23", "2026-03-19", "less than 3 weeks ago"),
    ("en", "last night", "2026-03-17", "2026-03-18", "last night"),
    ("en", "this morning", "2026-03-18", "2026-03-19", "this morning"),
    ("en", "tonight", "2026-03-18", "2026-03-19", "tonight"),
    ("en", "last weekend", "2026-03-14", "2026-03-16", "last weekend"),
    ("en", "at the weekend", "2026-03-14", "2026-03-16", "at the weekend"),
    ("en", "over the weekend", "2026-03-14", "2026-03-16", "over the weekend"),
    ("en", "WHAT DID I DO LAST WEEK", "2026-03-09", "2026-03-16", "LAST WEEK"),
    ("en", "Yesterday I wrote something, what was it?", "2026-03-17", "2026-03-18", "Yesterday"),
    ("en", "Last month's contract, where is it?", "2026-02-01", "2026-03-01", "Last month"),
    ("en", "about 2 weeks ago", "2026-03-02", "2026-03-09", "about 2 weeks ago"),
    ("en", "a fortnight ago", "2026-03-02", "2026-03-09", "a fortnight ago"),
    ("en", "in early March 2025", "2025-03-01", "2025-03-11", "early March 2025"),
    ("en", "before the end of 2024", "", "2025-01-01", "before the end of 2024"),
    ("en", "since the beginning of February", "2026-02-01", "2026-03-19", "since the beginning of February"),
    ("de", "Was habe ich gestern gekocht?", "2026-03-17", "2026-03-18", "gestern"),
    ("de", "was stand letzte Woche in den Notizen", "2026-03-09", "2026-03-16", "letzte Woche"),
    ("de", "vor zwei Wochen", "2026-03-02", "2026-03-09", "vor zwei Wochen"),
    ("de", "in den letzten 10 Tagen", "2026-03-08", "2026-03-19", "in den letzten 10 Tagen"),
    ("de", "im März", "2026-03-01", "2026-03-19", "im März"),
    ("de", "seit Montag", "2026-03-16", "2026-03-19", "seit Montag"),
    ("de", "am 3. Mai 2025", "2025-05-03", "2025-05-04", "3. Mai 2025"),
    ("de", "zwischen dem 3. und 5. Februar", "2026-02-03", "2026-02-06", "zwischen dem 3. und 5. Februar"),
    ("de", "vom 3. bis zum 5. Mai", "2025-05-03", "2025-05-06", "vom 3. bis zum 5. Mai"),
    ("de", "vom 3.-5. Mai 2024", "2024-05-03", "2024-05-06", "vom 3.-5. Mai 2024"),
    ("de", "zwischen März und Mai 2025", "2025-03-01", "2025-06-01", "zwischen März und Mai 2025"),
    ("de", "neulich", "2026-03-11", "2026-03-19", "neulich"),
    ("de", "vor dem 1. März", "", "2026-03-01", "vor dem 1. März"),
    ("de", "im Sommer", "2025-06-01", "2025-09-01", "im Sommer"),
    ("de", "am letzten Dienstag", "2026-03-17", "2026-03-18", "am letzten Dienstag"),
    ("de", "im Jahr 2024", "2024-01-01", "2025-01-01", "im Jahr 2024"),
    ("de", "Ende letzten Monats", "2026-02-22", "2026-03-01", "Ende letzten Monats"),
    ("de", "5.3.2026", "2026-03-05", "2026-03-06", "5.3.2026"),
    ("de", "vorgestern", "2026-03-16", "2026-03-17", "vorgestern"),
    ("de", "diesen Monat", "2026-03-01", "2026-03-19", "diesen Monat"),
    ("de", "vor drei Jahren", "2023-01-01", "2024-01-01", "vor drei Jahren"),
    ("de", "im Dezember 2024", "2024-12-01", "2025-01-01", "Dezember 2024"),
    ("de", "letztes Jahr", "2025-01-01", "2026-01-01", "letztes Jahr"),
    ("de", "seit Januar", "2026-01-01", "2026-03-19", "seit Januar"),
    ("es", "¿Qué decidimos la semana pasada?", "2026-03-09", "2026-03-16", "la semana pasada"),
    ("es", "hace dos meses", "2026-01-01", "2026-02-01", "hace dos meses"),
    ("es", "ayer", "2026-03-17", "2026-03-18", "ayer"),
    ("es", "en marzo de 2025", "2025-03-01", "2025-04-01", "marzo de 2025"),
    ("es", "el lunes", "2026-03-16", "2026-03-17", "el lunes"),
    ("es", "desde enero", "2026-01-01", "2026-03-19", "desde enero"),
    ("es", "el 3 de mayo de 2025", "2025-05-03", "2025-05-04", "el 3 de mayo de 2025"),
    ("es", "los últimos 10 días", "2026-03-08", "2026-03-19", "los últimos 10 días"),
    ("es", "en 2024", "2024-01-01", "2025-01-01", "en 2024"),
    ("es", "antes de marzo", "", "2026-03-01", "antes de marzo"),
    ("es", "entre el 3 y el 5 de febrero", "2026-02-03", "2026-02-06", "entre el 3 y el 5 de febrero"),
    ("es", "del 3 al 5 de mayo de 2024", "2024-05-03", "2024-05-06", "del 3 al 5 de mayo de 2024"),
    ("es", "entre marzo y mayo de 2025", "2025-03-01", "2025-06-01", "entre marzo y mayo de 2025"),
    ("es", "el mes pasado", "2026-02-01", "2026-03-01", "el mes pasado"),
    ("es", "el año pasado", "2025-01-01", "2026-01-01", "el año pasado"),
    ("es", "recientemente", "2026-03-04", "2026-03-19", "recientemente"),
    ("fr", "la semaine dernière", "2026-03-09", "2026-03-16", "la semaine dernière"),
    ("fr", "il y a deux mois", "2026-01-01", "2026-02-01", "il y a deux mois"),
    ("fr", "qu'ai-je fait hier", "2026-03-17", "2026-03-18", "hier"),
    ("fr", "en mars 2025", "2025-03-01", "2025-04-01", "mars 2025"),
    ("fr", "lundi dernier", "2026-03-16", "2026-03-17", "lundi dernier"),
    ("fr", "depuis janvier", "2026-01-01", "2026-03-19", "depuis janvier"),
    ("fr", "le 3 mai 2025", "2025-05-03", "2025-05-04", "le 3 mai 2025"),
    ("fr", "les 10 derniers jours", "2026-03-08", "2026-03-19", "les 10 derniers jours"),
    ("fr", "en 2024", "2024-01-01", "2025-01-01", "en 2024"),
    ("fr", "avant mars", "", "2026-03-01", "avant mars"),
    ("fr", "entre le 3 et le 5 février", "2026-02-03", "2026-02-06", "entre le 3 et le 5 février"),
    ("fr", "du 1er au 5 mai 2024", "2024-05-01", "2024-05-06", "du 1er au 5 mai 2024"),
    ("fr", "entre mars et mai 2025", "2025-03-01", "2025-06-01", "entre mars et mai 2025"),
    ("fr", "le mois dernier", "2026-02-01", "2026-03-01", "le mois dernier"),
    ("fr", "l'été dernier", "2025-06-01", "2025-09-01", "l'été dernier"),
    ("fr", "aujourd'hui", "2026-03-18", "2026-03-19", "aujourd'hui"),
    ("fr", "l'année dernière", "2025-01-01", "2026-01-01", "l'année dernière"),
    ("en", "where was I two weeks before 5 May 2023", "2023-04-17", "2023-04-24", "two weeks before 5 May 2023"),
    ("en", "in the week before 16 November 2025", "2025-11-09", "2025-11-16", "in the week before 16 November 2025"),
    ("en", "the week leading up to Christmas", "2025-12-17", "2025-12-24", "the week leading up to Christmas"),
    ("en", "the week following 3 February", "2026-02-04", "2026-02-11", "the week following 3 February"),
    ("en", "the two weeks after 3 February", "2026-02-04", "2026-02-18", "the two weeks after 3 February"),
    ("en", "a fortnight before 5 May 2025", "2025-04-21", "2025-04-28", "a fortnight before 5 May 2025"),
    ("en", "the month before May 2024", "2024-04-01", "2024-05-01", "the month before May 2024"),
    ("en", "the month after 31 January 2025", "2025-02-01", "2025-03-01", "the month after 31 January 2025"),
    ("en", "a year before 2020", "2019-01-01", "2020-01-01", "a year before 2020"),
    ("en", "three days after 1 March", "2026-03-04", "2026-03-05", "three days after 1 March"),
    ("en", "a few days before 9 June 2025", "2025-06-02", "2025-06-08", "a few days before 9 June 2025"),
    ("en", "a few days after 9 June 2025", "2025-06-11", "2025-06-17", "a few days after 9 June 2025"),
    ("en", "the last few days before Christmas", "2025-12-17", "2025-12-24", "the last few days before Christmas"),
    ("en", "in the weeks after Christmas", "2025-12-27", "2026-01-24", "in the weeks after Christmas"),
    ("en", "shortly after Christmas", "2025-12-27", "2026-01-03", "shortly after Christmas"),
    ("en", "the day before Christmas", "2025-12-23", "2025-12-24", "the day before Christmas"),
    ("en", "the night before 3 March", "2026-03-02", "2026-03-03", "the night before 3 March"),
    ("en", "the day after the 5th", "2026-03-06", "2026-03-07", "the day after the 5th"),
    ("en", "the week after the end of January", "2026-02-01", "2026-02-08", "the week after the end of January"),
    ("en", "the weekend after 9 June 2025", "2025-06-14", "2025-06-16", "the weekend after 9 June 2025"),
    ("en", "last weekend before April 10, 2023", "2023-04-08", "2023-04-10", "last weekend before April 10, 2023"),
    ("en", "the weekend before Sunday 8 March", "2026-02-28", "2026-03-02", "the weekend before Sunday 8 March"),
    ("en", "on Monday 5 May 2025", "2025-05-05", "2025-05-06", "Monday 5 May 2025"),
    ("en", "on Sunday the 8th of March", "2026-03-08", "2026-03-09", "Sunday the 8th of March"),
    ("en", "on Monday and Tuesday", "2026-03-16", "2026-03-18", "Monday and Tuesday"),
    ("en", "in January and February", "2026-01-01", "2026-03-01", "January and February"),
    ("en", "in 2023 or 2024", "2023-01-01", "2025-01-01", "2023 or 2024"),
    ("en", "in March and may be later", "2026-03-01", "2026-03-19", "in March"),
    ("en", "since two weeks before Christmas", "2025-12-08", "2026-03-19", "since two weeks before Christmas"),
    ("en", "until two weeks before Christmas", "", "2025-12-15", "until two weeks before Christmas"),
    ("en", "the first Monday of February", "2026-02-02", "2026-02-03", "the first Monday of February"),
    ("en", "on the last Friday of January 2025", "2025-01-31", "2025-02-01", "on the last Friday of January 2025"),
    ("en", "the first weekend of March", "2026-03-07", "2026-03-09", "the first weekend of March"),
    ("en", "the last day of February", "2026-02-28", "2026-03-01", "the last day of February"),
    ("en", "since the first Monday of February", "2026-02-02", "2026-03-19", "since the first Monday of February"),
    ("en", "at the start of the year", "2026-01-01", "2026-02-01", "the start of the year"),
    ("en", "half a year ago", "2025-09-01", "2025-10-01", "half a year ago"),
    ("en", "this past weekend", "2026-03-14", "2026-03-16", "this past weekend"),
    ("en", "two weekends ago", "2026-03-07", "2026-03-09", "two weekends ago"),
    ("en", "two Fridays ago", "2026-03-06", "2026-03-07", "two Fridays ago"),
    ("en", "in CW 10 2025", "2025-03-03", "2025-03-10", "CW 10 2025"),
    ("en", "last week and last month", "2026-03-09", "2026-03-16", "last week"),
    ("en", "on Friday before 5 May 2025", "2025-05-02", "2025-05-03", "on Friday before 5 May 2025"),
    ("en", "the Monday after Christmas", "2025-12-29", "2025-12-30", "the Monday after Christmas"),
    ("en", "two weeks before 5 May last year", "2025-04-21", "2025-04-28", "two weeks before 5 May last year"),
    ("en", "what did I decide last week before Friday", "2026-03-09", "2026-03-16", "last week"),
    ("en", "days before Christmas", "", "2025-12-24", "before Christmas"),
    ("en", "the weekend before last", "2026-03-07", "2026-03-09", "the weekend before last"),
    ("en", "between Friday and Monday", "2026-03-13", "2026-03-17", "between Friday and Monday"),
    ("en", "between Sunday and Friday", "2026-03-08", "2026-03-14", "between Sunday and Friday"),
    ("en", "since Christmas", "2025-12-24", "2026-03-19", "since Christmas"),
    ("en", "since last Christmas", "2025-12-24", "2026-03-19", "since last Christmas"),
    ("en", "the week before last Christmas", "2025-12-17", "2025-12-24", "the week before last Christmas"),
    ("en", "the weekend before last Christmas", "2025-12-20", "2025-12-22", "the weekend before last Christmas"),
    ("en", "the week before last Monday", "2026-03-09", "2026-03-16", "the week before last Monday"),
    ("en", "since the weekend", "2026-03-14", "2026-03-19", "since the weekend"),
    ("de", "seit letztem Weihnachten", "2025-12-24", "2026-03-19", "seit letztem Weihnachten"),
    ("de", "seit dem Wochenende", "2026-03-14", "2026-03-19", "seit dem Wochenende"),
    ("fr", "depuis le week-end", "2026-03-14", "2026-03-19", "depuis le week-end"),
    ("en", "the second week of November", "2025-11-08", "2025-11-15", "the second week of November"),
    ("en", "in the week of 5 May 2025", "2025-05-05", "2025-05-12", "the week of 5 May 2025"),
    ("en", "the weekend of 2 May 2025", "2025-05-03", "2025-05-05", "the weekend of 2 May 2025"),
    ("en", "in March last year", "2025-03-01", "2025-04-01", "in March last year"),
    ("en", "in March of this year", "2026-03-01", "2026-03-19", "in March of this year"),
    ("en", "in the spring of last year", "2025-03-01", "2025-06-01", "in the spring of last year"),
    ("en", "last year in the summer", "2025-06-01", "2025-09-01", "last year in the summer"),
    ("en", "on 3 May two years ago", "2024-05-03", "2024-05-04", "3 May two years ago"),
    ("en", "at Christmas two years ago", "2024-12-24", "2024-12-27", "at Christmas two years ago"),
    ("en", "Q3 last year", "2025-07-01", "2025-10-01", "Q3 last year"),
    ("en", "since March last year", "2025-03-01", "2026-03-19", "since March last year"),
    ("en", "between March and May last year", "2025-03-01", "2025-06-01", "between March and May last year"),
    ("en", "the march last year", "2025-01-01", "2026-01-01", "last year"),
    ("en", "what happened last year may have been better", "2025-01-01", "2026-01-01", "last year"),
    ("en", "what did I start recently in September 2025", "2025-09-01", "2025-10-01", "recently in September 2025"),
    ("en", "last week, as noted on 6 November", "2025-11-06", "2025-11-07", "last week, as noted on 6 November"),
    ("en", "December 1,2025", "2025-12-01", "2025-12-02", "December 1,2025"),
    ("de", "zwei Wochen vor dem 5. Mai 2025", "2025-04-21", "2025-04-28", "zwei Wochen vor dem 5. Mai 2025"),
    ("de", "in der Woche vor dem 5. Mai 2025", "2025-04-28", "2025-05-05", "in der Woche vor dem 5. Mai 2025"),
    ("de", "ein paar Tage nach dem 3. Mai 2025", "2025-05-05", "2025-05-11", "ein paar Tage nach dem 3. Mai 2025"),
    ("de", "am Wochenende nach dem 3. Mai 2025", "2025-05-10", "2025-05-12", "am Wochenende nach dem 3. Mai 2025"),
    ("de", "in den Tagen vor Weihnachten", "2025-12-17", "2025-12-24", "in den Tagen vor Weihnachten"),
    ("de", "am Freitag vor Weihnachten", "2025-12-19", "2025-12-20", "am Freitag vor Weihnachten"),
    ("de", "kurz vor Weihnachten", "2025-12-17", "2025-12-24", "kurz vor Weihnachten"),
    ("de", "am Montag, den 5. Mai 2025", "2025-05-05", "2025-05-06", "Montag, den 5. Mai 2025"),
    ("de", "in KW 10", "2026-03-02", "2026-03-09", "KW 10"),
    ("de", "am 5.3.", "2026-03-05", "2026-03-06", "am 5.3."),
    ("de", "vor einem halben Jahr", "2025-09-01", "2025-10-01", "vor einem halben Jahr"),
    ("de", "am ersten Montag im Februar", "2026-02-02", "2026-02-03", "am ersten Montag im Februar"),
    ("de", "in der Woche vom 5. Mai 2025", "2025-05-05", "2025-05-12", "in der Woche vom 5. Mai 2025"),
    ("de", "in der zweiten Woche im November", "2025-11-08", "2025-11-15", "in der zweiten Woche im November"),
    ("de", "im März letzten Jahres", "2025-03-01", "2025-04-01", "im März letzten Jahres"),
    ("de", "letztes Jahr im März", "2025-03-01", "2025-04-01", "letztes Jahr im März"),
    ("es", "dos semanas antes del 5 de mayo", "2025-04-21", "2025-04-28", "dos semanas antes del 5 de mayo"),
    ("es", "la semana anterior al 5 de mayo", "2025-04-28", "2025-05-05", "la semana anterior al 5 de mayo"),
    ("es", "el día después de Navidad", "2025-12-27", "2025-12-28", "el día después de Navidad"),
    ("es", "el fin de semana tras el 3 de mayo", "2025-05-10", "2025-05-12", "el fin de semana tras el 3 de mayo"),
    ("es", "la semana del 5 de mayo de 2025", "2025-05-05", "2025-05-12", "la semana del 5 de mayo de 2025"),
    ("es", "la segunda semana de noviembre", "2025-11-08", "2025-11-15", "la segunda semana de noviembre"),
    ("es", "el lunes 5 de mayo de 2025", "2025-05-05", "2025-05-06", "el lunes 5 de mayo de 2025"),
    ("es", "el primer lunes de febrero", "2026-02-02", "2026-02-03", "el primer lunes de febrero"),
    ("es", "hace medio año", "2025-09-01", "2025-10-01", "hace medio año"),
    ("es", "en marzo del año pasado", "2025-03-01", "2025-04-01", "en marzo del año pasado"),
    ("fr", "deux semaines avant le 5 mai 2025", "2025-04-21", "2025-04-28", "deux semaines avant le 5 mai 2025"),
    ("fr", "la semaine précédant le 5 mai 2025", "2025-04-28", "2025-05-05", "la semaine précédant le 5 mai 2025"),
    ("fr", "le week-end après le 3 mai 2025", "2025-05-10", "2025-05-12", "le week-end après le 3 mai 2025"),
    ("fr", "le vendredi avant Noël", "2025-12-19", "2025-12-20", "le vendredi avant Noël"),
    ("fr", "juste avant Noël", "2025-12-17", "2025-12-24", "juste avant Noël"),
    ("fr", "la semaine du 5 mai 2025", "2025-05-05", "2025-05-12", "la semaine du 5 mai 2025"),
    ("fr", "la deuxième semaine de novembre", "2025-11-08", "2025-11-15", "la deuxième semaine de novembre"),
    ("fr", "le lundi 5 mai 2025", "2025-05-05", "2025-05-06", "lundi 5 mai 2025"),
    ("fr", "le dernier week-end de janvier", "2026-01-31", "2026-02-02", "le dernier week-end de janvier"),
    ("fr", "en mars de l'année dernière", "2025-03-01", "2025-04-01", "en mars de l'année dernière"),
    ("en", "did the plumber come Tuesday", "2026-03-17", "2026-03-18", "Tuesday"),
    ("en", "what did I do the night before last", "2026-03-16", "2026-03-17", "the night before last"),
    ("en", "what happened earlier this week", "2026-03-16", "2026-03-19", "earlier this week"),
    ("en", "back in 2019", "2019-01-01", "2020-01-01", "in 2019"),
    ("en", "in the first quarter", "2026-01-01", "2026-03-19", "in the first quarter"),
    ("en", "three Mondays ago", "2026-03-02", "2026-03-03", "three Mondays ago"),
    ("en", "notes of 03/05/2026", "2026-03-05", "2026-03-06", "03/05/2026"),
    ("en", "what did I do in Feb", "2026-02-01", "2026-03-01", "in Feb"),
    ("en", "at the start of the week", "2026-03-16", "2026-03-19", "the start of the week"),
    ("en", "on New Year's Eve", "2025-12-31", "2026-01-01", "on New Year's Eve"),
    ("en", "on New Year's Day", "2026-01-01", "2026-01-02", "on New Year's Day"),
    ("en", "in mid-February", "2026-02-10", "2026-02-20", "mid-February"),
    ("en", "by the end of January", "2026-01-25", "2026-02-01", "the end of January"),
    ("en", "last Feb", "2026-02-01", "2026-03-01", "last Feb"),
    ("en", "what did I eat for dinner last night", "2026-03-17", "2026-03-18", "last night"),
    ("en", "since the start of the year", "2026-01-01", "2026-03-19", "since the start of the year"),
    ("en", "since last Monday", "2026-03-16", "2026-03-19", "since last Monday"),
    ("en", "a year and a half ago", "2024-09-01", "2024-10-01", "a year and a half ago"),
    ("de", "was war am 3.2.", "2026-02-03", "2026-02-04", "am 3.2."),
    ("de", "vorgestern Abend", "2026-03-16", "2026-03-17", "vorgestern"),
    ("de", "vor einem Jahr", "2025-01-01", "2026-01-01", "vor einem Jahr"),
    ("de", "Anfang des Jahres", "2026-01-01", "2026-02-01", "Anfang des Jahres"),
    ("de", "Mitte Februar", "2026-02-10", "2026-02-20", "Mitte Februar"),
    ("de", "letzten Dezember", "2025-12-01", "2026-01-01", "letzten Dezember"),
    ("de", "im vergangenen Jahr", "2025-01-01", "2026-01-01", "vergangenen Jahr"),
    ("de", "in den letzten Tagen", "2026-03-11", "2026-03-19", "in den letzten Tagen"),
    ("de", "die letzten zwei Wochen", "2026-03-04", "2026-03-19", "die letzten zwei Wochen"),
    ("de", "an Silvester", "2025-12-31", "2026-01-01", "an Silvester"),
    ("de", "zu Neujahr", "2026-01-01", "2026-01-02", "zu Neujahr"),
    ("de", "Was stand gestern im Tagebuch?", "2026-03-17", "2026-03-18", "gestern"),
    ("de", "seit Anfang Februar", "2026-02-01", "2026-03-19", "seit Anfang Februar"),
    ("de", "vor anderthalb Jahren", "2024-09-01", "2024-10-01", "vor anderthalb Jahren"),
    ("de", "Dienstag letzter Woche", "2026-03-10", "2026-03-11", "Dienstag letzter Woche"),
    ("de", "letzte Woche Dienstag", "2026-03-10", "2026-03-11", "letzte Woche Dienstag"),
    ("de", "am Dienstag der letzten Woche", "2026-03-10", "2026-03-11", "am Dienstag der letzten Woche"),
    ("de", "im ersten Quartal", "2026-01-01", "2026-03-19", "im ersten Quartal"),
    ("de", "seit letztem Montag", "2026-03-16", "2026-03-19", "seit letztem Montag"),
    ("de", "am vergangenen Sonntag", "2026-03-15", "2026-03-16", "am vergangenen Sonntag"),
    ("es", "el martes vino el fontanero", "2026-03-17", "2026-03-18", "el martes"),
    ("es", "antes de ayer por la noche", "2026-03-16", "2026-03-17", "antes de ayer"),
    ("es", "a principios de año", "2026-01-01", "2026-02-01", "a principios de año"),
    ("es", "los últimos quince días", "2026-03-03", "2026-03-19", "los últimos quince días"),
    ("es", "en Nochevieja", "2025-12-31", "2026-01-01", "en Nochevieja"),
    ("es", "el martes de la semana pasada", "2026-03-10", "2026-03-11", "el martes de la semana pasada"),
    ("es", "hace un año", "2025-01-01", "2026-01-01", "hace un año"),
    ("es", "desde el lunes pasado", "2026-03-16", "2026-03-19", "desde el lunes pasado"),
    ("es", "a mediados de febrero", "2026-02-10", "2026-02-20", "a mediados de febrero"),
    ("es", "en los últimos días", "2026-03-11", "2026-03-19", "en los últimos días"),
    ("es", "anteanoche", "2026-03-16", "2026-03-17", "anteanoche"),
    ("es", "en lo que va de año", "2026-01-01", "2026-03-19", "en lo que va de año"),
    ("es", "el año antepasado", "2024-01-01", "2025-01-01", "el año antepasado"),
    ("es", "hace año y medio", "2024-09-01", "2024-10-01", "hace año y medio"),
    ("es", "las dos últimas semanas", "2026-03-04", "2026-03-19", "las dos últimas semanas"),
    ("fr", "le plombier est-il venu mardi", "2026-03-17", "2026-03-18", "mardi"),
    ("fr", "avant-hier soir", "2026-03-16", "2026-03-17", "avant-hier"),
    ("fr", "au début de l'année", "2026-01-01", "2026-02-01", "au début de l'année"),
    ("fr", "les quinze derniers jours", "2026-03-03", "2026-03-19", "les quinze derniers jours"),
    ("fr", "à la Saint-Sylvestre", "2025-12-31", "2026-01-01", "à la Saint-Sylvestre"),
    ("fr", "mardi de la semaine dernière", "2026-03-10", "2026-03-11", "mardi de la semaine dernière"),
    ("fr", "il y a un an", "2025-01-01", "2026-01-01", "il y a un an"),
    ("fr", "au premier trimestre", "2026-01-01", "2026-03-19", "au premier trimestre"),
    ("fr", "depuis lundi dernier", "2026-03-16", "2026-03-19", "depuis lundi dernier"),
    ("fr", "à la mi-février", "2026-02-10", "2026-02-20", "mi-février"),
    ("fr", "ces derniers jours", "2026-03-11", "2026-03-19", "ces derniers jours"),
    ("fr", "hier au soir", "2026-03-17", "2026-03-18", "hier"),
    ("fr", "le 1er mars", "2026-03-01", "2026-03-02", "le 1er mars"),
    ("fr", "la veille de Noël", "2025-12-24", "2025-12-25", "la veille de Noël"),
    ("fr", "les deux dernières semaines", "2026-03-04", "2026-03-19", "les deux dernières semaines"),
    ("fr", "le week-end passé", "2026-03-14", "2026-03-16", "le week-end passé"),
    ("fr", "la nuit dernière", "2026-03-17", "2026-03-18", "la nuit dernière"),
    ("fr", "en début de semaine", "2026-03-16", "2026-03-19", "en début de semaine"),
]

NOT_A_TIME = [
    "Friday Night Lights",
    "notes about the Friday report",
    "May I ask you something?",
    "what may 3 people join",
    "the long march to freedom",
    "on second thought, what is the plan",
    "prices fall sharply",
    "what happened in the fall of Rome",
    "what does RFC 2024 say",
    "version 2024.1 release notes",
    "summarise it in 2000 words",
    "what did April say about the flat",
    "the plan with June about the party",
    "USA Today article",
    "what is in `last_week.py`",
    "Black Friday deals",
    "my every Monday routine",
    "The Year 2000 problem",
    "day by day",
    "what should I do now",
    "from now on",
    "0 days ago, in the last 0 weeks",
    "half a year of savings",
    "what is the \"last week tonight\" recipe",
    "next week's plan",
    "what do I do tomorrow",
    "what is planned for next Monday",
    "the second draft",
    "March of the Penguins",
    "error code 2019",
    "ubuntu-24.04 install",
    "who wrote Summer of Love",
    "build 2026-03-05-rc1x",
    "spring cleaning list",
    "the spring in the mattress",
    "Project Sunday status",
    "monday.com pricing",
    "the last chapter of the book",
    "the last time I checked",
    "may the force be with you",
    "how many days are in a week",
    "what is a leap year",
    "who sings \"Yesterday\"",
    "what did we learn from Winter Sports Inc",
    "16/9 aspect ratio",
    "the past is another country",
    "a weekly review template",
    "room 1984 keys",
    "2024x2024 pixels",
    "the sat nav is broken",
    "thu vien means library",
    "what costs 1999 euros",
    "second half of the sandwich",
    "the decision about the API",
    "How long does it take me to fall asleep?",
    "the road to march on",
    "the day before my birthday",
    "a week after the launch",
    "what did the doctor say the week after the surgery",
    "the Monday after I moved",
    "what may I do two weeks before I leave",
    "how many days before my trip did I pack",
    "right before bed",
    "the week of the conference",
    "\"Two Weeks Before 5 May\" by Smith",
    "the day after Black Friday",
    "the weekend before the wedding",
    "shortly after the meeting",
    "what is the word of the year",
    "how many days in the week",
    "before the week in Paris",
    "the end of the year party",
    "week 10 of the course",
    "the first Monday of the course",
]

SPOKEN_OF = [
    ("en", "what does --since=yesterday do"),
    ("en", "git log --since yesterday"),
    ("en", "which formula is in column q1"),
    ("en", "column Q1 of the sheet"),
    ("en", "Friday's Cafe opening hours"),
    ("en", "how do I spell Wednesday"),
    ("en", "what does the word yesterday rhyme with"),
    ("en", "the variable today is undefined"),
    ("en", "set DATE=today in the script"),
    ("en", "the field march in the form"),
    ("en", "who works at Sunday's Kitchen"),
    ("en", "what is the Monday Club about"),
    ("en", "key \"q3\" in the config"),
    ("en", "the --until=2025-01-01 flag"),
    ("en", "@today decorator"),
    ("en", "#monday channel"),
    ("en", "last_month column type"),
    ("en", "how is February spelled"),
    ("en", "error in week_ago()"),
    ("en", "Tuesday's Child charity"),
    ("de", "was macht --since=gestern"),
    ("de", "welche Formel steht in Spalte Q1"),
    ("de", "wie schreibt man Mittwoch"),
    ("de", "Wie buchstabiert man Dienstag?"),
    ("de", "Öffnungszeiten von Café Freitag"),
    ("de", "das Wort gestern im Gedicht"),
    ("de", "die Variable heute ist leer"),
    ("de", "was kostet \"Letzter Sommer\" im Kino"),
    ("de", "DATUM=heute im Skript"),
    ("de", "das Feld März im Formular"),
    ("de", "die Option seit=gestern"),
    ("es", "qué hace --since=ayer"),
    ("es", "qué fórmula hay en la columna Q1"),
    ("es", "cómo se escribe miércoles"),
    ("es", "horario del Café Domingo"),
    ("es", "la palabra ayer en el poema"),
    ("es", "la variable hoy está vacía"),
    ("es", "FECHA=hoy en el script"),
    ("es", "el campo marzo del formulario"),
    ("es", "la canción \"Ayer\" de los Beatles"),
    ("es", "el bar Viernes Santo"),
    ("es", "el señor Abril Martínez"),
    ("fr", "que fait --since=hier"),
    ("fr", "quelle formule est dans la colonne Q1"),
    ("fr", "comment écrit-on mercredi"),
    ("fr", "comment s'écrit mercredi"),
    ("fr", "horaires du Café Dimanche"),
    ("fr", "le mot hier dans le poème"),
    ("fr", "la variable aujourd'hui est vide"),
    ("fr", "DATE=hier dans le script"),
    ("fr", "le champ mars du formulaire"),
    ("fr", "la chanson « Hier encore »"),
    ("fr", "Vendredi ou la vie sauvage"),
    ("fr", "le magazine Mars"),
]
"""Names, flags, columns and words that are spoken of."""

TODAY = [
    ("en", "what did I note 5 hours ago"),
    ("en", "what did I write an hour ago"),
    ("en", "notes from half an hour ago"),
    ("en", "what did we decide this morning"),
    ("en", "what did I note ten minutes ago"),
    ("en", "earlier today"),
    ("de", "was habe ich vor 5 Stunden notiert"),
    ("de", "was habe ich vor einer Stunde geschrieben"),
    ("de", "was haben wir heute Morgen beschlossen"),
    ("de", "was habe ich vor zehn Minuten notiert"),
    ("es", "qué apunté hace 5 horas"),
    ("es", "qué apunté hace una hora"),
    ("es", "qué decidimos esta mañana"),
    ("es", "qué apunté hace diez minutos"),
    ("es", "qué escribí hace un rato"),
    ("fr", "qu'ai-je noté il y a 5 heures"),
    ("fr", "qu'ai-je noté il y a une heure"),
    ("fr", "qu'avons-nous décidé ce matin"),
    ("fr", "qu'ai-je noté il y a dix minutes"),
]
# fmt: on


def midnight(day: str) -> datetime | None:
    return datetime.combine(date.fromisoformat(day), time(), ZoneInfo(ZONE)) if day else None


@pytest.mark.parametrize(("lang", "text", "start", "end", "phrase"), PHRASES)
def test_a_phrase_is_the_days_it_names(lang: str, text: str, start: str, end: str, phrase: str) -> None:
    found = find_time(text, now=NOW, zone=ZONE, lang=lang)
    assert found is not None
    assert (found.hint.range.start, found.hint.range.end) == (midnight(start), midnight(end))
    assert found.hint.phrase == phrase
    assert " ".join(text[found.start : found.end].split()) == phrase


def test_what_is_for_a_day_is_not_from_that_day() -> None:
    assert find_time("deberes para el martes", now=NOW, zone=ZONE, lang="es") is None


@pytest.mark.parametrize("text", NOT_A_TIME)
def test_a_sentence_without_a_time_has_none(text: str) -> None:
    assert find_time(text, now=NOW, zone=ZONE) is None


@pytest.mark.parametrize(("lang", "text"), SPOKEN_OF)
def test_words_of_time_that_are_spoken_of_name_no_time(lang: str, text: str) -> None:
    assert find_time(text, now=NOW, zone=ZONE, lang=lang) is None


@pytest.mark.parametrize(("lang", "text"), TODAY)
def test_hours_and_minutes_ago_are_the_day_in_which_they_lie(lang: str, text: str) -> None:
    found = find_time(text, now=NOW, zone=ZONE, lang=lang)
    assert found is not None
    assert (found.hint.range.start, found.hint.range.end) == (midnight("2026-03-18"), midnight("2026-03-19"))


def test_hours_ago_after_midnight_are_yesterday() -> None:
    found = find_time("what did I note 5 hours ago", now=datetime(2026, 3, 18, 1, tzinfo=UTC), zone=ZONE)
    assert found is not None
    assert found.hint.range.start == midnight("2026-03-17")


def test_a_number_with_dots_is_a_day_only_behind_a_preposition() -> None:
    assert find_time("Was ist neu in Version 1.2. und warum?", now=NOW, zone=ZONE, lang="de") is None


@pytest.mark.parametrize("text", ["the fifth Monday of February", "in calendar week 60", "in the week after today"])
def test_a_day_or_week_that_there_is_not_is_no_time(text: str) -> None:
    assert find_time(text, now=NOW, zone=ZONE) is None


def test_the_tables_are_as_long_as_promised() -> None:
    assert len(PHRASES) >= 150
    assert len(NOT_A_TIME) >= 40


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("last week", 14),
        ("yesterday", 2),
        ("recently", 14),
        ("the other day", 7),
        ("the last 30 days", 30),
        ("before May", None),
    ],
)
def test_the_hint_says_how_far_back_it_may_reach(text: str, days: int | None) -> None:
    found = find_time(text, now=NOW, zone=ZONE)
    assert found is not None
    assert found.hint.days == days


def test_a_day_is_the_callers_day() -> None:
    late = datetime(2026, 3, 18, 23, 30, tzinfo=UTC)
    berlin, utc = (find_time("today", now=late, zone=zone) for zone in ("Europe/Berlin", "UTC"))
    assert berlin is not None
    assert utc is not None
    assert berlin.hint.range.start == datetime(2026, 3, 19, tzinfo=ZoneInfo("Europe/Berlin"))
    assert utc.hint.range.start == datetime(2026, 3, 18, tzinfo=ZoneInfo("UTC"))


def test_the_last_days_are_counted_in_hours_across_a_change_of_clocks() -> None:
    """23:30 in summer time, 7 x 24 h after 22:30 in winter time: still the day a week before."""
    found = find_time("last 7 days", now=datetime(2026, 4, 1, 21, 30, tzinfo=UTC), zone=ZONE)
    assert found is not None
    assert found.hint.range.start == datetime(2026, 3, 25, tzinfo=ZoneInfo(ZONE))


def test_the_29th_of_february_is_that_of_the_last_leap_year() -> None:
    found = find_time("on 29 February", now=NOW, zone=ZONE)
    assert found is not None
    assert found.hint.range.start == midnight("2024-02-29")


@pytest.mark.parametrize("text", ["on 31 February 2025", "on the 45th", "in 2030", "since 2031", "on 30 February"])
def test_a_day_that_does_not_exist_or_lies_ahead_is_no_time(text: str) -> None:
    assert find_time(text, now=NOW, zone=ZONE) is None


moments = st.datetimes(
    min_value=datetime(1990, 1, 1, tzinfo=UTC).replace(tzinfo=None),
    max_value=datetime(2090, 1, 1, tzinfo=UTC).replace(tzinfo=None),
    timezones=st.just(UTC),
)


@given(
    now=moments,
    zone=st.sampled_from(["UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati"]),
    row=st.sampled_from(PHRASES),
)
def test_ranges_are_never_empty_and_end_with_todays_day(
    now: datetime, zone: str, row: tuple[str, str, str, str, str]
) -> None:
    found = find_time(row[1], now=now, zone=zone, lang=row[0])
    if found is None:
        return
    start, end = found.hint.range.start, found.hint.range.end
    assert end is not None
    today = now.astimezone(ZoneInfo(zone)).date()
    assert end <= datetime.combine(today + timedelta(days=1), time(), ZoneInfo(zone))
    if start is not None:
        assert start < end
        assert found.hint.days is not None
        assert found.hint.days >= 1


@given(text=st.text(max_size=300))
def test_no_text_breaks_the_grammar(text: str) -> None:
    for lang in ("en", "de", "es", "fr", "xx"):
        found = find_time(text, now=NOW, zone=ZONE, lang=lang)
        assert found is None or 0 <= found.start < found.end <= len(text)
