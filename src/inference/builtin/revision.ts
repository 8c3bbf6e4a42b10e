// The revision of these encoders, which identifies the meaning of their vectors.

/**
 * Incremented with every change that alters the vectors of a text: to tokenization, tables, weights or hashes. Golden
 * values in the tests detect such changes. Vectors of two revisions must never be compared.
 */
export const REVISION = 'builtin-2';
