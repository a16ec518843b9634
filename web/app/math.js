/** A formula in TeX -> MathML, as far as notes use it; what is not known here is left as it was written. */

const MATHML = "http://www.w3.org/1998/Math/MathML";
const LONGEST = 1500;
/** Characters; a longer formula is left as it was written. */
const DEEPEST = 40;
/** Groups and arguments inside one another. */
const TOKEN = /\\(?:[A-Za-z]+|.)|\d+(?:[.,]\d+)*|\S/gu;

const LETTERS = table("alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω infty ∞ partial ∂ nabla ∇ hbar ℏ ell ℓ emptyset ∅ varnothing ∅ aleph ℵ Re ℜ Im ℑ");
const SIGNS = table("cdot · times × div ÷ pm ± mp ∓ ast ∗ circ ∘ bullet • le ≤ leq ≤ ge ≥ geq ≥ ne ≠ neq ≠ ll ≪ gg ≫ approx ≈ sim ∼ simeq ≃ equiv ≡ cong ≅ propto ∝ to → rightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ iff ⟺ mapsto ↦ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ forall ∀ exists ∃ neg ¬ lnot ¬ land ∧ wedge ∧ lor ∨ vee ∨ oplus ⊕ otimes ⊗ perp ⊥ parallel ∥ mid ∣ dots … ldots … cdots ⋯ vdots ⋮ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | rvert | int ∫ iint ∬ oint ∮ prime ′ colon : { { } } | ∥ % % $ $ # # & & _ _");
const SUMS = table("sum ∑ prod ∏ bigcup ⋃ bigcap ⋂");
const NAMES = new Set("sin cos tan cot sinh cosh tanh arcsin arccos arctan log ln lg exp lim max min sup inf det dim ker gcd deg arg Pr".split(" "));
const OVER = table("hat ^ bar ¯ overline ¯ vec → tilde ~ dot ˙ ddot ¨");
const SETS = table("C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ");
const STYLES = new Set(["text", "mathrm", "textrm", "operatorname", "textbf", "mathit", "mathsf"]);
const SPACES = new Set([",", ";", ":", "!", " ", "quad", "qquad", "displaystyle", "textstyle", "limits", "nolimits", "left", "right", "big", "Big", "bigg", "Bigg"]);

/** @param {string} words @returns {Map<string, string>} */
function table(words) {
  const all = words.split(" ");
  return new Map(all.flatMap((name, place) => (place % 2 ? [] : [[name, all[place + 1]]])));
}

class Unknown extends Error {}

/** @param {string} tex @param {boolean} display on lines of its own @returns {Element | null} null: something in it is not known, or it is too long or too deep */
export function formula(tex, display) {
  if (tex.length > LONGEST) return null;
  try {
    const parser = new Parser(tex, display);
    const body = parser.row(null);
    return make("math", display ? { display: "block", alttext: tex } : { alttext: tex }, body);
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}

class Parser {
  /** @param {string} tex @param {boolean} display */
  constructor(tex, display) {
    this.tex = tex;
    this.display = display;
    this.found = [...tex.matchAll(TOKEN)];
    this.next = 0;
    this.depth = 0;
  }

  get token() {
    return this.found[this.next]?.[0] ?? null;
  }

  /** @param {string | null} end the token that ends it; null: the end of the formula @returns {Element[]} */
  row(end) {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new Unknown();
    const parts = [];
    while (this.token !== end) {
      if (this.token === null) throw new Unknown();
      const part = this.scripted();
      if (part) parts.push(part);
    }
    this.next += 1;
    this.depth -= 1;
    return parts;
  }

  /** What stands next, with what is above and below it. */
  scripted() {
    const limits = this.display && (SUMS.has(this.token?.slice(1) ?? "") || this.token === "\\lim");
    const base = this.atom();
    const scripts = /** @type {Record<string, Element>} */ ({});
    while (this.token === "^" || this.token === "_" || this.token === "'") {
      const sign = this.token;
      this.next += 1;
      const place = sign === "'" ? "^" : sign;
      if (scripts[place]) throw new Unknown();
      scripts[place] = sign === "'" ? make("mo", {}, "′") : this.argument();
    }
    const { _: below, "^": above } = scripts;
    if (!below && !above) return base;
    const [both, under, over] = limits ? ["munderover", "munder", "mover"] : ["msubsup", "msub", "msup"];
    const parts = [base ?? make("mrow"), below, above].filter(Boolean);
    return make(below && above ? both : below ? under : over, {}, parts);
  }

  /** One symbol, group or command; null if nothing of it is seen. @returns {Element | null} */
  atom() {
    const token = this.token;
    if (token === null || "}^_&~".includes(token)) throw new Unknown();
    this.next += 1;
    if (token === "{") return make("mrow", {}, this.row("}"));
    if (token[0] === "\\") return this.command(token.slice(1));
    if (/^\d/.test(token)) return make("mn", {}, token);
    return make(/\p{L}/u.test(token) ? "mi" : "mo", {}, token === "-" ? "−" : token);
  }

  /** @param {string} name @returns {Element | null} */
  command(name) {
    if (this.token === "." && (name === "left" || name === "right")) this.next += 1; // no bracket on this side
    if (SPACES.has(name)) return name.includes("quad") ? make("mspace", { width: "1em" }) : null;
    if (LETTERS.has(name)) return make("mi", {}, LETTERS.get(name));
    if (SIGNS.has(name)) return make("mo", {}, SIGNS.get(name));
    if (SUMS.has(name)) return make("mo", {}, SUMS.get(name));
    if (NAMES.has(name)) return make("mi", {}, name);
    if (OVER.has(name)) return make("mover", { accent: "true" }, [this.argument(), make("mo", {}, OVER.get(name))]);
    if (STYLES.has(name)) return make("mtext", {}, this.verbatim());
    if (["frac", "dfrac", "tfrac"].includes(name)) return make("mfrac", {}, [this.argument(), this.argument()]);
    if (name === "mathbb") return this.set();
    if (name !== "sqrt") throw new Unknown();
    if (this.token !== "[") return make("msqrt", {}, this.argument());
    this.next += 1;
    const degree = make("mrow", {}, this.row("]"));
    return make("mroot", {}, [this.argument(), degree]);
  }

  /** A group, or one symbol. @returns {Element} */
  argument() {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new Unknown();
    let symbol = this.atom();
    while (symbol === null) symbol = this.atom();
    this.depth -= 1;
    return symbol;
  }

  /** A letter that names a set of numbers. */
  set() {
    const sign = SETS.get(this.verbatim());
    if (!sign) throw new Unknown();
    return make("mi", {}, sign);
  }

  /** The text between braces as it stands. */
  verbatim() {
    if (this.token !== "{") throw new Unknown();
    let end = this.next + 1;
    while (this.found[end] && this.found[end][0] !== "}") end += 1;
    if (end === this.found.length) throw new Unknown();
    const text = this.tex.slice(this.found[this.next].index + 1, this.found[end].index);
    if (/[\\{$]/.test(text)) throw new Unknown();
    this.next = end + 1;
    return text;
  }
}

/** @param {string} tag @param {Record<string, string>} [attributes] @param {any} [content] a text, an element or several @returns {Element} */
function make(tag, attributes = {}, content = []) {
  const element = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...[content].flat());
  return element;
}
