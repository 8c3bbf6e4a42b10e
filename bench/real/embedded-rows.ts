// Files of embedded texts: one row a text, in order; a run that ended early goes on where it stopped.
import { closeSync, existsSync, openSync, renameSync, statSync, truncateSync, writeSync } from 'node:fs';
import { cachePath } from '../peers/support/cache.ts';
import { MINILM_DIMENSION, openMiniLm } from './minilm.ts';

const ROW_BYTES = 4 * MINILM_DIMENSION;
/** Texts of a block are embedded by length, so that little padding is computed. */
const BLOCK = 2_048;
const BATCH = 32;

/** The path of a file with a unit vector for each text. */
export async function embeddedRows(name: string, texts: readonly string[]): Promise<string> {
  const path = cachePath('real', `${name}-${texts.length}.f32`);
  if (existsSync(path)) return path;
  const part = `${path}.part`;
  const blocksDone = existsSync(part) ? Math.floor(statSync(part).size / (BLOCK * ROW_BYTES)) : 0;
  if (blocksDone > 0) truncateSync(part, blocksDone * BLOCK * ROW_BYTES);
  const embed = await openMiniLm();
  const file = openSync(part, blocksDone > 0 ? 'a' : 'w');
  const start = performance.now();
  for (let first = blocksDone * BLOCK; first < texts.length; first += BLOCK) {
    const rows = await embedBlock(texts.slice(first, first + BLOCK), embed);
    writeSync(file, new Uint8Array(rows.buffer));
    const done = Math.min(first + BLOCK, texts.length);
    const perSecond = ((done - blocksDone * BLOCK) / (performance.now() - start)) * 1000;
    console.error(`${name}: ${done} of ${texts.length} texts embedded, ${perSecond.toFixed(0)}/s`);
  }
  closeSync(file);
  renameSync(part, path);
  return path;
}

async function embedBlock(
  texts: readonly string[],
  embed: (texts: readonly string[]) => Promise<readonly Float32Array[]>,
): Promise<Float32Array<ArrayBuffer>> {
  const rows = new Float32Array(texts.length * MINILM_DIMENSION);
  const byLength = [...texts.entries()].sort(([, a], [, b]) => a.length - b.length);
  for (let first = 0; first < byLength.length; first += BATCH) {
    const batch = byLength.slice(first, first + BATCH);
    const vectors = await embed(batch.map(([, text]) => text));
    for (const [at, [position]] of batch.entries())
      rows.set(vectors[at] ?? new Float32Array(), position * MINILM_DIMENSION);
  }
  return rows;
}
