// The error of a file that is not as the engine left it.

export class FileDamage extends Error {
  /** The damaged file. */
  readonly path: string;
  /** What is wrong and where in the file. */
  readonly what: string;

  /** @param what what is wrong and where in the file, such as "page 12: its checksum differs" */
  constructor(path: string, what: string) {
    super(`${path} is damaged: ${what}`);
    this.name = 'FileDamage';
    this.path = path;
    this.what = what;
  }
}
