// Cuts blocks into the units of chunks: sentences and lines, or pieces of those that are too long.
import type { Block, ParsedDocument } from '../document-model.ts';
import type { CountTokens } from '../text/count-tokens.ts';
import { type Span, sentencesOf, trimmed } from '../text/sentences.ts';

export interface Unit extends Span {
  readonly tokens: number;
}

/** More characters than a token usually has, so that the first attempt is too long rather than too short. */
const CHARACTERS_A_TOKEN = 5;
/** A piece may be this much shorter to end between words. */
const SHORTER_SHARE = 0.25;
/** After an attempt that was too long, the next is slightly shorter than proportional. */
const TRY_SHARE = 0.95;
/** Two code units may be one character, which is never split. */
const PIECE_CHARACTERS_MIN = 2;
const GRAPHEME_WINDOW_CHARACTERS = 64;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Yields the units of a block in order, each of at most `tokensMax` tokens. They cover all but white space. */
export function* unitsOf(
  { text }: ParsedDocument,
  block: Block,
  { tokensMax, count }: { readonly tokensMax: number; readonly count: CountTokens },
): Generator<Unit> {
  const prose = block.kind === 'paragraph' || block.kind === 'heading';
  for (const span of prose ? sentencesIn(text, block) : linesIn(text, block)) {
    const tokens = count(text.slice(span.start, span.end));
    if (tokens <= tokensMax) yield { ...span, tokens };
    else {
      const finer = prose ? [span] : sentencesIn(text, span);
      for (const part of finer) yield* pieces(text, part, { tokensMax, count });
    }
  }
}

function sentencesIn(text: string, { start, end }: Span): Span[] {
  return sentencesOf(text.slice(start, end)).map((span) => ({
    start: start + span.start,
    end: start + span.end,
  }));
}

function* linesIn(text: string, { start, end }: Span): Generator<Span> {
  for (let at = start; at < end; ) {
    const found = text.indexOf('\n', at);
    const lineEnd = found < 0 || found > end ? end : found;
    const line = trimmed(text, at, lineEnd);
    if (line.end > line.start) yield line;
    at = lineEnd + 1;
  }
}

/** Yields pieces of at most `tokensMax` tokens, cut between words where possible. */
function* pieces(
  text: string,
  { start, end }: Span,
  { tokensMax, count }: { readonly tokensMax: number; readonly count: CountTokens },
): Generator<Unit> {
  for (let at = start, to = start; at < end; at = to) {
    const longest = at + tokensMax * CHARACTERS_A_TOKEN;
    to = longest < end ? cutAt(text, at, longest) : end;
    let unit = unitAt(text, { start: at, end: to }, count);
    while (unit.tokens > tokensMax && to - at > PIECE_CHARACTERS_MIN) {
      const shorter = Math.floor((((to - at) * tokensMax) / unit.tokens) * TRY_SHARE);
      to = cutAt(text, at, at + Math.max(1, shorter));
      unit = unitAt(text, { start: at, end: to }, count);
    }
    if (unit.end > unit.start) yield unit;
  }
}

function unitAt(text: string, { start, end }: Span, count: CountTokens): Unit {
  const span = trimmed(text, start, end);
  return { ...span, tokens: count(text.slice(span.start, span.end)) };
}

/** The last position up to `to` that is between words, else between graphemes. Always after `from`. */
function cutAt(text: string, from: number, to: number): number {
  const least = to - Math.floor((to - from) * SHORTER_SHARE);
  for (let at = to; at > least; at--) if (/\s/.test(text[at] ?? '')) return at;
  const windowFrom = Math.max(from, to - GRAPHEME_WINDOW_CHARACTERS);
  const window = text.slice(windowFrom, to + GRAPHEME_WINDOW_CHARACTERS);
  const grapheme = graphemes.segment(window).containing(to - windowFrom);
  const border = windowFrom + (grapheme?.index ?? 0);
  if (border > from && border > windowFrom) return border;
  // One grapheme fills the whole range (endless combining marks): cut between code points.
  const inPair = /[\uDC00-\uDFFF]/.test(text[to] ?? '') && /[\uD800-\uDBFF]/.test(text[to - 1] ?? '');
  if (!inPair) return to;
  return to - 1 > from ? to - 1 : to + 1;
}
