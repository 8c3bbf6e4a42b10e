// Removes invisible characters from a text: control characters, byte order marks, lone surrogates.

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;
/**
 * Soft hyphens, byte order marks, directional overrides and noncharacters. Overrides make text display differently
 * from how it is stored. The directional marks LRM and RLM stay, because ordinary text uses them.
 */
const INVISIBLE = /[\u00AD\uFEFF\uFFFE\uFFFF\u2060\u202A-\u202E\u2066-\u2069]/g;
/** Tag characters can spell invisible text. Their one legitimate use is the flags of regions, which stay. */
const TAGS = /(\u{1F3F4}[\u{E0020}-\u{E007E}]{1,6}\u{E007F})|[\u{E0000}-\u{E007F}]/gu;
const TAG_PREFIX = '\u{DB40}';
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029\f\v]/g;
const HYPHEN_AT_LINE_END = /(\p{Ll})[-\u2010\u00AD][ \t]*\n[ \t]*(?=\p{Ll})/gu;

/** Displayed as one glyph but searched as separate letters. */
const LIGATURES = /[\uFB00-\uFB06]/g;

/** Returns well-formed NFC text whose only control characters are tab and line feed. */
export function cleanText(text: string): string {
  const visible = text
    .toWellFormed()
    .replace(LINE_ENDS, '\n')
    .replace(CONTROLS, '')
    .replace(INVISIBLE, '')
    .replace(LIGATURES, (sign) => sign.normalize('NFKC'))
    .normalize('NFC');
  return visible.includes(TAG_PREFIX) ? visible.replace(TAGS, '$1') : visible;
}

/** Joins words hyphenated at a line end (`south-\nern`). Hyphenated names and numbers stay as they are. */
export function joinDividedWords(text: string): string {
  return text.includes('\n') ? text.replace(HYPHEN_AT_LINE_END, '$1') : text;
}
