// The HTML in Markdown, whose parser divides it from the text between its tags.
import { Parser } from 'htmlparser2';
import type { Nodes } from 'mdast';
import { isSilent } from './html-elements.ts';

const TAG = /<(\/?)([a-z][a-z0-9-]*)/gi;

/** Removes the tags of HTML within Markdown, and what a reader does not see. */
export function visibleText(html: string): string {
  return readHtml(html).text;
}

/**
 * The nodes that a reader sees: those within a hidden element are left out, if its end is among the nodes. One that is
 * never closed is rather named than meant, and hides nothing.
 */
export function visibleNodes<Node extends Nodes>(nodes: readonly Node[]): readonly Node[] {
  if (!nodes.some(({ type }) => type === 'html')) return nodes;
  const ends = endsOf(nodes);
  const shown: Node[] = [];
  let from = 0;
  for (const [at, node] of nodes.entries()) {
    if (at < from) continue;
    shown.push(node);
    const hidden = node.type === 'html' ? readHtml(node.value).hidden : undefined;
    from = ends.get(`${at} ${hidden}`) ?? from;
  }
  return shown;
}

/** For the position and name of each element that another node closes, the position of that node. */
function endsOf(nodes: readonly Nodes[]): ReadonlyMap<string, number> {
  const ends = new Map<string, number>();
  const open = new Map<string, number[]>();
  for (const [at, node] of nodes.entries()) {
    if (node.type !== 'html') continue;
    for (const [, slash, tag = ''] of node.value.matchAll(TAG)) {
      const name = tag.toLowerCase();
      const begun = open.getOrInsertComputed(name, () => []);
      if (slash === '') begun.push(at);
      else {
        const begin = begun.pop() ?? at;
        if (begin < at) ends.set(`${begin} ${name}`, at);
      }
    }
  }
  return ends;
}

interface ReadHtml {
  readonly text: string;
  /** The outermost hidden element that is still open at the end. */
  readonly hidden: string | undefined;
}

function readHtml(html: string): ReadHtml {
  const parts: string[] = [];
  let depth = 0;
  let hidden: { readonly name: string; readonly depth: number } | undefined;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth++;
        if (hidden === undefined && isSilent(name, attributes)) hidden = { name, depth };
      },
      ontext: (part) => {
        if (hidden === undefined) parts.push(part);
      },
      onclosetag: () => {
        if (hidden?.depth === depth) hidden = undefined;
        depth--;
      },
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.write(html);
  // The end closes all elements.
  const name = hidden?.name;
  parser.end();
  return { text: parts.join(''), hidden: name };
}
