// Says in words what a picture shows, so that it can be found by words.

export interface Picture {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** Of the page it is on. */
  readonly pageText: string;
}

export interface PictureDescriber {
  /** Empty when there is nothing to say. @throws chat-unavailable, overloaded; the signal's reason */
  describe(picture: Picture, signal: AbortSignal): Promise<string>;
}
