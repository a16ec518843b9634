"""Words too common to tell one note from another, by language. Question words are among them: they ask, and a note
seldom answers with them. English is the list with which the ranking was measured; single letters of contractions
need no entry, since words leave them out.
"""

from __future__ import annotations

from functools import cache

from shared.language.folding import fold, without_accents

_LISTS = {
    "en": """
        a an the this that these those there here
        i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
        am is are was were be been being do does did doing done have has had having
        can could will would shall should may might must
        and or but nor if then than so as of at by for with about into onto from to in on up out over
        not no any some such only own same too very just also
        what which who whom whose when where why how
        last ago ever please tell
    """,
    "de": """
        der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem
        ich mich mir mein meine meinen meinem meiner du dich dir dein deine deinen er ihn ihm sein seine seinen sie ihr
        ihre ihren ihrem ihrer es wir uns unser unsere unseren euch euer man sich
        bin bist ist sind war warst waren wart sein gewesen werde wirst wird werden wurde wurden worden
        habe hast hat haben hatte hatten gehabt kann kannst können konnte konnten muss müssen musste soll sollen sollte
        will wollen wollte darf dürfen mag möchte würde würden
        und oder aber sondern denn wenn als ob dass weil damit so wie auch nur noch schon sehr doch mal
        nicht kein keine keinen keinem keiner nichts
        in im an am auf aus bei beim mit nach von vom vor zu zum zur über unter um für durch gegen ohne bis seit hinter
        was wer wen wem wessen wann wo wohin woher warum wieso weshalb welche welcher welches welchen welchem
        hier dort da dann letzte letzten letzter letztes bitte
    """,
    "es": """
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
    "fr": """
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
    """,
    "it": """
        il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla in nel
        nella nei con su sul sulla per tra fra e ed o ma se che non come più anche io tu lui lei noi voi loro mi ti si
        ci vi mio mia miei mie suo sua suoi sono sei è siamo siete era erano stato essere ho hai ha abbiamo avete hanno
        aveva avere questo questa questi queste quello quella chi cosa quale quali quando dove perché quanto quanti
        dell nell dall sull all scorso scorsa
    """,
    "pt": """
        o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com sem sobre entre até e ou mas
        se que não como mais também já eu tu ele ela nós vós eles elas você vocês me te lhe meu minha meus minhas seu
        sua seus suas nosso nossa sou é somos são era eram foi foram ser estou está estão estava tenho tem têm tinha
        ter há este esta isto esse essa isso aquele aquela quem qual quais quando onde porque quanto quantos
        passado passada
    """,
    "nl": """
        de het een en of maar want dat die dit deze als dan dus ook niet geen nog wel al te van in op aan met voor door
        bij naar uit om over tot tegen onder tussen na ik je jij u hij zij ze wij we jullie mij me mijn jouw zijn haar
        ons onze hun hem er ben bent is was waren wordt worden werd heb hebt heeft hebben had hadden kan kunnen kon zal
        zullen zou moet moeten wil willen wat wie waar wanneer waarom hoe welke welk hier daar toen vorige
    """,
}

LANGUAGES = tuple(_LISTS)
"""Those with a list, English first."""


@cache
def stop_words(lang: str) -> frozenset[str]:
    """Folded, without accents; empty for a language without a list. `lang`: ISO 639-1."""
    return frozenset(without_accents(fold(word)) for word in _LISTS.get(lang, "").split())
