// Waits while a pointer is pressed: what is shown stays in its place, so that the release hits what was pressed.

/** The click of a tap comes a moment after the finger is lifted; that of a mouse at once. */
const CLICK_MS = 100;
/** A browser may not tell of a release, as over the list of a select. */
const PRESS_MAX_MS = 10_000;
const PRIMARY = 0;

const waiting: (() => void)[] = [];
let isPressed = false;
let timer: ReturnType<typeof setTimeout> | undefined;

addEventListener(
  'pointerdown',
  ({ button }) => {
    if (button !== PRIMARY) return;
    isPressed = true;
    releaseIn(PRESS_MAX_MS);
  },
  true,
);
for (const type of ['pointerup', 'pointercancel']) addEventListener(type, () => releaseIn(CLICK_MS), true);
// After those who listen to the click.
addEventListener('click', () => releaseIn(0), true);

/** Acts at once, or after the pointer that is pressed is released. */
export function whenReleased(act: () => void): void {
  if (isPressed) waiting.push(act);
  else act();
}

function releaseIn(ms: number): void {
  if (!isPressed) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    isPressed = false;
    for (const act of waiting.splice(0)) act();
  }, ms);
}
