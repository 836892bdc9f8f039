/** What goes wrong, and how often compared with the others. */
export const FAULTS = {
  crash: 10,
  crash_after: 10,
  close: 8,
  failed_commit: 10,
  full_disk: 4,
  keeper_death: 3,
  power_loss: 3,
} as const;
/** What can go wrong while there is no daemon. */
export const FAULTS_WHILE_DOWN = {
  crash: 0,
  crash_after: 0,
  close: 0,
  failed_commit: 0,
  full_disk: 1,
  keeper_death: 2,
  power_loss: 1,
} as const satisfies Readonly<Record<keyof typeof FAULTS, number>>;
/** How many steps bring a fault: some seeds see few, so that things get far; others many. */
export const FAULT_SHARES = [0.004, 0.015, 0.04];
