// Query strings as handlers see them.

/** A name given once is a string, given more often an array. */
export type QueryValues = Readonly<Record<string, string | readonly string[] | undefined>>;
