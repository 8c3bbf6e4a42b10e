// What the server answers about assistants, as far as the console reads it.

export interface Assistant {
  readonly name: string;
  readonly instructions: string | null;
  readonly status: string;
  readonly created_at: string;
}

export interface AssistantFile {
  readonly id: string;
  readonly name: string;
  readonly size: number | null;
  readonly status: string;
  readonly percent_done: number | null;
  readonly error_message: string | null;
  readonly signed_url: string | null;
}

export interface Citation {
  /** UTF-16 code units into the answer. */
  readonly position: number;
  readonly references: readonly {
    readonly file: AssistantFile;
    /** Of files with pages. */
    readonly pages?: readonly number[] | null;
    readonly highlight?: { readonly type: string; readonly content: string } | null;
  }[];
}

export interface Answer {
  readonly message: { readonly content: string };
  readonly citations: readonly Citation[];
}
