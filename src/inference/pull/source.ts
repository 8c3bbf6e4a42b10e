// What a source of models is: a list of files with checksums, and a way to read them from any byte on.

export interface SourceFile {
  /** In the source; in the model's folder, too, unless the source unpacks it. */
  readonly path: string;
  readonly bytes: number;
  /** `git`: the SHA-1 by which git names a file. */
  readonly checksum: { readonly kind: 'sha256' | 'git'; readonly hex: string };
}

export interface Piece {
  readonly path: string;
  /** First requested byte; the source may send the whole file nevertheless. */
  readonly from: number;
  readonly signal: AbortSignal;
}

/** @throws ModelsProblem for a lasting error, Error for one that may pass */
export type OpenPiece = (piece: Piece) => Promise<Response>;

export interface ModelSource {
  /** Names the exact files, for people and in the manifest. */
  readonly origin: string;
  readonly files: readonly SourceFile[];
  readonly open: OpenPiece;
  /** The manifest without its checksums and origin. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Turns what was downloaded into the model's files, and returns the SHA-256 of each by its path. */
  readonly unpack?: (folder: string) => Promise<Readonly<Record<string, string>>>;
}
