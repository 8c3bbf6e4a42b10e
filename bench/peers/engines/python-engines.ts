// Engines from PyPI, at the settings with which they searched fastest; `python/engines.py` tells how each is asked.
import type { PythonPeer } from '../support/python-package.ts';
import type { Engine, Setting } from './engine.ts';

const BREADTHS = [
  ...[10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 56, 68, 80, 96],
  ...[112, 136, 160, 192, 224, 272, 320, 400, 512, 800],
];
const byEf = BREADTHS.map((ef): Setting => ({ ef }));

interface PythonEngine extends Engine {
  readonly peer: PythonPeer;
}

function engine(
  name: string,
  peer: PythonPeer,
  options: Pick<Engine, 'builds' | 'searches'> & { readonly runs: string },
): PythonEngine {
  return { name, peer, filterSearches: [], ...options };
}

export const PYTHON_ENGINES: readonly PythonEngine[] = [
  engine('SVS', 'scalable-vs', {
    runs: 'svs',
    builds: [
      { primary: 4, residual: 8, degree: 64, window: 200 },
      { primary: 8, residual: 0, degree: 64, window: 200 },
    ],
    searches: BREADTHS.map((window) => ({ window })),
  }),
  engine('Glass', 'pyglass-portable', {
    runs: 'glass',
    builds: [
      { degree: 32, breadth: 200, refine: 0 },
      { degree: 32, breadth: 200, refine: 1 },
    ],
    searches: byEf,
  }),
  engine('FAISS HNSW-SQ8', 'faiss-cpu', {
    runs: 'faiss',
    builds: [{ m: 32, efConstruction: 200 }],
    searches: byEf,
  }),
  engine('VSAG', 'pyvsag', {
    runs: 'vsag',
    builds: [
      { degree: 48, efConstruction: 300, refine: 0 },
      { degree: 48, efConstruction: 300, refine: 1 },
    ],
    searches: byEf,
  }),
  engine('SymphonyQG', 'rabitqlib', {
    runs: 'symphonyqg',
    builds: [
      { degree: 32, efConstruction: 400 },
      { degree: 64, efConstruction: 400 },
    ],
    searches: byEf,
  }),
];
