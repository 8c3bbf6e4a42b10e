// Checks a filter before it is sent, so that the person learns at once what is wrong with its form.

/** Why the text is no filter; undefined for one, and for an empty text. */
export function filterProblem(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? undefined : 'A filter is a JSON object';
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON';
  }
}

/** A filter by one of the fields that the records have, as an example to start from. */
export function exampleFilter(metadata: Readonly<Record<string, unknown>> | undefined): string {
  const [name, value] =
    Object.entries(metadata ?? {}).find(([, each]) => typeof each !== 'object' && String(each).length < 30) ??
    [];
  return JSON.stringify(name === undefined ? { field: { $eq: 'value' } } : { [name]: { $eq: value } });
}
