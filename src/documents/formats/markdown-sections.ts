// Splits long Markdown into sections, because the parser keeps the tree of its whole input in memory.

/** A section ends at the first possible position after this many characters. */
const SECTION_CHARACTERS_MIN = 64 * 1024;
/** A heading, or a letter at the margin after a blank line, closes every open block except fenced code. */
const HEADING = /^#{1,6}[ \t]/;
const MARGIN_TEXT = /^\p{L}/u;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Yields the sections of a text; joined, they are the text. */
export function* splitMarkdown(text: string): Generator<string> {
  let fence: string | undefined;
  let start = 0;
  let at = 0;
  let afterBlank = false;
  while (at < text.length) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    const line = text.slice(at, next);
    const begins = HEADING.test(line) || (afterBlank && MARGIN_TEXT.test(line));
    if (fence === undefined && at - start >= SECTION_CHARACTERS_MIN && begins) {
      yield text.slice(start, at);
      start = at;
    }
    fence = fenceAfter(fence, line);
    afterBlank = line.trim() === '';
    at = next;
  }
  yield text.slice(start);
}

/** A fence is closed by a fence of the same character that is at least as long, with nothing after it. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const found = FENCE.exec(line)?.[1];
  if (found === undefined) return open;
  if (open === undefined) return found;
  const closes = found.startsWith(open) && line.trim() === found;
  return closes ? undefined : open;
}
