// The port that describes pictures in words, so that they can be searched.

export interface Picture {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** Text of its page. */
  readonly pageText: string;
}

export interface PictureDescriber {
  /** Empty for decoration. @throws chat-unavailable, overloaded; the signal's reason */
  describe(picture: Picture, signal: AbortSignal): Promise<string>;
}
