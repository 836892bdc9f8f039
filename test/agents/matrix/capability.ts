import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { CreateSession } from "../../../src/protocol/api-schemas.js";
import type { Lab } from "../lab.js";
import type { LabSession } from "../lab-session.js";
import type { AgentProfile } from "./profiles.js";

const MINUTE_MS = 60_000;
const MARGIN_MS = 1_000;

/** One thing that must work with every agent. It returns when it did, and throws when it did not. */
export type Capability = (stand: Stand) => Promise<void>;

/** An agent at work, for one capability. */
export class Stand {
  private readonly sessions: LabSession[] = [];

  constructor(
    readonly lab: Lab,
    readonly profile: AgentProfile,
    /** A word of its own, for files and prompts that nobody else has. */
    readonly word: string,
  ) {
    // Whatever somebody else has left.
    lab.model.mistakes.length = 0;
  }

  async start(prompt: string, more: Partial<CreateSession> = {}): Promise<LabSession> {
    const session = await this.lab.start(this.profile.harness, prompt, { ...this.profile.session, ...more });
    this.sessions.push(session);
    return session;
  }

  /** A session that has answered once and waits. */
  async started(): Promise<LabSession> {
    const session = await this.start("Say hello. [[text:hello]]");
    await session.reaches("completed");
    return session;
  }

  /** When a new process can go on with the conversation. */
  async untilResumable(): Promise<void> {
    if (this.profile.resumesInNextMinute) await sleep(MINUTE_MS - (Date.now() % MINUTE_MS) + MARGIN_MS);
  }

  file(name: string): string {
    return join(this.lab.cwd, `${this.word}-${name}`);
  }

  async has(name: string): Promise<boolean> {
    try {
      await access(this.file(name));
      return true;
    } catch {
      return false;
    }
  }

  /** A command that no agent runs without asking, and that shows that it ran. */
  touch(name: string): string {
    return this.shell(`touch ${this.file(name)}`);
  }

  shell(command: string): string {
    return this.profile.shell?.(command) ?? `[[shell:${command}]]`;
  }

  /** By its tool for files, or where that asks nobody by a command. */
  write(name: string, text: string): string {
    const path = this.file(name);
    return this.profile.shell?.(`echo '${text}' > ${path}`) ?? `[[write:${path}=${text}]]`;
  }

  /** Whether some request to the model held these words. */
  modelHeard(words: string): boolean {
    return this.lab.model.seen.some(({ body }) => JSON.stringify(body).includes(words));
  }

  async end(): Promise<void> {
    for (const session of this.sessions) await session.remove();
    expect(this.lab.model.mistakes.splice(0)).toEqual([]);
  }
}
