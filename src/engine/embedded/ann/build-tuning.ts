// Tuned constants of graph construction and of clusters, each with the measurement behind it.
import type { Metric } from '../../../domain/index-model.ts';

/** Maximum degree: nodes of 200 bytes, which is what the memory goal allows (docs/decisions/018-graph-construction.md). */
export const MAX_DEGREE = 48;
/** Degree after pruning a full node. */
export const PRUNED_DEGREE = 36;
/**
 * Beam width of the search for a new node's neighbors: half as many suffice for synthetic data, but leave queries among
 * embeddings of texts without a way (docs/decisions/037-recall-by-query.md).
 */
export const EF_CONSTRUCTION = 128;
/**
 * Alpha of robust pruning. By dot product, neighbors are chosen among rows of large norm, which lie far apart, so that more of
 * them must be kept.
 */
export const ALPHA: Readonly<Record<Metric, number>> = { cosine: 1.2, euclidean: 1.2, dotproduct: 2 };

/** With fewer slots, graphs do without clusters. */
export const CLUSTERED_SLOTS_MIN = 1_024;
/** Clusters are trained again when a graph has grown by this factor. */
export const RETRAINING_GROWTH = 2;
/**
 * Clusters per square root of the slots: comparing all centroids then costs about as much as measuring the samples of the
 * nearest clusters (docs/decisions/017-graph-search.md).
 */
export const CLUSTERS_PER_ROOT = 2;
/** Minimum average samples of a cluster. */
export const SAMPLES_PER_CLUSTER_MIN = 4;
/** Below this dimension a row is as short as its binary code, and signs say too little. */
export const BINARY_CODE_DIM_MIN = 128;
/** Passes of k-means: the third still finds one in ten of what was missed, a fourth next to nothing. */
export const KMEANS_PASSES = 3;
/** Samples that training assigns, or sums up, between two yields. */
export const SAMPLES_PER_STEP = 64;
