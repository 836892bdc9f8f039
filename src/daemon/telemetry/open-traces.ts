import type { TurnTraces } from "./turn-traces.js";

export interface OpenTraces {
  readonly traces: TurnTraces;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the standard variables ask for traces; without them there are none, and nothing of it is loaded. */
export function wantsTraces(environment: Environment): boolean {
  if (environment["OTEL_SDK_DISABLED"] === "true" || environment["OTEL_TRACES_EXPORTER"] === "none")
    return false;
  return (
    environment["OTEL_TRACES_EXPORTER"] === "otlp" ||
    (environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] ?? "") !== "" ||
    (environment["OTEL_EXPORTER_OTLP_ENDPOINT"] ?? "") !== ""
  );
}

/** The exporter reads its endpoint, headers and time-out from the standard variables itself. */
export async function openTraces(environment: Environment, version: string): Promise<OpenTraces | null> {
  if (!wantsTraces(environment)) return null;
  const [
    { BasicTracerProvider, BatchSpanProcessor },
    { OTLPTraceExporter },
    { resourceFromAttributes },
    { TurnTraces },
  ] = await Promise.all([
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("./turn-traces.js"),
  ]);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      "service.name": environment["OTEL_SERVICE_NAME"] ?? "signalbox",
      "service.version": version,
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const traces = new TurnTraces(provider.getTracer("signalbox", version));
  return {
    traces,
    async close() {
      traces.close();
      await provider.shutdown();
    },
  };
}
