// Pictures of the pages of multimodal files, as answers and snippets show them.

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
  /** In the order of the pages; none for files that were not uploaded as multimodal. */
  of(requested: RequestedPages, signal: AbortSignal): Promise<readonly PageImage[]>;
}
