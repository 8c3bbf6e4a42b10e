// The part of a map in view: what of the plane lies where on the canvas.

/** Coordinates of a map are from 0 to this. */
const EXTENT = 65_535;
const ZOOM_MAX = 200;
const RIM = 0.94;

interface Place {
  readonly x: number;
  readonly y: number;
}

export class Viewport {
  readonly width: number;
  readonly height: number;
  /** The place of the map in the middle of the canvas. */
  readonly center: Place;
  /** Pixels for each unit of the map. */
  readonly scale: number;

  constructor(size: { readonly width: number; readonly height: number }, center: Place, scale: number) {
    this.width = size.width;
    this.height = size.height;
    this.center = center;
    this.scale = scale;
  }

  /** The whole map. */
  static whole(size: { readonly width: number; readonly height: number }): Viewport {
    return new Viewport(size, { x: EXTENT / 2, y: EXTENT / 2 }, wholeScale(size));
  }

  get zoom(): number {
    return this.scale / wholeScale(this);
  }

  toMap(x: number, y: number): Place {
    return {
      x: this.center.x + (x - this.width / 2) / this.scale,
      y: this.center.y + (y - this.height / 2) / this.scale,
    };
  }

  toCanvas(x: number, y: number): Place {
    return {
      x: this.width / 2 + (x - this.center.x) * this.scale,
      y: this.height / 2 + (y - this.center.y) * this.scale,
    };
  }

  /** What lies at the pixels moves by these. The middle stays within the map. */
  moved(dx: number, dy: number): Viewport {
    const bounded = (value: number) => Math.min(EXTENT, Math.max(0, value));
    const center = {
      x: bounded(this.center.x - dx / this.scale),
      y: bounded(this.center.y - dy / this.scale),
    };
    return new Viewport(this, center, this.scale);
  }

  /** Enlarges around a place of the canvas. */
  zoomed(factor: number, at: Place): Viewport {
    const least = wholeScale(this) / 2;
    const scale = Math.min(wholeScale(this) * ZOOM_MAX, Math.max(least, this.scale * factor));
    const fixed = this.toMap(at.x, at.y);
    const center = {
      x: fixed.x - (at.x - this.width / 2) / scale,
      y: fixed.y - (at.y - this.height / 2) / scale,
    };
    return new Viewport(this, center, scale).moved(0, 0);
  }

  resized(size: { readonly width: number; readonly height: number }): Viewport {
    return new Viewport(size, this.center, (this.scale * wholeScale(size)) / wholeScale(this));
  }

  /** The square of these pixels around a place of the map. */
  around(center: Place, reach: number): Viewport {
    return new Viewport({ width: 2 * reach, height: 2 * reach }, center, this.scale);
  }
}

function wholeScale({ width, height }: { readonly width: number; readonly height: number }): number {
  return (Math.min(width, height) * RIM) / EXTENT;
}
