"""Words, stems, sentences, languages and offsets: used by the paths, knows none of them."""
