// The three test sets: queries, the passages they search, and which passage answers each.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readManualPage } from './manual-pages.ts';

export interface RetrievalSet {
  readonly name: string;
  readonly passages: readonly string[];
  /** `answer` is a position in `passages`. */
  readonly queries: readonly { readonly text: string; readonly answer: number }[];
}

export interface Pair {
  readonly query: string;
  readonly passage: string;
}

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const BODY_LENGTH_MAX = 900;
const SECTION_LENGTH_MAX = 900;
const SECTION_LENGTH_MIN = 80;
const SUMMARY_WORDS_MIN = 3;
/** Queries taken from the manual pages, evenly; fewer are done sooner, and say less. */
const MANUAL_QUERIES = Number(process.env.BENCH_QUERIES ?? 2_000);

/** Everyday questions and passages that answer them in other words. */
export function paraphrases(): RetrievalSet {
  const pairs = JSON.parse(readFileSync(join(HERE, 'paraphrases.json'), 'utf8')) as readonly Pair[];
  return setOf('paraphrases', pairs);
}

/** Headings of the project's own documentation, and the sections below them. */
export function documentation(): RetrievalSet {
  const files = [...globSync('docs/**/*.md', { cwd: ROOT }), 'README.md', 'CONTRIBUTING.md'].sort();
  const sections = files.flatMap((file) => sectionsOf(readFileSync(join(ROOT, file), 'utf8')));
  return setOf('documentation', unambiguous(sections));
}

/** Manual pages below a folder (see fetch-manual-pages.ts); null when it is not there. */
export function manualPages(folder: string): RetrievalSet | null {
  if (!existsSync(folder)) return null;
  const files = globSync('usr/share/man/man[1-8]/*.gz', { cwd: folder }).sort();
  const pages = files.flatMap((file) => readManualPage(readFileSync(join(folder, file))) ?? []);
  const pairs = pages
    .filter(
      ({ summary, body }) =>
        summary.split(' ').length >= SUMMARY_WORDS_MIN && body.length >= SECTION_LENGTH_MIN,
    )
    .map(({ summary, body }) => ({ query: summary, passage: body.slice(0, BODY_LENGTH_MAX) }));
  return sampled(setOf('manual pages', unambiguous(pairs)));
}

/** `text` without its heading; headings of any level. */
function sectionsOf(markdown: string): readonly Pair[] {
  return markdown
    .split(/^(?=#{1,6} )/m)
    .filter((section) => section.startsWith('#'))
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const query = heading.replace(/^#+ (\d+ )?/, '').trim();
      return { query, passage: lines.join('\n').trim().slice(0, SECTION_LENGTH_MAX) };
    })
    .filter(({ passage }) => passage.length >= SECTION_LENGTH_MIN);
}

/** Pairs whose query and passage occur once. */
export function unambiguous(pairs: readonly Pair[]): readonly Pair[] {
  const count = (texts: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
    return counts;
  };
  const queries = count(pairs.map(({ query }) => query));
  const passages = count(pairs.map(({ passage }) => passage));
  return pairs.filter(({ query, passage }) => queries.get(query) === 1 && passages.get(passage) === 1);
}

/** The same passages, fewer queries. */
function sampled(set: RetrievalSet): RetrievalSet {
  const every = Math.max(1, Math.floor(set.queries.length / MANUAL_QUERIES));
  return { ...set, queries: set.queries.filter((_, i) => i % every === 0) };
}

export function setOf(name: string, pairs: readonly Pair[]): RetrievalSet {
  return {
    name,
    passages: pairs.map(({ passage }) => passage),
    queries: pairs.map(({ query }, answer) => ({ text: query, answer })),
  };
}
