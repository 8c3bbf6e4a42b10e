// The exports of the kernel. Every pointer argument is a byte address; no function allocates memory or keeps an
// address.
export { encodeRow } from './encode-row';
export { prepareQuery } from './query';
export { finishHeap, resetHeap } from './heap';
export { countBits, intersectBits } from './bits';
export { testCell, testMember, testWithin } from './cells';
export { scanFrame } from './scan';
export { scoreRow, scoreRows } from './score';
export { fingerprintRows } from './fingerprint-rows';
export { prepareSparseQuery, scanSparseFrame, sparseDot, storeSparseScores } from './sparse';
export { initGraph } from './graph-state';
export { centerGraph } from './graph-node-codes';
export { searchGraph } from './graph-search';
export { outOfDistributionRatio } from './graph-out-of-distribution';
export { keyResults, reflectRow } from './graph-reflection';
export { boundResults, scanGraph, sortResults } from './graph-bound';
export { insertNode } from './graph-insertion';
export { assignSamples, initClusters, linkSamples } from './graph-clusters';
export { binarizeCentroids, binarizeSamples } from './graph-binary-codes';
export { consolidateDeletes, dropDeleted } from './graph-deletion';
export { preparePostingListQuery, scoreEntry } from './posting-lists-query';
export { boundSlots } from './posting-lists-accumulate';
export { collectCandidates, offerCandidates, scoreEntries, storeBounds } from './posting-lists-collect';
export {
  keepFirstTexts,
  lookUpText,
  markTextSlots,
  openTextCursors,
  openTextLookup,
  searchTextConjunction,
  searchTextUnion,
  textPositions,
} from './text-search';
