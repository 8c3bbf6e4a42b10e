// The index that the tests of copying threads create.
export const COPY_PROFILE = { id: 'made', metric: 'euclidean', dimension: 256 } as const;
