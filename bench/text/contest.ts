// Compares full-text search with tantivy and Lucene on real texts, by turns, each on one core (npm run bench:text).
import '../../src/boot/runtime-flags.ts';
import { parseArgs } from 'node:util';
import { machine } from '../support/figures.ts';
import { Contender } from './contender.ts';
import { type CorpusName, takeTexts } from './corpus/corpus.ts';
import { PROGRAMS } from './engines/programs.ts';
import { KINDS, queriesOf } from './queries.ts';
import { ASKED, agreement, race, rowsText } from './race.ts';

const RECORDS: Readonly<Record<CorpusName, number>> = { short: 500_000, long: 50_000 };

const { values } = parseArgs({
  options: {
    texts: { type: 'string', default: 'short,long' },
    records: { type: 'string' },
    engines: { type: 'string', default: 'pinyon,tantivy,lucene' },
    kinds: { type: 'string' },
    asked: { type: 'string' },
    queries: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '9' },
    reuse: { type: 'boolean', default: false },
    'reuse-ours': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  process.stdout.write(`Compares full-text search with tantivy and Lucene.

  --texts=short,long       which corpora: paragraphs, whole pages
  --records=N              texts of a corpus (short: ${RECORDS.short}, long: ${RECORDS.long})
  --engines=a,b            of pinyon, tantivy, lucene
  --kinds="any of 2,..."   of ${Object.keys(KINDS).join(', ')}
  --asked="top 10,..."     of ${Object.keys(ASKED).join(', ')}
  --queries=N              queries of each kind
  --rounds=N               times that each engine answers them
  --reuse, --reuse-ours    indexes of earlier runs, of peers and of ours

Downloads Debian packages of documentation the first time (apt-get). tantivy needs Python 3, Lucene Maven and Java 21.
`);
  process.exit(0);
}

process.stdout.write(`${machine()}\n`);
for (const corpus of values.texts.split(',')) {
  if (corpus !== 'short' && corpus !== 'long') throw new Error(`no such texts: ${corpus}`);
  await contest(corpus);
}

async function contest(corpus: CorpusName): Promise<void> {
  const { path, texts } = await takeTexts(corpus, Number(values.records ?? RECORDS[corpus]));
  const contenders: Contender[] = [];
  try {
    for (const name of values.engines.split(',')) {
      const program = PROGRAMS[name];
      if (program === undefined) throw new Error(`no such engine: ${name}`);
      const isReused = name === 'pinyon' ? values['reuse-ours'] : values.reuse;
      const contender = new Contender(await program(), { corpus, path, texts: texts.length });
      contenders.push(contender);
      await contender.build(isReused);
    }
    for (const contender of contenders) await contender.open();
    process.stdout.write(`\n### ${corpus}: ${texts.length} texts\n\n${costs(contenders, texts.length)}\n`);
    const kinds = chosen(KINDS, values.kinds).map((kind) => ({
      kind,
      queries: queriesOf(kind, texts, Number(values.queries)),
    }));
    const asked = chosen(ASKED, values.asked);
    const rows = await race(contenders, { kinds, asked, rounds: Number(values.rounds) });
    process.stdout.write(`\n${rowsText(rows)}\n\n${await agreement(contenders, kinds)}\n`);
  } finally {
    for (const contender of contenders) await contender.close();
  }
}

/** The keys that are named, in their order; default all. */
function chosen<Name extends string>(
  all: Readonly<Record<Name, unknown>>,
  named: string | undefined,
): readonly Name[] {
  const wanted = named?.split(',');
  return (Object.keys(all) as Name[]).filter((name) => wanted === undefined || wanted.includes(name));
}

function costs(contenders: readonly Contender[], texts: number): string {
  const rows = contenders.map(({ name, built, opened, memory }) => {
    const rate = Math.round(texts / built.seconds);
    const disk = Math.round(built.diskBytes / texts);
    const held = opened.heldBytes === null ? '-' : String(Math.round(opened.heldBytes / texts));
    const process = (memory.held / 2 ** 20).toFixed(0);
    return `| ${name} | ${rate} | ${disk} | ${held} | ${process} | ${opened.seconds.toFixed(2)} |`;
  });
  const head = '| engine | texts/s, one core | disk B a text | held B a text | process MiB | opened s |';
  return [head, '|---|---|---|---|---|---|', ...rows].join('\n');
}
