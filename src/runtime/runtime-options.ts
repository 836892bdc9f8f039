import type { PassCrashPoint } from "./crash-point.js";
import type { Harness } from "./harness.js";
import type { Bus, Clock, Driver, Journal, Observer } from "./ports.js";

export interface RuntimeOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly bus: Bus;
  readonly driver: Driver;
  readonly observer: Observer;
  /** A stand-in for a harness that is not known any more: its sessions stay, and cannot be started. */
  readonly harness: (name: string) => Harness;
  readonly newId: () => string;
  readonly pass: PassCrashPoint;
  /** Whether somebody is there who can tell a run something; absent: always. Asked before anything is promised. */
  readonly isReachable?: (sessionId: string, run: number) => boolean;
}
