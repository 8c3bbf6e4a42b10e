// Parses Markdown: headings, paragraphs, lists, tables and code, without the markup of emphasis.
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { ParsedDocument } from '../document-model.ts';
import type { ParseLimits } from '../limits.ts';
import { refusal } from '../refusal.ts';
import { cleanText } from '../text/clean-text.ts';
import { decodeText } from '../text/decode-text.ts';
import { DocumentWriter } from '../text/document-writer.ts';
import { writeMarkdownNodes } from './markdown-nodes.ts';
import { splitMarkdown } from './markdown-sections.ts';

const FRONT_MATTER = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;
/** A marker that opens a container at the start of a line: of a quote, a bullet or a numbered item. */
const CONTAINER = /[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))/y;

/** @throws DocumentRefusal `too-deep`, `too-large` or `empty` */
export function parseMarkdown(bytes: Uint8Array, limits: ParseLimits): ParsedDocument {
  const text = cleanText(decodeText(bytes));
  checkContainers(text, limits.depthMax);
  const writer = new DocumentWriter(limits);
  const front = FRONT_MATTER.exec(text);
  if (front !== null) writer.add({ kind: 'paragraph', text: front[1] ?? '' });
  for (const section of splitMarkdown(text.slice(front?.[0].length ?? 0))) {
    writeMarkdownNodes(fromMarkdown(section).children, {
      source: section,
      depthMax: limits.depthMax,
      writer,
    });
  }
  return writer.finish('markdown');
}

/** Runs before parsing, whose time is cubic in the number of containers that one line opens. */
function checkContainers(text: string, depthMax: number): void {
  for (let line = 0; line >= 0 && line < text.length; line = text.indexOf('\n', line) + 1 || -1) {
    CONTAINER.lastIndex = line;
    for (let depth = 0; CONTAINER.test(text); depth++) {
      if (depth === depthMax) throw refusal('too-deep', { max: depthMax });
    }
  }
}
