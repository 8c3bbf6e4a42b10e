// The bounds on what language models may ask through tools, and on what they get.

/** Of one answer, about a quarter as many tokens: more than that and models lose the thread. */
export const ANSWER_CHARS_MAX = 60_000;
/** Of one text in the hits of a search. Fetching a record returns longer ones. */
export const HIT_TEXT_CHARS_MAX = 4_000;
/** A list of more numbers is a vector, which no model reads; it is left out unless requested. */
export const NUMBERS_SHOWN_MAX = 16;
export const SEARCH_TOP_K_DEFAULT = 10;
export const SEARCH_TOP_K_MAX = 100;
export const FETCHED_IDS_MAX = 20;
export const LISTED_MAX = 100;
export const UPSERTED_MAX = 50;
export const DELETED_IDS_MAX = 100;
/** The time of one call, after which it is cancelled. */
export const CALL_SECONDS_MAX = 120;
