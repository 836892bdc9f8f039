import { ModelError } from "./model.js";

/** A model may think for long; a connection on which nothing at all comes for so long is dead. */
const SILENCE_MS = 240_000;

/** Fetches like `fetch`, and gives up when the server is silent, before its answer or in the middle of it. */
export function patientFetch(silenceMs: number = SILENCE_MS): typeof fetch {
  return async (input, init) => {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(silentFor(silenceMs)), silenceMs).unref();
    const signals = [silence.signal, ...(init?.signal ? [init.signal] : [])];
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) }).catch(
      (error: unknown) => {
        clearTimeout(timer);
        throw error;
      },
    );
    timer.refresh();
    const heard = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        timer.refresh();
        controller.enqueue(chunk);
      },
      flush: () => clearTimeout(timer),
    });
    const { status, statusText, headers } = response;
    return new Response(response.body?.pipeThrough(heard) ?? null, { status, statusText, headers });
  };
}

function silentFor(silenceMs: number): ModelError {
  return new ModelError(
    `The model's server sent nothing for ${silenceMs / 1_000} s.`,
    "api_req_failed",
    false,
  );
}
