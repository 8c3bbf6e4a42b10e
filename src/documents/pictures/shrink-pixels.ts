// Normalizes the pixels of a PDF picture: gray or RGB on white, with no side longer than allowed.
import type { Pixels } from './encode-png.ts';

/** Pixels as the PDF reader returns them. */
export interface DecodedPicture {
  readonly width: number;
  readonly height: number;
  /** 1: one bit per pixel, rows padded to bytes; 2: RGB; 3: RGBA. */
  readonly kind: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

const ONE_BIT = 1;
const BYTES_A_PIXEL: Readonly<Record<number, number>> = { 2: 3, 3: 4 };
const WHITE = 255;

/**
 * Shrinks a picture by averaging pixels. Returns null for a truncated picture or an unknown kind.
 * @param sideMax in pixels
 */
export function shrinkPixels(picture: DecodedPicture, sideMax: number): Pixels | null {
  const { width, height, kind, data } = picture;
  const rowBytes = kind === ONE_BIT ? Math.ceil(width / 8) : width * (BYTES_A_PIXEL[kind] ?? 0);
  if (width < 1 || height < 1 || rowBytes === 0 || data.length < rowBytes * height) return null;
  const scale = Math.max(1, Math.max(width, height) / sideMax);
  const size = {
    width: Math.max(1, Math.floor(width / scale)),
    height: Math.max(1, Math.floor(height / scale)),
  };
  return grayWhereEqual(kind === ONE_BIT ? shrinkBits(picture, size) : shrinkColors(picture, size));
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function shrinkBits({ width, height, data }: DecodedPicture, size: Size): Pixels {
  const rowBytes = Math.ceil(width / 8);
  const out = new Uint8Array(size.width * size.height);
  for (const { at, left, top, right, bottom } of cells({ width, height }, size)) {
    let ones = 0;
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) ones += ((data[y * rowBytes + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1;
    }
    out[at] = Math.round((WHITE * ones) / ((right - left) * (bottom - top)));
  }
  return { ...size, channels: 1, data: out };
}

function shrinkColors({ width, height, kind, data }: DecodedPicture, size: Size): Pixels {
  const step = BYTES_A_PIXEL[kind] ?? 0;
  const out = new Uint8Array(size.width * size.height * 3);
  for (const { at, left, top, right, bottom } of cells({ width, height }, size)) {
    let [red, green, blue] = [0, 0, 0];
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const from = (y * width + x) * step;
        const cover = step === 4 ? (data[from + 3] ?? 0) / WHITE : 1;
        const ground = WHITE * (1 - cover);
        red += (data[from] ?? 0) * cover + ground;
        green += (data[from + 1] ?? 0) * cover + ground;
        blue += (data[from + 2] ?? 0) * cover + ground;
      }
    }
    const pixels = (right - left) * (bottom - top);
    out[at * 3] = Math.round(red / pixels);
    out[at * 3 + 1] = Math.round(green / pixels);
    out[at * 3 + 2] = Math.round(blue / pixels);
  }
  return { ...size, channels: 3, data: out };
}

/** Yields the old pixels that each new pixel averages: at least one each, and every old pixel once. */
function* cells(from: Size, to: Size) {
  for (let y = 0; y < to.height; y++) {
    const top = Math.floor((y * from.height) / to.height);
    const bottom = Math.floor(((y + 1) * from.height) / to.height);
    for (let x = 0; x < to.width; x++) {
      const left = Math.floor((x * from.width) / to.width);
      const right = Math.floor(((x + 1) * from.width) / to.width);
      yield { at: y * to.width + x, left, top, right, bottom };
    }
  }
}

/** Drops to one channel where all three are equal, as in most drawings and scans: a third of the bytes. */
function grayWhereEqual(pixels: Pixels): Pixels {
  const { data, width, height, channels } = pixels;
  if (channels === 1) return pixels;
  for (let at = 0; at < data.length; at += 3) {
    if (data[at] !== data[at + 1] || data[at] !== data[at + 2]) return pixels;
  }
  const gray = Uint8Array.from({ length: width * height }, (_, at) => data[at * 3] ?? 0);
  return { width, height, channels: 1, data: gray };
}
