// Parses plain text, in which blank lines separate paragraphs.
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { cleanText, joinDividedWords } from '../text/clean-text.ts';
import { decodeText } from '../text/decode-text.ts';
import { DocumentWriter } from '../text/document-writer.ts';

const BLANK_LINE = /^[^\S\n]*$/;
const LIST_ITEM = /^\s*(?:[-*•]|\d{1,3}[.)])\s+\S/;

export function parseText(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const writer = new DocumentWriter(limits);
  for (const paragraph of paragraphs(cleanText(decodeText(bytes)))) {
    const kind = LIST_ITEM.test(paragraph) ? 'list' : 'paragraph';
    writer.add({ kind, text: joinDividedWords(paragraph) });
  }
  return writer.finish('text');
}

function* paragraphs(text: string): Generator<string> {
  let lines: string[] = [];
  for (const line of text.split('\n')) {
    if (!BLANK_LINE.test(line)) lines.push(line.trimEnd());
    else if (lines.length > 0) {
      yield lines.join('\n');
      lines = [];
    }
  }
  if (lines.length > 0) yield lines.join('\n');
}
