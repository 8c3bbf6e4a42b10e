// Trouble of an index that its writer goes on with: a warning that names the index.

/** @param trouble an error, or words about it */
export type Warn = (trouble: unknown) => void;

/** Warnings reach the log of the process, which has those of all indexes. */
export function warningsOf(indexId: string): Warn {
  return (trouble) => {
    const warning =
      trouble instanceof Error ? trouble : Object.assign(new Error(String(trouble)), { name: 'Warning' });
    process.emitWarning(Object.assign(warning, { indexId }));
  };
}
