// A page as its file draws it, in text alone, with the rectangles of a passage marked.

/** In points from the upper left corner of the page. */
interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PageRegion extends Rectangle {
  readonly page: number;
}

export interface PageLayout {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  readonly texts: readonly (Rectangle & { readonly text: string })[];
}

/** The share of a rectangle's height that is above the baseline. */
const ABOVE_BASELINE = 0.8;

export interface PageSketchProps {
  readonly layout: PageLayout;
  /** Those of other pages are left out. */
  readonly regions: readonly PageRegion[];
}

export function PageSketch({ layout: { page, width, height, texts }, regions }: PageSketchProps) {
  return (
    <svg
      class="page-sketch"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Page ${page} with the passage marked`}
    >
      {regions
        .filter((region) => region.page === page)
        .map(({ page: _, ...rectangle }, at) => (
          <rect key={at} {...rectangle} />
        ))}
      {texts.map(({ text, x, y, width: length, height: size }, at) => (
        <text
          key={at}
          x={x}
          y={y + size * ABOVE_BASELINE}
          font-size={size * ABOVE_BASELINE}
          textLength={length}
          lengthAdjust="spacingAndGlyphs"
        >
          {text}
        </text>
      ))}
    </svg>
  );
}
