// The revision of these encoders, which identifies the meaning of their vectors.

/**
 * Goes up with every change after which a text's vectors are not what they were: the rule of words, the tables, weights,
 * hashes. Golden values in the tests tell when. Vectors of two revisions must never be compared.
 */
export const REVISION = 'builtin-2';
