// What the thread that reads logs is called for.
import type { LogGap, LoggedStorage, LogPart, LogRequest } from '../../../port/write-log.ts';

export interface LogMethods {
  /** The request is the data directory. */
  readonly storages: { readonly request: string; readonly response: readonly LoggedStorage[] };
  readonly read: {
    readonly request: LogRequest & { readonly dataDir: string };
    readonly response: LogPart | LogGap | null;
  };
  /** Closes the files of an index. */
  readonly forget: { readonly request: string; readonly response: null };
}
