/** Two texts -> what they share and where they differ, line by line. Pure. */

const MOST = 4_000_000;
/** Pairs of lines that are compared; texts with more differ in one piece. */

/** Lines that both have, or at one place those of either. @typedef {{same: string[]} | {mine: string[], theirs: string[]}} Piece */

/** @param {string} mine @param {string} theirs @returns {Piece[]} */
export function pieces(mine, theirs) {
  const left = mine.split("\n");
  const right = theirs.split("\n");
  let head = 0;
  while (head < Math.min(left.length, right.length) && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(left.length, right.length) - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail += 1;
  const found = /** @type {Piece[]} */ ([]);
  if (head) found.push({ same: left.slice(0, head) });
  found.push(...between(left.slice(head, left.length - tail), right.slice(head, right.length - tail)));
  if (tail) found.push({ same: left.slice(left.length - tail) });
  return found;
}

/** Along the longest common sequence of lines. @param {string[]} left @param {string[]} right @returns {Piece[]} */
function between(left, right) {
  if (!left.length && !right.length) return [];
  if (!left.length || !right.length || left.length * right.length > MOST) return [{ mine: left, theirs: right }];
  const width = right.length + 1;
  const longest = new Uint32Array((left.length + 1) * width); // of what begins at a pair of lines
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      longest[at] = left[row] === right[column] ? longest[at + width + 1] + 1 : Math.max(longest[at + width], longest[at + 1]);
    }
  }
  const found = /** @type {Piece[]} */ ([]);
  let row = 0;
  let column = 0;
  while (row < left.length || column < right.length) {
    const at = row * width + column;
    if (row < left.length && column < right.length && left[row] === right[column]) {
      shared(found).push(left[row]);
      row += 1;
      column += 1;
    } else if (column === right.length || (row < left.length && longest[at + width] >= longest[at + 1])) {
      differing(found).mine.push(left[row]);
      row += 1;
    } else {
      differing(found).theirs.push(right[column]);
      column += 1;
    }
  }
  return found;
}

/** The lines of the last piece if both have them, else of a new one. @param {Piece[]} found @returns {string[]} */
function shared(found) {
  const last = found.at(-1);
  if (last && "same" in last) return last.same;
  const piece = { same: /** @type {string[]} */ ([]) };
  found.push(piece);
  return piece.same;
}

/** @param {Piece[]} found @returns {{mine: string[], theirs: string[]}} */
function differing(found) {
  const last = found.at(-1);
  if (last && "mine" in last) return last;
  const piece = { mine: /** @type {string[]} */ ([]), theirs: /** @type {string[]} */ ([]) };
  found.push(piece);
  return piece;
}
