// Trouble that the thread of the catalog goes on with.

/** Warns, for the log. @param what could not be done @param error why */
export function warn(what: string, error: unknown): void {
  process.emitWarning(`${what}: ${error instanceof Error ? error.message : String(error)}`);
}
