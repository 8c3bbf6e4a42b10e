// Bounds on the cost of one full-text query.

/** UTF-8 bytes of the `query` of a clause. */
export const QUERY_BYTES_MAX = 10 * 1024;
/** Words, phrases and regular expressions of one query string. */
export const QUERY_LEAVES_MAX = 1_024;
/** Depth of groups and negations. */
export const QUERY_DEPTH_MAX = 32;
/** Terms that all clauses of a search look up: those of their words and phrases, in each field. */
export const QUERY_TERMS_MAX = 20_000;
/** Fuzzy words, prefix phrases and regular expressions of all clauses of a search, in each field. */
export const QUERY_EXPANDING_LEAVES_MAX = 128;
/** Terms that the last word of a prefix phrase stands for: the first in order of their bytes. */
export const PREFIX_EXPANSIONS_MAX = 50;
/** Terms that a fuzzy word or a regular expression may stand for; more are refused. */
export const AUTOMATON_EXPANSIONS_MAX = 1_000;
/** Edits of a fuzzy word. */
export const FUZZY_EDITS_MAX = 2;
/** Further than any two tokens of a text are apart; a larger slop means the same. */
export const SLOP_MAX = 100_000;
/** The largest 32-bit float. */
export const BOOST_MAX = 3.4e38;
/** Conditions of a filter on the words of texts. */
export const MATCH_CONDITIONS_MAX = 64;
/** Tokens of the operand of `$match_phrase`, `$match_all` or `$match_any`. */
export const MATCH_TOKENS_MAX = 128;
/**
 * Steps of the text queries of one search, each some 10 ns: terms passed over and tested, parts of a query beyond the first
 * evaluated on a record, positions compared. More are refused, before they hold a thread for long.
 */
export const QUERY_STEPS_MAX = 5_000_000;
