// Control characters: stored texts must not steer a terminal, and ids must stay one line.

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what this is about.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all but line feeds and tabs.
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A text for a terminal: control characters but line feeds and tabs escaped as JSON does, carriage returns removed. */
export function terminalText(text: string): string {
  return text.replaceAll('\r', '').replaceAll(STEERING, escaped);
}

/**
 * An id as text shows it: as it is, or as a JSON string where it has line breaks or other control characters, or begins
 * as a JSON string does.
 */
export function idText(id: string): string {
  const isPlain = id.search(CONTROLS) < 0 && !id.startsWith('"') && id.isWellFormed();
  return isPlain ? id : JSON.stringify(id).replaceAll(CONTROLS, escaped);
}

/** The id that `idText` has made this of. @throws Error for what begins as a JSON string and is none */
export function idOfText(text: string): string {
  if (!text.startsWith('"')) return text;
  const id: unknown = JSON.parse(text);
  return String(id);
}

function escaped(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
