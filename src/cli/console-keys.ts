/** `npm start`: one line that says where the page is, and the keys with which a person gets there. */
import type { ReadStream } from "node:tty";
import type { Client } from "../client/client.js";
import { openInBrowser } from "./browser.js";
import { errorReport } from "./error-report.js";

export interface ConsoleWorld {
  readonly client: Pick<Client, "createLoginLink">;
  readonly say: (text: string) => void;
  readonly browse: (url: string) => Promise<boolean>;
  /** The daemon ends; its agents go on. */
  readonly quit: () => void;
}

const KEYS = "Keys: o open, l new link, q quit";
const LIFE = "works once, within an hour";

/** Takes one key after the other; what is pasted is none. */
export class ConsoleKeys {
  constructor(private readonly world: ConsoleWorld) {}

  /** The link, how long it lives, and the keys. */
  async greet(hasKeys: boolean): Promise<void> {
    const { url } = await this.world.client.createLoginLink({ role: "own" });
    this.world.say(`Open ${url} (${LIFE}).${hasKeys ? ` ${KEYS}` : ""}`);
  }

  async press(key: string): Promise<void> {
    switch (key) {
      case "q":
      case "\u0003":
      case "\u0004":
        this.world.quit();
        return;
      case "l":
        return this.greet(true);
      case "o":
        return this.open();
      default:
        if (/^[a-z?]$/i.test(key)) this.world.say(KEYS);
    }
  }

  private async open(): Promise<void> {
    const { url } = await this.world.client.createLoginLink({ role: "own" });
    const isOpened = await this.world.browse(url);
    this.world.say(
      isOpened ? "A browser was asked to open the page." : `No browser here. Open ${url} (${LIFE}).`,
    );
  }
}

/** Greets, and reads keys as long as the process lives. */
export async function runConsole(client: Client, input: ReadStream | null): Promise<void> {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const keys = new ConsoleKeys({
    client,
    say,
    browse: openInBrowser,
    quit: () => {
      input?.setRawMode(false);
      say("The daemon ends; agents go on.");
      process.kill(process.pid, "SIGTERM");
    },
  });
  await keys.greet(input !== null);
  if (input === null) return;
  input.setRawMode(true);
  input.on("data", (chunk: Buffer) => {
    keys.press(chunk.toString("latin1")).catch((error: unknown) => say(errorReport(error).message));
  });
}
