// Owns the interface of what spans are sent to once they have ended. Knows no protocol.

export interface FinishedSpan {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for the first of a trace. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** Fit to leave: scrubbed and of bounded length. */
  readonly attributes: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Attributes that there was no room for. */
  readonly droppedAttributes: number;
  readonly failure: { readonly type: string; readonly message: string } | undefined;
}

export interface SpanExporter {
  /** @returns how many of them were refused. @throws DependencyError of the system `collector` */
  send(spans: readonly FinishedSpan[], project: string): Promise<number>;
}
