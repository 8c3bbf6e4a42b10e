// Writes the parts of a Markdown tree as blocks of plain text.
import { Parser } from 'htmlparser2';
import type { Nodes, RootContent } from 'mdast';
import { refusal } from '../refusal.ts';
import type { DocumentWriter } from '../text/document-writer.ts';

interface MarkdownPlace {
  /** The text the tree was made from. */
  readonly source: string;
  readonly depthMax: number;
  /** Of the nodes, in blocks and their text. */
  readonly depth?: number;
  readonly writer: DocumentWriter;
}

const LIST_INDENT = '  ';
/** The line under the header of a table. The parser knows CommonMark, which has no tables. */
const TABLE_RULE = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const CELL_BORDER = /(?<!\\)\|/;
/** Links that lead somewhere without the place the file came from. */
const SHOWN_LINK = /^(?:https?:\/\/|mailto:)/i;

export function writeMarkdownNodes(nodes: readonly RootContent[], place: MarkdownPlace): void {
  for (const node of nodes) writeNode(node, place);
}

function writeNode(node: RootContent, place: MarkdownPlace): void {
  const { writer } = place;
  if (node.type === 'heading') {
    writer.add({ kind: 'heading', level: node.depth, text: plain(node, place) });
  } else if (node.type === 'paragraph') {
    const source = sourceOf(node, place);
    if (isTable(source)) writer.add({ kind: 'table', text: tableText(source) });
    else writer.add({ kind: 'paragraph', text: plain(node, place) });
  } else if (node.type === 'list') writer.add({ kind: 'list', text: plain(node, place) });
  else if (node.type === 'code') writer.add({ kind: 'code', text: node.value });
  else if (node.type === 'html') writer.add({ kind: 'paragraph', text: visibleText(node.value) });
  else if (node.type === 'blockquote') writeMarkdownNodes(node.children, inside(place));
}

/** @throws DocumentRefusal `too-deep` */
function inside(place: MarkdownPlace): MarkdownPlace {
  const { depth = 0, depthMax } = place;
  if (depth >= depthMax) throw refusal('too-deep', { max: depthMax });
  return { ...place, depth: depth + 1 };
}

function sourceOf(node: RootContent, { source }: MarkdownPlace): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

function isTable(source: string): boolean {
  const [header = '', rule = ''] = source.split('\n', 2);
  return header.includes('|') && TABLE_RULE.test(rule);
}

/** Rows with single blanks, without the rule under the header. */
function tableText(source: string): string {
  const [header = '', , ...rows] = source.split('\n');
  return [header, ...rows].map(rowText).join('\n');
}

function rowText(row: string): string {
  const cells = row.split(CELL_BORDER).map((cell) => cell.trim());
  if (cells[0] === '') cells.shift();
  if (cells.at(-1) === '') cells.pop();
  return cells.join(' | ');
}

/** The text of a part of the tree as its reader sees it; links keep where they lead. */
function plain(node: Nodes, place: MarkdownPlace): string {
  if (node.type === 'list') return listText(node, place);
  if (node.type === 'break') return '\n';
  if (node.type === 'html') return visibleText(node.value);
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
  // Line ends that are no breaks are blanks.
  if (node.type === 'text') return node.value.replaceAll('\n', ' ');
  if ('value' in node) return node.value;
  if (!('children' in node)) return '';
  const between = node.type === 'listItem' || node.type === 'blockquote' ? '\n' : '';
  const within = inside(place);
  const text = node.children.map((child) => plain(child, within)).join(between);
  if (node.type !== 'link' || !SHOWN_LINK.test(node.url) || bare(node.url) === bare(text)) return text;
  return `${text} (${node.url})`;
}

function bare(link: string): string {
  return link.replace(SHOWN_LINK, '');
}

function listText(list: Extract<Nodes, { type: 'list' }>, place: MarkdownPlace): string {
  const first = list.start ?? 1;
  const within = inside(place);
  return list.children
    .map((item, at) => {
      const mark = list.ordered === true ? `${first + at}.` : '-';
      return `${mark} ${plain(item, within).replaceAll('\n', `\n${LIST_INDENT}`)}`;
    })
    .join('\n');
}

/** HTML inside of Markdown, without its tags. */
function visibleText(html: string): string {
  const parts: string[] = [];
  const parser = new Parser({ ontext: (part) => parts.push(part) }, { decodeEntities: true });
  parser.end(html);
  return parts.join('');
}
