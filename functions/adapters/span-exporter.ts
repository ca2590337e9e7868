// Interface of an exporter of finished spans.

export interface FinishedSpan {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  /** Undefined for the root span. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** Scrubbed and of bounded length. */
  readonly attributes: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Number of attributes that did not fit. */
  readonly droppedAttributes: number;
  readonly failure: { readonly type: string; readonly message: string } | undefined;
}

export interface SpanExporter {
  /** @returns the number of rejected spans. @throws DependencyError of role `trace_collector` */
  send(spans: readonly FinishedSpan[], project: string): Promise<number>;
}
