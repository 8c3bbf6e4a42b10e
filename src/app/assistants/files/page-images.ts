// The port of page pictures, for answers and snippets.

export interface PageCaption {
  /** From 1. */
  readonly page: number;
  readonly caption: string;
}

export interface PageImage extends PageCaption {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

export interface RequestedPages {
  readonly assistantId: string;
  readonly revisionId: string;
  readonly pages: readonly number[];
}

export interface PageImages {
  /** In the order of pages; empty for files that are not multimodal. */
  of(requested: RequestedPages, signal: AbortSignal): Promise<readonly PageImage[]>;
}
