// Reads something anew at regular times, while the page is in view.
import { useEffect } from 'preact/hooks';

/** Does nothing while `isActive` is false. */
export function useRefresh(reload: () => void, everyMs: number, isActive = true): void {
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [reload, everyMs, isActive]);
}
