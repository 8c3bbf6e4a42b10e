// What the kernel offers. Every argument that is a place is a byte address; no function allocates or keeps one.
export { encodeRow } from './encode-row';
export { prepareQuery } from './query';
export { finishHeap, resetHeap } from './heap';
export { countBits, intersectBits } from './bits';
export { scanFrame } from './scan';
export { scoreRow, scoreRows } from './score';
export { prepareSparseQuery, scanSparseFrame, sparseDot, storeSparseScores } from './sparse';
export { initGraph } from './graph-state';
export { searchGraph } from './graph-search';
export { faintnessOf } from './graph-faint';
export { boundFindings, scanGraph } from './graph-bound';
export { insertNode } from './graph-build';
export { assignSamples, initRegions, linkSamples } from './graph-regions';
export { sketchCentres, sketchSamples } from './graph-sketches';
export { bridgeRemoved, dropRemoved } from './graph-repair';
export { preparePostingsQuery, scoreEntry } from './postings-query';
export { boundSlots } from './postings-lists';
export { collectSums, offerSums, scoreEntries, storeSums } from './postings-collect';
