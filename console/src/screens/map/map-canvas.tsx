// The canvas of a map: moved and enlarged by mouse, touch and keyboard; points are chosen or drawn around.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Cloud } from './cloud.ts';
import { drawMarks, drawPoints, type PointColors, pixelOf } from './draw.ts';
import { Gestures } from './gestures.ts';
import { type Corner, cornersOf, pointsWithin } from './selection.ts';
import { Viewport } from './viewport.ts';

const REACH = 10;
const STEP = 60;
const ZOOM_STEP = 1.5;
const SELECTED = { light: '#b3261e', dark: '#ff9b92' };

export interface MapCanvasProps {
  readonly cloud: Cloud;
  /** The color of each code. */
  readonly colors: readonly string[];
  readonly codes: Uint8Array | null;
  /** 1 for each point that is marked; null for none. */
  readonly marked: Uint8Array | null;
  /** Drawing around points instead of moving. */
  readonly isSelecting: boolean;
  readonly label: (point: number) => string;
  readonly onChoose: (point: number) => void;
  readonly onSelect: (points: readonly number[]) => void;
}

export function MapCanvas(props: MapCanvasProps) {
  const { cloud, colors, codes, marked, isSelecting } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [view, setView] = useState<Viewport>();
  const [line, setLine] = useState<readonly Corner[]>([]);
  const [pointed, setPointed] = useState<{ readonly point: number; readonly at: Corner }>();
  const latest = useRef({ ...props, view });
  latest.current = { ...props, view };
  const change = (next: (view: Viewport) => Viewport) => setView((before) => before && next(before));

  useEffect(() => {
    const { current } = canvas;
    if (current === null) return undefined;
    const resized = new ResizeObserver(() => {
      const size = { width: current.clientWidth, height: current.clientHeight };
      current.width = size.width;
      current.height = size.height;
      setView((before) => (before === undefined ? Viewport.whole(size) : before.resized(size)));
    });
    resized.observe(current);
    const gestures = new Gestures(current, {
      isDrawing: () => latest.current.isSelecting,
      onMove: (dx, dy) => change((before) => before.moved(dx, dy)),
      onZoom: (factor, at) => change((before) => before.zoomed(factor, at)),
      onDraw: setLine,
      onDrawn: (drawn) => {
        setLine([]);
        const { view: now, cloud: points, onSelect } = latest.current;
        if (now !== undefined)
          onSelect(
            pointsWithin(
              points,
              drawn.map(({ x, y }) => now.toMap(x, y)),
            ),
          );
      },
      onPoint: (at) => setPointed(at === null ? undefined : pointAt(latest.current, at)),
      onTap: (at, reach) => {
        const found = pointAt(latest.current, at, reach);
        if (found !== undefined) latest.current.onChoose(found.point);
      },
    });
    return () => {
      resized.disconnect();
      gestures.close();
    };
  }, []);

  useEffect(() => {
    const { current } = canvas;
    if (current === null || view === undefined || view.width < 1 || view.height < 1) return undefined;
    const frame = requestAnimationFrame(() => paint(current, { cloud, view, colors, codes, marked, line }));
    return () => cancelAnimationFrame(frame);
  }, [view, cloud, colors, codes, marked, line]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (view === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = { x: view.width / 2, y: view.height / 2 };
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => change((before) => before.moved(STEP, 0)),
      ArrowRight: () => change((before) => before.moved(-STEP, 0)),
      ArrowUp: () => change((before) => before.moved(0, STEP)),
      ArrowDown: () => change((before) => before.moved(0, -STEP)),
      '+': () => change((before) => before.zoomed(ZOOM_STEP, middle)),
      '-': () => change((before) => before.zoomed(1 / ZOOM_STEP, middle)),
      '0': () => setView(Viewport.whole(view)),
      s: () => props.onSelect(pointsWithin(cloud, cornersOf(view))),
      Escape: () => props.onSelect([]),
      Enter: () => {
        const point = cloud.nearest(view, middle, Math.max(view.width, view.height));
        if (point >= 0) props.onChoose(point);
      },
    };
    const move = moves[event.key === '=' ? '+' : event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  };

  return (
    <div class={isSelecting ? 'map-frame selecting' : 'map-frame'}>
      <div
        class="map-stage"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys move what it shows.
        tabIndex={0}
        role="application"
        aria-label={`Map of ${cloud.count} records. Arrow keys move, plus and minus enlarge and reduce, 0 shows all, Enter opens the record in the middle, S selects what is in view.`}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} class="map-canvas" />
      </div>
      <div class="map-middle" aria-hidden="true" />
      {pointed !== undefined && (
        <div
          class="map-note"
          ref={(note) => {
            note?.style.setProperty('left', `${pointed.at.x}px`);
            note?.style.setProperty('top', `${pointed.at.y}px`);
          }}
        >
          <bdi>{props.label(pointed.point)}</bdi>
        </div>
      )}
      <div class="map-zoom">
        <button
          type="button"
          aria-label="Enlarge"
          onClick={() => change((now) => now.zoomed(ZOOM_STEP, middleOf(now)))}
        >
          +
        </button>
        <button
          type="button"
          aria-label="Reduce"
          onClick={() => change((now) => now.zoomed(1 / ZOOM_STEP, middleOf(now)))}
        >
          −
        </button>
        <button type="button" onClick={() => change((now) => Viewport.whole(now))}>
          All
        </button>
      </div>
    </div>
  );
}

function middleOf({ width, height }: Viewport): Corner {
  return { x: width / 2, y: height / 2 };
}

function pointAt(
  { cloud, view }: { readonly cloud: Cloud; readonly view: Viewport | undefined },
  at: Corner,
  reach = REACH,
): { readonly point: number; readonly at: Corner } | undefined {
  const point = view === undefined ? -1 : cloud.nearest(view, at, reach);
  return point < 0 ? undefined : { point, at };
}

interface Picture extends Pick<MapCanvasProps, 'cloud' | 'colors' | 'codes' | 'marked'> {
  readonly view: Viewport;
  readonly line: readonly Corner[];
}

function paint(canvas: HTMLCanvasElement, picture: Picture): void {
  const { cloud, view, codes, marked, line } = picture;
  // Its pixels come from here anyway, so they need not go to a graphics card and back.
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return;
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const colors: PointColors = {
    palette: Uint32Array.from(picture.colors, pixelOf),
    codes,
    ground: pixelOf(isDark ? '#1a1e1c' : '#ffffff'),
  };
  const image = context.createImageData(view.width, view.height);
  const pixels = new Uint32Array(image.data.buffer);
  const shown = drawPoints(pixels, { cloud, view, colors });
  if (marked !== null) {
    const color = pixelOf(isDark ? SELECTED.dark : SELECTED.light);
    drawMarks(pixels, { cloud, view, colors }, { points: marked, color });
  }
  context.putImageData(image, 0, 0);
  // Tests and measurements read it.
  canvas.dataset.shown = String(shown);
  canvas.dataset.view = JSON.stringify({ center: view.center, scale: view.scale });
  if (line.length < 2) return;
  context.strokeStyle = isDark ? SELECTED.dark : SELECTED.light;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const { x, y } of line) context.lineTo(x, y);
  context.closePath();
  context.stroke();
}
