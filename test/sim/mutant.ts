/** Deliberate faults in what surrounds the runtime. A checker that finds none of them would be worth nothing. */
import type { Driver, Journal } from "../../src/runtime/ports.js";
import type { SimDisk } from "./sim-disk.js";
import type { SimKeeper } from "./sim-keeper.js";
import type { SimPumpOptions } from "./sim-pump.js";

export interface Mutant {
  readonly name: string;
  readonly driver: (driver: Driver) => Driver;
  readonly journal: (journal: Journal) => Journal;
  readonly pump: Pick<SimPumpOptions, "misplace">;
  readonly prepare: (disk: SimDisk, keeper: SimKeeper) => void;
}

export const NO_MUTANT: Mutant = {
  name: "none",
  driver: (driver) => driver,
  journal: (journal) => journal,
  pump: {},
  prepare: () => undefined,
};
