// Ring 3: `pinyon assistant evaluate` measures retrieval, citations and answers of a real assistant, and compares two.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { type Commands, commandsWith } from './support/commands.ts';
import { pdfOf } from './support/documents.ts';
import { runCli } from './support/run-cli.ts';
import { API_KEY, type Service, startService } from './support/service.ts';

const QUESTIONS = [
  { question: 'How do I change the filter of the pump?', answer: 'Open the lid.', file: 'pump.md' },
  { question: 'How many locks does the canal have?', answer: 9, file: 'canal.pdf', page: 2 },
  { question: 'How many locks does the canal have?', answer: '9 locks.', file: 'canal.pdf', page: 7 },
  { question: 'Who painted the lighthouse?', answer: 'Ada Holm painted it.' },
];

interface Result {
  readonly results: readonly {
    readonly configuration: object;
    readonly summary: Readonly<Record<string, number | null>>;
  }[];
  readonly difference?: Readonly<Record<string, number | null>>;
}

describe('evaluations of assistants', () => {
  const folder = mkdtempSync(`${tmpdir()}/pinyon-evaluate-`);
  const questions = `${folder}/questions.jsonl`;
  const evaluate = ['assistant', 'evaluate', 'helper', '--questions', questions];
  let service: Service;
  let environment: Readonly<Record<string, string>>;
  let run: Commands['run'];
  let json: Commands['json'];
  before(async () => {
    service = await startService();
    environment = { PINYON_URL: service.url, PINYON_API_KEY: API_KEY };
    ({ run, json } = commandsWith(environment));
    writeFileSync(`${folder}/pump.md`, '# Filter\n\nOpen the lid to change the filter of the pump.\n');
    writeFileSync(
      `${folder}/canal.pdf`,
      await pdfOf('The canal opened in 1832.', 'The canal has 9 locks of granite.'),
    );
    writeFileSync(questions, QUESTIONS.map((each) => `${JSON.stringify(each)}\n`).join(''));
    await run(['assistant', 'create', 'helper']);
    await run(['assistant', 'upload', 'helper', `${folder}/pump.md`, `${folder}/canal.pdf`]);
    await run(['assistant', 'create', 'empty']);
  });
  after(async () => {
    await service.dispose();
    rmSync(folder, { recursive: true });
  });

  it('measures recall by file and page, citations, alignment, tokens and time', async () => {
    const { results, difference } = await json<Result>(evaluate);
    const { summary, configuration } = results[0] ?? assert.fail('no result');
    assert.deepEqual(configuration, { assistant: 'helper' });
    assert.deepEqual([difference, results.length], [undefined, 1]);
    assert.deepEqual([summary.questions, summary.failed, summary.with_file], [4, 0, 3]);
    // The file has no page 7.
    assert.equal(summary.recall, 0.667);
    const between = (name: string, least: number, most: number) => {
      const value = summary[name] ?? -1;
      assert.ok(value >= least && value <= most, `${name}: ${value}`);
    };
    between('reciprocal_rank', 0.3, 0.667);
    between('citation_precision', 0.3, 0.999);
    between('alignment', 0.3, 0.95);
    between('prompt_tokens', 1, 10_000);
    between('completion_tokens', 1, 1_000);
    between('seconds', 0, 100);
  });

  it('prints means and the worst questions, and writes every question and the summary into a file', async () => {
    const output = `${folder}/result.jsonl`;
    const { out, err } = await run([...evaluate, '--output', output, '--worst', '2']);
    assert.match(err, /^Evaluate: .*100\.0 %, 4 questions/m);
    assert.match(out, /^questions\t4$/m);
    assert.match(out, /^retrieval recall\t0\.667$/m);
    const [, worst = ''] = out.split('\n\n');
    assert.equal(worst.trimEnd().split('\n').length, 2);
    assert.match(worst, /^4\t0[\d.]*\t\tWho painted the lighthouse\?\t/m);
    const lines = readFileSync(output, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ type }) => type),
      ['question', 'question', 'question', 'question', 'summary'],
    );
    const pump = lines.find(({ number }) => number === 1);
    assert.deepEqual(
      [pump.configuration, pump.truth, pump.recall, pump.rank, pump.citation_precision],
      [{ assistant: 'helper' }, 'Open the lid.', 1, 1, 1],
    );
    assert.match(pump.answer, /Open the lid/);
    assert.equal(lines.at(-1).results[0].summary.recall, 0.667);
  });

  it('compares two assistants and two configurations, with the differences', async () => {
    const { results, difference } = await json<Result>([...evaluate, '--against', 'empty']);
    assert.deepEqual(
      results.map(({ summary }) => summary.recall),
      [0.667, 0],
    );
    assert.equal(difference?.recall, -0.667);
    const narrow = [...evaluate, '--top-k', '8', '--compare', 'top-k=1', '--compare', 'snippet-size=512'];
    const compared = await json<Result>(narrow);
    assert.deepEqual(
      compared.results.map(({ configuration }) => configuration),
      [
        { assistant: 'helper', top_k: 8 },
        { assistant: 'helper', top_k: 1, snippet_size: 512 },
      ],
    );
    const { out } = await run([...evaluate, '--against', 'empty']);
    assert.match(out, /^retrieval recall\t0\.667\t0\t-0\.667$/m);
    assert.match(out, /^1\t[\d.]+\t[\d.]+\t-[\d.]+\tHow do I change/m);
  });

  it('reads CSV and JSON lists, and warns of files that the assistant does not have', async () => {
    const csv = `${folder}/questions.csv`;
    writeFileSync(
      csv,
      'question,answer,file,page\nHow many locks has the canal?,9,canal.pdf,2\nWho?,Ada,absent.pdf,\n',
    );
    const { out, err } = await run(['assistant', 'evaluate', 'helper', '--questions', csv]);
    assert.match(err, /^Assistant helper has no file absent\.pdf\.$/m);
    assert.match(out, /^retrieval recall\t0\.5$/m);
    const list = `${folder}/questions.json`;
    writeFileSync(list, JSON.stringify(QUESTIONS.slice(3)));
    const { results } = await json<Result>(['assistant', 'evaluate', 'helper', '--questions', list]);
    assert.deepEqual([results[0]?.summary.recall, results[0]?.summary.citation_precision], [null, null]);
  });

  it('refuses rows and options that are wrong before it asks anything, and ends with 1 when questions failed', async () => {
    const ended = async (words: readonly string[], text?: string) => {
      const path = text === undefined ? questions : `${folder}/wrong.jsonl`;
      if (text !== undefined) writeFileSync(path, text);
      const result = await runCli(['assistant', 'evaluate', ...words, '--questions', path], environment);
      return [result.code, result.err.trimEnd().split('\n').at(-1)];
    };
    assert.match(String(await ended(['helper'], '{"question": "Who?"}')), /^1,Row 1 of .* has no answer\.$/);
    const page = '{"question": "Who?", "answer": "Ada", "file": "a.md", "page": 0}';
    assert.match(String(await ended(['helper'], page)), /^1,.* invalid page: expected a whole number/);
    assert.match(String(await ended(['helper'], '\n')), /^1,.* has no questions\.$/);
    assert.match(String(await ended(['absent'])), /^1,.*absent/);
    assert.match(
      String(await ended(['helper', '--compare', 'depth=1'])),
      /^2,--compare changes one of model/,
    );
    assert.match(String(await ended(['helper', '--output', `${folder}/no/file`])), /^1,.*cannot be written/);
    assert.match(String(await ended(['helper', '--model', 'gpt-1'])), /^1,4 questions failed: .*model/i);
  });
});
