// Warnings of a worker thread on their way to the thread that started it: printed where they arise, they would be lines
// of their own kind among those of the log.

/** A warning as plain data. */
export interface PlainWarning {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Its own fields that are texts, numbers or booleans, as `code`. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const PLAIN_TYPES: ReadonlySet<string> = new Set(['string', 'number', 'boolean']);

/** Sends all warnings of this thread instead of having Node print them. */
export function forwardWarnings(send: (warning: PlainWarning) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    const { name, message, stack } = warning;
    const fields = Object.entries(warning).filter(([, value]) => PLAIN_TYPES.has(typeof value));
    send({ name, message, stack, fields: Object.fromEntries(fields) });
  });
}

/** Warns of what another thread has warned of. */
export function warnAgain({ name, message, stack, fields }: PlainWarning): void {
  process.emitWarning(Object.assign(new Error(message), { ...fields, name, stack }));
}
