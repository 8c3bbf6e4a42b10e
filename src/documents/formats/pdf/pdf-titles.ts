// Finds section titles of the size of the text: lines that stand alone in a font that little text has.
import type { PdfLine } from './pdf-lines.ts';

const CHARACTERS_MAX = 90;
/** Of all text: a font with more is no font of titles. */
const FONT_SHARE_MAX = 0.2;
/** A smaller line is a caption or a note, in font sizes of the text. */
const SIZE_RATIO_MIN = 0.95;
/** A paragraph goes on in a line that is closer than this to the one before, in font sizes. */
const CLOSE_RATIO_MAX = 1.35;
const TITLE = /^(?:\d{1,2}(?:\.\d{1,2}){0,4}\.?\s+|[§\p{Lu}\p{Lo}])/u;
const NUMBERED = /^(\d{1,2}(?:\.\d{1,2})*)\.?\s/;
/** A table of contents repeats titles. */
const CONTENTS = /(?:\. ?){4}/;
const TEXT_END = /[.,;:]$/u;

/** @returns for each title its depth below titles in larger letters: 1, or that of its number (`2.1 Pumps`: 2) */
export function titlesOf(
  lines: readonly PdfLine[],
  { bodySize, isLarge }: { readonly bodySize: number; readonly isLarge: (size: number) => boolean },
): ReadonlyMap<PdfLine, number> {
  const letters = new Map<string, number>();
  let all = 0;
  for (const { font = '', text } of lines) {
    letters.set(font, (letters.get(font) ?? 0) + text.length);
    all += text.length;
  }
  const [bodyFont] = [...letters].reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0]);
  const isRare = (font: string): boolean =>
    font !== bodyFont && (letters.get(font) ?? 0) <= all * FONT_SHARE_MAX;
  const titles = new Map<PdfLine, number>();
  for (const [at, line] of lines.entries()) {
    const { font, size, text, cells } = line;
    if (
      font === undefined ||
      cells !== undefined ||
      !isRare(font) ||
      isLarge(size) ||
      size < bodySize * SIZE_RATIO_MIN
    )
      continue;
    if (text.length > CHARACTERS_MAX || !TITLE.test(text) || TEXT_END.test(text) || !/\p{L}{2}/u.test(text))
      continue;
    const next = lines[at + 1];
    // It stands above text, on its page, and not in the middle of a paragraph.
    if (next === undefined || next.page !== line.page || next.y >= line.y || next.font === font) continue;
    if (goesOn(lines[at - 1], line) || CONTENTS.test(next.text)) continue;
    titles.set(line, NUMBERED.exec(text)?.[1]?.split('.').length ?? 1);
  }
  return titles;
}

function goesOn(before: PdfLine | undefined, line: PdfLine): boolean {
  if (before?.page !== line.page) return false;
  const gap = before.y - line.y;
  return gap > 0 && gap < line.size * CLOSE_RATIO_MAX;
}
