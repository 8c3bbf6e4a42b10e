// How a catalog learns that another node has changed what this node keeps in memory.

/** What nodes keep in memory; and new jobs, for which they have free slots. */
export type Topic = 'access' | 'sessions' | 'indexes' | 'aliases' | 'jobs';

/** What a node of several knows of the others' changes. */
export interface NodeChanges extends ForeignChanges {
  /** Ends the time in which no other node may start; resolves when the listeners have read the state of the start. */
  start(): Promise<void>;
  /** Resolves when this node knows what was committed before the call; also when the database does not work. */
  catchUp(): Promise<void>;
  /** Milliseconds since this node last knew every change; infinite before the start. */
  ageMs(): number;
}

export interface ForeignChanges {
  /** The listener reads the present state. It is called once at the start, and after every change of any node. */
  listen(topic: Topic, listener: () => Promise<void>): void;
}
