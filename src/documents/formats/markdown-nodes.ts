// Writes the nodes of a Markdown tree as blocks of plain text.
import type { Nodes, RootContent } from 'mdast';
import { refusal } from '../refusal.ts';
import type { DocumentWriter } from '../text/document-writer.ts';
import { visibleNodes, visibleText } from './markdown-html.ts';

interface MarkdownContext {
  /** The text from which the tree was parsed. */
  readonly source: string;
  readonly depthMax: number;
  /** Nesting depth of the nodes. */
  readonly depth?: number;
  readonly writer: DocumentWriter;
}

const LIST_INDENT = '  ';
/** The line below the header of a table. Tables are not part of CommonMark, so the parser does not know them. */
const TABLE_RULE = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const CELL_BORDER = /(?<!\\)\|/;
/** Absolute links, which work outside of the original location of the file. */
const SHOWN_LINK = /^(?:https?:\/\/|mailto:)/i;

export function writeMarkdownNodes(nodes: readonly RootContent[], context: MarkdownContext): void {
  for (const node of visibleNodes(nodes)) writeNode(node, context);
}

function writeNode(node: RootContent, context: MarkdownContext): void {
  const { writer } = context;
  if (node.type === 'heading') {
    writer.add({ kind: 'heading', level: node.depth, text: plain(node, context) });
  } else if (node.type === 'paragraph') {
    const source = sourceOf(node, context);
    if (isTable(source)) writer.add({ kind: 'table', text: tableText(source) });
    else writer.add({ kind: 'paragraph', text: plain(node, context) });
  } else if (node.type === 'list') writer.add({ kind: 'list', text: plain(node, context) });
  else if (node.type === 'code') writer.add({ kind: 'code', text: node.value });
  else if (node.type === 'html') writer.add({ kind: 'paragraph', text: visibleText(node.value) });
  else if (node.type === 'blockquote') writeMarkdownNodes(node.children, inside(context));
}

/** @throws DocumentRefusal `too-deep` */
function inside(context: MarkdownContext): MarkdownContext {
  const { depth = 0, depthMax } = context;
  if (depth >= depthMax) throw refusal('too-deep', { max: depthMax });
  return { ...context, depth: depth + 1 };
}

function sourceOf(node: RootContent, { source }: MarkdownContext): string {
  return source.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
}

function isTable(source: string): boolean {
  const [header = '', rule = ''] = source.split('\n', 2);
  return header.includes('|') && TABLE_RULE.test(rule);
}

/** Normalizes the spaces of rows, and drops the line below the header. */
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

/** The text of a node as a reader sees it; links keep their targets. */
function plain(node: Nodes, context: MarkdownContext): string {
  if (node.type === 'list') return listText(node, context);
  if (node.type === 'break') return '\n';
  if (node.type === 'html') return visibleText(node.value);
  if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
  // Soft line breaks count as spaces.
  if (node.type === 'text') return node.value.replaceAll('\n', ' ');
  if ('value' in node) return node.value;
  if (!('children' in node)) return '';
  const between = node.type === 'listItem' || node.type === 'blockquote' ? '\n' : '';
  const within = inside(context);
  const text = visibleNodes<Nodes>(node.children)
    .map((child) => plain(child, within))
    .join(between);
  if (node.type !== 'link' || !SHOWN_LINK.test(node.url) || bare(node.url) === bare(text)) return text;
  return `${text} (${node.url})`;
}

function bare(link: string): string {
  return link.replace(SHOWN_LINK, '');
}

function listText(list: Extract<Nodes, { type: 'list' }>, context: MarkdownContext): string {
  const first = list.start ?? 1;
  const within = inside(context);
  return list.children
    .map((item, at) => {
      const mark = list.ordered === true ? `${first + at}.` : '-';
      return `${mark} ${plain(item, within).replaceAll('\n', `\n${LIST_INDENT}`)}`;
    })
    .join('\n');
}
