/** One incarnation of the daemon. Whatever was under way when it ended never comes back to it. */
export class Life {
  alive = true;

  constructor(readonly number: number) {}

  end(): void {
    this.alive = false;
  }
}
