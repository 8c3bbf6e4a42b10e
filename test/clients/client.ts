// What the command needs to know of a client: how to install it, how to run its tests, and which of them must fail.
import type { Environment } from '../support/service.ts';

export type Outcome = 'passed' | 'failed' | 'skipped';

export interface TestResult {
  readonly name: string;
  readonly outcome: Outcome;
  /** Why it failed or was skipped. */
  readonly message: string;
}

/** A test that fails for a reason other than the server. The run fails if it passes or no longer exists. */
export interface KnownException {
  /** The test's full name; a `*` stands for any text. */
  readonly test: string;
  readonly reason: string;
}

/** Where a client is installed, and the variables by which it finds the server. */
export interface Run {
  readonly folder: string;
  readonly variables: Environment;
}

export interface Client {
  /** What the command line calls it. */
  readonly name: string;
  readonly title: string;
  /** Commands that must be installed on this machine. */
  readonly needs: readonly string[];
  /** Packages with their versions. A change of the list installs them anew. */
  readonly packages: readonly string[];
  /** Whether the client's addresses must be `https`. */
  readonly tls: boolean;
  /** Settings of the server beside those of every start. */
  readonly settings: Environment;
  readonly exceptions: readonly KnownException[];
  install(folder: string): Promise<void>;
  run(run: Run): Promise<readonly TestResult[]>;
}
