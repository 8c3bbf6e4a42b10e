// Checks edited metadata: what the server would refuse, said while the person types.

/** Why the text is no metadata; undefined for metadata. */
export function metadataProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return 'Metadata is a JSON object';
    const [name] = Object.entries(value).find(([, each]) => !isAllowed(each)) ?? [];
    return name === undefined
      ? undefined
      : `${name} must be a text, a number, true, false or a list of texts`;
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON';
  }
}

function isAllowed(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string');
  return ['string', 'number', 'boolean'].includes(typeof value);
}
