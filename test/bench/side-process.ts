/** A process of ours beside the measured ones: it gets orders, one after the other, and answers each. */
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";

interface AnyOrder {
  readonly type: string;
}

type Reply<Answer> = { readonly value: Answer } | { readonly error: string };

/** `Answers` has the type of the answer to each type of order. */
export class SideProcess<Order extends AnyOrder, Answers extends Readonly<Record<Order["type"], unknown>>> {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown[]>;

  constructor(program: URL) {
    this.child = fork(program, { execArgv: [] });
    this.exited = once(this.child, "exit");
  }

  async ask<T extends Order["type"]>(order: Extract<Order, { readonly type: T }>): Promise<Answers[T]> {
    const answered = once(this.child, "message");
    this.child.send(order);
    const [reply] = await Promise.race([answered, this.exited]);
    if (typeof reply !== "object" || reply === null) throw new Error("a process of the benchmark has died");
    // Our own program wrote it.
    const result = reply as Reply<Answers[T]>;
    if ("error" in result) throw new Error(result.error);
    return result.value;
  }

  async end(): Promise<void> {
    if (this.child.connected) this.child.disconnect();
    await this.exited;
  }
}

/** In the program: answers every order, and ends with whoever gives them. */
export function answerOrders<
  Order extends AnyOrder,
  Answers extends Readonly<Record<Order["type"], unknown>>,
>(answer: (order: Order) => Promise<Answers[Order["type"]]>): void {
  const reply = (message: Reply<Answers[Order["type"]]>): void => void process.send?.(message);
  process.on("message", (order: Order) => {
    answer(order).then(
      (value) => reply({ value }),
      (error: unknown) => reply({ error: error instanceof Error ? (error.stack ?? "") : String(error) }),
    );
  });
  process.on("disconnect", () => process.exit(0));
}
