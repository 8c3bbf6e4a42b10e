// The metrics that compare dense vectors.

export type Metric = 'cosine' | 'euclidean' | 'dotproduct';
