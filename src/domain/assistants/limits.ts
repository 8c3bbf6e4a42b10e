// Limits of assistants, their files and their chats.

export const ASSISTANT_NAME_CHARS_MAX = 63;
export const INSTRUCTIONS_BYTES_MAX = 16 * 1024;
/** JSON text of the metadata of an assistant or of a file. */
export const ASSISTANT_METADATA_BYTES_MAX = 16_384;
export const FILE_NAME_CHARS_MAX = 255;
export const FILE_ID_CHARS_MAX = 128;

const MEGABYTE = 1_000_000;
/** Text has no pages to cut at, and little text fills many chunks. */
export const TEXT_FILE_BYTES_MAX = 10 * MEGABYTE;
export const PDF_FILE_BYTES_MAX = 100 * MEGABYTE;
export const MULTIMODAL_FILE_BYTES_MAX = 50 * MEGABYTE;
export const MULTIMODAL_PAGES_MAX = 100;

/** How long what was deleted is shown as such at least, to callers who look for it. */
export const DELETED_SHOWN_MS = 2_000;
/** How long an answer waits for the regions of its passages, all together. */
export const REGIONS_WAIT_MS_MAX = 3_000;
/** Lifetime of signed links to files. */
export const LINK_LIFE_MS = 60 * 60 * 1_000;
/** How long finished operations are shown. */
export const OPERATION_LIFE_MS = 30 * 24 * 60 * 60 * 1_000;
/** Tokens of text that count as one ingestion unit. */
export const TOKENS_AN_INGESTION_UNIT = 400;

export const CONTEXT_TOP_K_DEFAULT = 16;
/** For callers of that version. */
export const CONTEXT_TOP_K_DEFAULT_2025_01 = 15;
export const CONTEXT_TOP_K_MAX = 64;
export const SNIPPET_TOKENS_DEFAULT = 2_048;
export const SNIPPET_TOKENS_MIN = 512;
export const SNIPPET_TOKENS_MAX = 8_192;
export const TEMPERATURE_DEFAULT = 0;
export const TEMPERATURE_MAX = 2;
/** For all messages of a chat together. */
export const HISTORY_TOKENS_MAX = 64 * 1024;
/** Tokens of prompt and answer that a language model is taken to read where neither setting nor server tells. */
export const CONTEXT_TOKENS_DEFAULT = 8_000;
export const CONTEXT_TOKENS_MIN = 1_000;
export const CONTEXT_TOKENS_MAX = 10_000_000;
