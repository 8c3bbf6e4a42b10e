// Measures what the built-in encoders get done in a second of one core.
import { encodeDense, encodeSparse, relevance, warmUp } from '../../src/inference/builtin/encoders.ts';
import { percentile } from '../support/figures.ts';

const PASSAGE_WORDS = 100;
const PASSAGES = 2_000;
const RERANKED = 100;
const RUNS = 7;

/** Seconds of processor time, which neighbours on the machine disturb less than the clock; the median of some runs. */
function secondsOf(work: () => void): number {
  const runs = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  return percentile(runs, 0.5);
}

/** Passages of 100 words, all different, cut at many places from the texts. */
function passagesFrom(texts: readonly string[]): readonly string[] {
  const words = texts.join(' ').split(/\s+/);
  return Array.from({ length: PASSAGES }, (_, i) => {
    const from = (i * 37) % (words.length - PASSAGE_WORDS);
    return words.slice(from, from + PASSAGE_WORDS).join(' ');
  });
}

export function printSpeed(texts: readonly string[]): void {
  warmUp();
  const passages = passagesFrom(texts);
  const documents = passages.slice(0, RERANKED);
  const aSecond = (work: () => void) => Math.round(passages.length / secondsOf(work)).toLocaleString('en');
  console.log(`\n### Speed on one core, passages of ${PASSAGE_WORDS} words\n\n| work | figure |\n|---|---|`);
  for (const dimension of [384, 1_024, 2_048]) {
    const rate = aSecond(() => encodeDense(passages, { dimension, inputType: 'passage' }));
    console.log(`| dense, ${dimension} dimensions | ${rate} passages/s |`);
  }
  for (const form of ['words', 'stems'] as const) {
    const rate = aSecond(() => {
      for (const passage of passages) encodeSparse(passage, { inputType: 'passage', form });
    });
    console.log(`| sparse, ${form} | ${rate} passages/s |`);
  }
  const seconds = secondsOf(() => relevance('how to keep rodents out of the kitchen', documents));
  console.log(`| rerank ${RERANKED} documents | ${(seconds * 1e3).toFixed(1)} ms |`);
}
