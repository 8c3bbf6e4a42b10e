// Layouts by umap-learn, from PyPI, in an environment of its own in the bench's cache.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachePath } from '../peers/support/cache.ts';

const PACKAGE = 'umap-learn==0.5.12';
const PYTHON = process.env.BENCH_PYTHON ?? 'python3';
const SCRIPT = `
import sys, time, numpy, umap
rows = numpy.fromfile(sys.argv[1], dtype=numpy.float32).reshape(-1, int(sys.argv[2]))
umap.UMAP(metric='cosine', n_neighbors=15, random_state=1).fit(rows[:200])
begin = time.process_time()
made = umap.UMAP(metric='cosine', n_neighbors=15, random_state=1).fit_transform(rows)
print(time.process_time() - begin)
made.astype(numpy.float32).tofile(sys.argv[3])
`;

export interface PeerLayout {
  readonly positions: Float32Array;
  /** Processor time in seconds, without imports and compilation. */
  readonly seconds: number;
}

export function umapLearnLayout(rows: readonly Float32Array[]): PeerLayout {
  const environment = cachePath('real', PACKAGE);
  if (!existsSync(environment)) {
    run(PYTHON, ['-m', 'venv', environment]);
    run(join(environment, 'bin', 'pip'), ['install', '--quiet', PACKAGE]);
  }
  const folder = mkdtempSync(join(tmpdir(), 'pinyon-umap-'));
  try {
    const [input, output] = [join(folder, 'rows.f32'), join(folder, 'made.f32')];
    const dimension = rows[0]?.length ?? 0;
    const values = new Float32Array(rows.length * dimension);
    for (const [at, row] of rows.entries()) values.set(row, at * dimension);
    writeFileSync(input, new Uint8Array(values.buffer));
    const printed = run(join(environment, 'bin', 'python'), ['-c', SCRIPT, input, String(dimension), output]);
    const bytes = readFileSync(output);
    return {
      positions: new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)),
      seconds: Number(printed.trim().split('\n').at(-1)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  return stdout;
}
