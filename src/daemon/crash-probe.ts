import type { PassCrashPoint } from "../runtime/crash-point.js";
import type { DaemonOptions } from "./options.js";

/** Dies at the asked passing of the asked point, as a crash would: no clean-up, no last words. */
export function crashProbe(crash: DaemonOptions["crash"]): PassCrashPoint {
  if (!crash) return () => undefined;
  let left = crash.passing;
  return (point) => {
    if (point !== crash.point) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  };
}
