// The index that the tests of copying threads make.
export const COPY_FACTS = { id: 'made', metric: 'euclidean', dimension: 256 } as const;
