"""Portuguese: words alone."""

from __future__ import annotations

from shared.language.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    stop_words="""
        o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com sem sobre entre até e ou mas
        se que não como mais também já eu tu ele ela nós vós eles elas você vocês me te lhe meu minha meus minhas seu
        sua seus suas nosso nossa sou é somos são era eram foi foram ser estou está estão estava tenho tem têm tinha
        ter há este esta isto esse essa isso aquele aquela quem qual quais quando onde porque quanto quantos
        passado passada
    """,
    spellings=("ã", "õ"),
)
