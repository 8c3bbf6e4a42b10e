// The texts of an HTML page: each paragraph, and all of them together.
import { Parser } from 'htmlparser2';

const BLOCKS: ReadonlySet<string> = new Set(
  'p li dd dt td th pre h1 h2 h3 h4 h5 h6 blockquote div section article summary body'.split(' '),
);
const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'nav', 'head', 'svg', 'button', 'form']);

/** Paragraphs, list items, cells and headings in their order, with white space collapsed; none is empty. */
export function blocksOf(html: string): readonly string[] {
  const blocks: string[] = [];
  let text = '';
  let unseen = 0;
  const endBlock = () => {
    const block = text.replace(/\s+/g, ' ').trim();
    if (block !== '') blocks.push(block);
    text = '';
  };
  const parser = new Parser({
    onopentagname: (name) => {
      if (UNSEEN.has(name)) unseen++;
      if (BLOCKS.has(name)) endBlock();
    },
    ontext: (data) => {
      if (unseen === 0) text += data;
    },
    onclosetag: (name) => {
      if (UNSEEN.has(name)) unseen--;
      if (BLOCKS.has(name)) endBlock();
    },
  });
  parser.end(html);
  endBlock();
  return blocks;
}
