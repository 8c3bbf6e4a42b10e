// Reads the arguments of a usage line: `SOURCE [TARGET]`, `[INDEX]...`.

export interface Argument {
  readonly name: string;
  readonly isOptional: boolean;
  /** The last one only: any number of them. */
  readonly isRepeated: boolean;
}

export function argumentsOf(usage = ''): readonly Argument[] {
  const words = usage.split(' ').filter((word) => word !== '');
  return words.map((word) => ({
    name: word.replace(/^\[|\]?(\.\.\.)?$/g, ''),
    isOptional: word.startsWith('['),
    isRepeated: word.endsWith('...'),
  }));
}
