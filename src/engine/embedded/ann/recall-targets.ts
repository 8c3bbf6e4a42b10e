// What recall to expect of a graph search by its effort, and the effort for a requested recall.

/**
 * Recall@10 by effort, of the kind of query that found least on the data measured, rounded down: embeddings of texts, and
 * GloVe vectors, which were not tuned on (docs/decisions/038-recall-targets.md, docs/decisions/072-low-effort.md).
 */
const MEASURED = [
  { effort: 0.04, recall: 0.6 },
  { effort: 0.05, recall: 0.65 },
  { effort: 0.07, recall: 0.75 },
  { effort: 0.1, recall: 0.8 },
  { effort: 0.2, recall: 0.85 },
  { effort: 0.3, recall: 0.9 },
  { effort: 0.5, recall: 0.95 },
  { effort: 0.8, recall: 0.97 },
  { effort: 1, recall: 0.98 },
  { effort: 1.4, recall: 0.99 },
  { effort: 2, recall: 0.996 },
  { effort: 4, recall: 0.999 },
] as const;

/** The least effort with which to expect this recall, between the least and the largest that were measured. */
export function effortForRecall(recall: number): number {
  return interpolated(
    MEASURED.map((point) => ({ x: point.recall, y: point.effort })),
    recall,
  );
}

/** The recall to expect of this effort. */
export function recallForEffort(effort: number): number {
  return interpolated(
    MEASURED.map((point) => ({ x: point.effort, y: point.recall })),
    effort,
  );
}

/** Linear between points in ascending order; beyond them, the value of the nearest. */
function interpolated(points: readonly { readonly x: number; readonly y: number }[], x: number): number {
  const next = points.findIndex((point) => point.x >= x);
  const [before, after] = [points[next - 1], points[next]];
  if (after === undefined) return points.at(-1)?.y ?? 1;
  if (before === undefined) return after.y;
  return before.y + ((x - before.x) / (after.x - before.x)) * (after.y - before.y);
}
