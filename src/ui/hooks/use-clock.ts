/** The time, once a second, while there is something whose time is shown; else nothing wakes up. */

import { useEffect, useState } from "react";

const TICK_MS = 1_000;

export function useClock(isTicking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
  return isTicking ? Math.max(now, 0) : now;
}
