/** Counters, gauges and histograms in the text format of Prometheus. Names and labels are ours; nothing is sampled. */

/** A label's values come from agents too: beyond this many sets of them, the rest is counted together. */
const LABEL_SETS_MAX = 200;
const LABEL_LENGTH_MAX = 100;
const OTHER = "other";

export interface Counter {
  /** One value for each label name, in order. */
  add(amount: number, ...labels: readonly string[]): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** A gauge's values when it is asked: one number, or one for each value of its label. */
export type GaugeReading = number | ReadonlyMap<string, number>;

interface Family {
  text(): Promise<string>;
}

export class Metrics {
  readonly #families = new Map<string, Family>();

  counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    const family = new CounterFamily(name, help, labelNames);
    this.#add(name, family);
    return family;
  }

  /** `bucketBounds` rise; the last bucket, `+Inf`, is added. */
  histogram(name: string, help: string, bucketBounds: readonly number[]): Histogram {
    const family = new HistogramFamily(name, help, bucketBounds);
    this.#add(name, family);
    return family;
  }

  /** Read whenever somebody looks. */
  gauge(
    name: string,
    help: string,
    read: () => GaugeReading | Promise<GaugeReading>,
    labelName: string | null = null,
  ): void {
    this.#add(name, {
      text: async () => headOf(name, help, "gauge") + gaugeLines(name, labelName, await read()),
    });
  }

  async text(): Promise<string> {
    const texts = await Promise.all([...this.#families.values()].map((family) => family.text()));
    return texts.join("");
  }

  #add(name: string, family: Family): void {
    if (this.#families.has(name)) throw new Error(`there are two metrics named ${name}`);
    this.#families.set(name, family);
  }
}

class CounterFamily implements Counter, Family {
  readonly #head: string;
  readonly #name: string;
  readonly #labelNames: readonly string[];
  readonly #values = new Map<string, { readonly labels: readonly string[]; value: number }>();

  constructor(name: string, help: string, labelNames: readonly string[]) {
    this.#head = headOf(name, help, "counter");
    this.#name = name;
    this.#labelNames = labelNames;
    if (labelNames.length === 0) this.add(0);
  }

  add(amount: number, ...labels: readonly string[]): void {
    const key = labels.length === 1 ? (labels[0] ?? "") : labels.join("\0");
    const known = this.#values.get(key);
    if (known) known.value += amount;
    else if (this.#values.size < LABEL_SETS_MAX) this.#values.set(key, { labels, value: amount });
    else this.#addToOther(amount);
  }

  text(): Promise<string> {
    const lines = [...this.#values.values()].map(
      ({ labels, value }) => `${this.#name}${labelText(this.#labelNames, labels)} ${value}\n`,
    );
    return Promise.resolve(this.#head + lines.join(""));
  }

  #addToOther(amount: number): void {
    const key = "\0other";
    const known = this.#values.get(key);
    if (known) known.value += amount;
    else this.#values.set(key, { labels: this.#labelNames.map(() => OTHER), value: amount });
  }
}

class HistogramFamily implements Histogram, Family {
  readonly #head: string;
  readonly #name: string;
  readonly #bounds: readonly number[];
  /** One more than bounds: the last is for all above. Not yet summed up. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#head = headOf(name, help, "histogram");
    this.#name = name;
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let index = 0;
    while (index < this.#bounds.length && value > (this.#bounds[index] ?? Infinity)) index += 1;
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#sum += value;
  }

  text(): Promise<string> {
    let count = 0;
    const buckets = [...this.#counts].map((inBucket, index) => {
      count += inBucket;
      const bound = this.#bounds[index];
      return `${this.#name}_bucket{le="${bound === undefined ? "+Inf" : String(bound)}"} ${count}\n`;
    });
    const totals = `${this.#name}_sum ${this.#sum}\n${this.#name}_count ${count}\n`;
    return Promise.resolve(this.#head + buckets.join("") + totals);
  }
}

function headOf(name: string, help: string, type: "counter" | "gauge" | "histogram"): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function gaugeLines(name: string, labelName: string | null, reading: GaugeReading): string {
  if (typeof reading === "number") return `${name} ${reading}\n`;
  const names = labelName === null ? [] : [labelName];
  return [...reading]
    .slice(0, LABEL_SETS_MAX)
    .map(([label, value]) => `${name}${labelText(names, [label])} ${value}\n`)
    .join("");
}

function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  return `{${names.map((name, index) => `${name}="${escapeLabel(values[index] ?? "")}"`).join(",")}}`;
}

function escapeLabel(value: string): string {
  const short = value.slice(0, LABEL_LENGTH_MAX);
  return short.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
