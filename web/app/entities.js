/** Characters that HTML names, as far as notes name them: signs, and Latin letters with an accent. */

const SIGNS = /** @type {Readonly<Record<string, string>>} */ ({
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", shy: "\u00ad", ensp: "\u2002", emsp: "\u2003", thinsp: "\u2009",
  ndash: "–", mdash: "—", hellip: "…", bull: "•", middot: "·", laquo: "«", raquo: "»", lsaquo: "‹", rsaquo: "›", lsquo: "‘",
  rsquo: "’", sbquo: "‚", ldquo: "“", rdquo: "”", bdquo: "„", prime: "′", dagger: "†", sect: "§", para: "¶", copy: "©", reg: "®",
  trade: "™", deg: "°", permil: "‰", ordf: "ª", ordm: "º", sup2: "²", sup3: "³", frac12: "½", frac14: "¼", frac34: "¾", micro: "µ",
  euro: "€", pound: "£", yen: "¥", cent: "¢", iexcl: "¡", iquest: "¿", szlig: "ß", aelig: "æ", AElig: "Æ", oelig: "œ", OElig: "Œ",
  oslash: "ø", Oslash: "Ø", larr: "←", uarr: "↑", rarr: "→", darr: "↓", harr: "↔", rArr: "⇒", hArr: "⇔", times: "×", divide: "÷",
  plusmn: "±", minus: "−", le: "≤", ge: "≥", ne: "≠", asymp: "≈", infin: "∞", radic: "√", sum: "∑", check: "✓", star: "☆",
});
const ACCENTED = /^([A-Za-z])(grave|acute|circ|tilde|uml|ring|cedil|caron)$/;
const ACCENTS = /** @type {Readonly<Record<string, string>>} */ ({
  grave: "\u0300", acute: "\u0301", circ: "\u0302", tilde: "\u0303", uml: "\u0308", ring: "\u030a", cedil: "\u0327", caron: "\u030c",
});
const LAST = 0x10ffff;

/** @param {string} name without `&` and `;`: `mdash`, `#8212`, `#x2014` @returns {string} empty: not known */
export function characterOf(name) {
  if (name[0] === "#") return numbered(Number(/^#x/i.test(name) ? `0${name.slice(1)}` : name.slice(1)));
  const [, letter, accent] = ACCENTED.exec(name) ?? [];
  if (letter) return (letter + ACCENTS[accent]).normalize("NFC");
  return Object.hasOwn(SIGNS, name) ? SIGNS[name] : "";
}

/** No control character, no half of a pair. @param {number} code */
function numbered(code) {
  const is = code >= 0x20 && code <= LAST && !(code >= 0x7f && code < 0xa0) && !(code >= 0xd800 && code < 0xe000);
  return is ? String.fromCodePoint(code) : "";
}
