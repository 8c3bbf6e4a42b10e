// Finds the text on a page that describes a picture: its caption, else the nearest text.
import type { PdfLine } from '../formats/pdf/pdf-lines.ts';
import type { Box } from './painted-pictures.ts';
import { CAPTION_CHARACTERS_MAX } from './picture-model.ts';

/** How captions begin in several languages. */
const CAPTION =
  /^(?:fig(?:ure|ura)?|tab(?:le|elle|leau|la)?|abb(?:ildung)?|bild|chart|diagram(?:me|m)?|exhibit|foto|grafik|gráfico|illustration|image|map|photo(?:graph)?|picture|plate|scheme)\b\.?\s*(?:[a-z]?\d|[ivxl]+\b|:)/iu;
/** In points. A caption further away belongs to something else. */
const CAPTION_DISTANCE_MAX = 60;
const NEAR_DISTANCE_MAX = 40;
/** In points. Captions are more often below a picture than above it. */
const ABOVE_PENALTY = 12;
/** Between the baselines of one caption, in font sizes. */
const LEADING_RATIO_MAX = 1.6;

interface Candidate {
  readonly at: number;
  readonly distance: number;
}

/** Returns the caption of the picture in `box`; empty for a page without text. */
export function findCaption(lines: readonly PdfLine[], box: Box): string {
  const candidates = lines.flatMap((line, at): Candidate[] => {
    const distance = distanceOf(line, box);
    return distance === null ? [] : [{ at, distance }];
  });
  const captions = candidates.filter(({ at }) => CAPTION.test(lines[at]?.text ?? ''));
  const found = nearest(captions, CAPTION_DISTANCE_MAX) ?? nearest(candidates, NEAR_DISTANCE_MAX);
  return whole(lines, found?.at ?? 0);
}

/** In points; null for a line that is not above, below or in the picture. */
function distanceOf({ left, right, y, size }: PdfLine, box: Box): number | null {
  if (right < box.left || left > box.right) return null;
  if (y + size <= box.bottom) return box.bottom - (y + size);
  if (y >= box.top) return y - box.top + ABOVE_PENALTY;
  return 0;
}

function nearest(candidates: readonly Candidate[], distanceMax: number): Candidate | undefined {
  return candidates
    .filter(({ distance }) => distance <= distanceMax)
    .reduce<Candidate | undefined>(
      (best, each) => (best !== undefined && best.distance <= each.distance ? best : each),
      undefined,
    );
}

/** Joins a line with those that continue it, since captions may be wrapped. */
function whole(lines: readonly PdfLine[], first: number): string {
  let text = lines[first]?.text ?? '';
  for (let at = first + 1; at < lines.length && text.length < CAPTION_CHARACTERS_MAX; at++) {
    const [before, line] = [lines[at - 1], lines[at]];
    if (before === undefined || line === undefined || !goesOn(before, line)) break;
    text += ` ${line.text}`;
  }
  return text.length <= CAPTION_CHARACTERS_MAX
    ? text
    : `${text.slice(0, CAPTION_CHARACTERS_MAX).toWellFormed()}…`;
}

function goesOn(before: PdfLine, line: PdfLine): boolean {
  const gap = before.y - line.y;
  return (
    line.size === before.size && gap >= 0 && gap <= line.size * LEADING_RATIO_MAX && !CAPTION.test(line.text)
  );
}
