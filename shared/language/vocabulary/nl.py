"""Dutch: words alone."""

from __future__ import annotations

from shared.language.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    stop_words="""
        de het een en of maar want dat die dit deze als dan dus ook niet geen nog wel al te van in op aan met voor door
        bij naar uit om over tot tegen onder tussen na ik je jij u hij zij ze wij we jullie mij me mijn jouw zijn haar
        ons onze hun hem er ben bent is was waren wordt worden werd heb hebt heeft hebben had hadden kan kunnen kon zal
        zullen zou moet moeten wil willen wat wie waar wanneer waarom hoe welke welk hier daar toen vorige
    """,
)
