// Gestures on a canvas: one pointer moves or draws, two enlarge, the wheel enlarges, a short touch chooses.
import type { Corner } from './selection.ts';

/** Pixels that a tap may move, and from how far away it chooses a point: fingers are less exact than pens and mice. */
const TAP_REACH = { exact: 5, finger: 12 };
const POINT_REACH = { exact: 10, finger: 22 };
const WHEEL_FACTOR = 0.0015;

export interface GestureEvents {
  /** Whether a drag draws instead of moving. With the shift key, it draws a box. */
  readonly isDrawing: () => boolean;
  readonly onMove: (dx: number, dy: number) => void;
  readonly onZoom: (factor: number, at: Corner) => void;
  readonly onDraw: (line: readonly Corner[]) => void;
  readonly onDrawn: (line: readonly Corner[]) => void;
  /** Null when the pointer leaves. */
  readonly onPoint: (at: Corner | null) => void;
  readonly onTap: (at: Corner, reach: number) => void;
}

type Drag = { readonly kind: 'move' | 'line' | 'box'; readonly from: Corner; isTap: boolean };

export class Gestures {
  readonly #events: GestureEvents;
  readonly #canvas: HTMLCanvasElement;
  readonly #pointers = new Map<number, Corner>();
  readonly #ending = new AbortController();
  #drag: Drag | null = null;
  #line: Corner[] = [];

  constructor(canvas: HTMLCanvasElement, events: GestureEvents) {
    this.#canvas = canvas;
    this.#events = events;
    const { signal } = this.#ending;
    canvas.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    canvas.addEventListener('pointermove', (event) => this.#move(event), { signal });
    canvas.addEventListener('pointerup', (event) => this.#up(event, true), { signal });
    canvas.addEventListener('pointercancel', (event) => this.#up(event, false), { signal });
    canvas.addEventListener('pointerleave', () => events.onPoint(null), { signal });
    canvas.addEventListener('wheel', (event) => this.#wheel(event), { signal, passive: false });
  }

  close(): void {
    this.#ending.abort();
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const at = this.#placeOf(event);
    this.#canvas.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, at);
    this.#events.onPoint(null);
    if (this.#pointers.size > 1) {
      this.#drag = null;
      this.#events.onDraw([]);
      return;
    }
    const kind = event.shiftKey ? 'box' : this.#events.isDrawing() ? 'line' : 'move';
    this.#drag = { kind, from: at, isTap: true };
    this.#line = [at];
  }

  #move(event: PointerEvent): void {
    const at = this.#placeOf(event);
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType !== 'touch') this.#events.onPoint(at);
      return;
    }
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, at);
    if (other !== undefined) {
      const apart = distance(before, other);
      if (apart > 0) this.#events.onZoom(distance(at, other) / apart, middle(at, other));
      this.#events.onMove((at.x - before.x) / 2, (at.y - before.y) / 2);
      return;
    }
    const drag = this.#drag;
    if (drag === null) return;
    if (distance(at, drag.from) > TAP_REACH[precisionOf(event)]) drag.isTap = false;
    if (drag.kind === 'move') {
      this.#events.onMove(at.x - before.x, at.y - before.y);
      return;
    }
    this.#line = drag.kind === 'line' ? [...this.#line, at] : boxOf(drag.from, at);
    this.#events.onDraw(this.#line);
  }

  #up(event: PointerEvent, isWhole: boolean): void {
    this.#pointers.delete(event.pointerId);
    const drag = this.#drag;
    this.#drag = null;
    if (drag === null) return;
    if (drag.kind !== 'move') this.#events.onDraw([]);
    if (!isWhole) return;
    if (drag.isTap) this.#events.onTap(drag.from, POINT_REACH[precisionOf(event)]);
    else if (drag.kind !== 'move') this.#events.onDrawn(this.#line);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    this.#events.onZoom(Math.exp(-event.deltaY * WHEEL_FACTOR), this.#placeOf(event));
  }

  #placeOf(event: MouseEvent): Corner {
    const { left, top } = this.#canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}

function precisionOf({ pointerType }: PointerEvent): 'exact' | 'finger' {
  return pointerType === 'touch' ? 'finger' : 'exact';
}

function boxOf(from: Corner, to: Corner): Corner[] {
  return [from, { x: to.x, y: from.y }, to, { x: from.x, y: to.y }];
}

function distance(a: Corner, b: Corner): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function middle(a: Corner, b: Corner): Corner {
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
}
