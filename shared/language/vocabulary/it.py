"""Italian: words alone."""

from __future__ import annotations

from shared.language.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    stop_words="""
        il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla in nel
        nella nei con su sul sulla per tra fra e ed o ma se che non come più anche io tu lui lei noi voi loro mi ti si
        ci vi mio mia miei mie suo sua suoi sono sei è siamo siete era erano stato essere ho hai ha abbiamo avete hanno
        aveva avere questo questa questi queste quello quella chi cosa quale quali quando dove perché quanto quanti
        dell nell dall sull all scorso scorsa
    """,
    spellings=("ì", "ò"),
)
