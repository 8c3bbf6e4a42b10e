// What an SDK returned, without the keys it sets to undefined: those differ between releases and mean nothing.

export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
