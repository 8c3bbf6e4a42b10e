// The types of a channel: the calls that one side makes and the other answers.

/** One method of the serving side. */
export interface Method {
  readonly request: unknown;
  readonly response: unknown;
  /** A message about a call before its answer. */
  readonly note?: unknown;
  /** Items that the caller sends with the call. */
  readonly upload?: unknown;
  /** Items that the serving side sends before it answers. */
  readonly download?: unknown;
}

/** Methods by name. Both sides import the same map, so neither can send what the other does not expect. */
export type MethodMap<Methods> = { readonly [Name in keyof Methods]: Method };

export type NoteOf<Called> = Called extends { readonly note: infer Note } ? Note : never;
export type UploadOf<Called> = Called extends { readonly upload: infer Item } ? Item : never;
export type DownloadOf<Called> = Called extends { readonly download: infer Item } ? Item : never;
