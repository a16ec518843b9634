"""Japanese: words alone. Hiragana spells endings and particles; these pairs stand in nearly every sentence."""

from __future__ import annotations

from shared.language.vocabulary import Vocabulary

VOCABULARY = Vocabulary(
    stop_pairs="""
        です ます まし した って いる いた ある あり ない から まで こと もの これ それ この その する して とい いう
    """,
)
