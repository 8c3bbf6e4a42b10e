// Query strings as endpoints see them.

/** A name that occurs once is a string; one that occurs more often is an array. */
export type QueryValues = Readonly<Record<string, string | readonly string[] | undefined>>;
