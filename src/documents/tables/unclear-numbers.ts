// Tells texts that are a number of thousands or a fraction, as `1.234`, from those that can be read in one way only.

const UNCLEAR = /^\P{N}*[1-9]\d{0,2}\.\d{3}\P{N}*$/u;
/** Longer texts are not read as numbers. */
const CHARACTERS_MAX = 40;

/** Whether a text, which a format with numbers of its own did not store as one, may be either; signs and units may be beside it. */
export function isUnclearNumber(text: string): boolean {
  return text.length <= CHARACTERS_MAX && UNCLEAR.test(text);
}
