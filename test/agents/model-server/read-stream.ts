/** As much of a client of the model server as its tests need. */

export interface ReadEvent {
  readonly event?: string;
  readonly data: unknown;
}

/** Asks, and gives what came: the events of a stream, or the JSON of a whole answer. */
export async function ask(
  url: string,
  body: object,
): Promise<{
  readonly status: number;
  readonly headers: Headers;
  readonly events: readonly ReadEvent[];
  readonly json: unknown;
}> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
  const text = await response.text();
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  return {
    status: response.status,
    headers: response.headers,
    events: isStream ? parseEvents(text) : [],
    json: isStream ? null : (JSON.parse(text) as unknown),
  };
}

function parseEvents(text: string): readonly ReadEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block !== "")
    .map((block) => {
      const fields = block.split("\n").map((line): readonly [string, string] => {
        const at = line.indexOf(": ");
        return [line.slice(0, at), line.slice(at + 2)];
      });
      const event = fields.find(([name]) => name === "event")?.[1];
      const data = fields.find(([name]) => name === "data")?.[1] ?? "";
      const value: unknown = data === "[DONE]" ? data : JSON.parse(data);
      return event === undefined ? { data: value } : { event, data: value };
    });
}
