// The socket that postgres.js uses: one connection, closed on a signal, that passes on only messages that a guard accepts.

import type { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import type { MessageGuard } from "./message-guard.ts";
import { openNodeTransport } from "./node-transport.ts";
import { type SqlTransport, type TransportOptions, unreachable } from "./transport.ts";
import { openWorkersTransport } from "./workers-transport.ts";

export class GuardedSocket extends EventEmitter {
  /** Why the guard closed the connection. */
  refused: "too_many" | "invalid" | undefined;
  readonly #options: TransportOptions;
  readonly #guard: MessageGuard;
  #isOpened = false;
  #transport: SqlTransport | undefined;

  constructor(options: TransportOptions, guard: MessageGuard) {
    super();
    this.#options = options;
    this.#guard = guard;
    this.on("error", () => {}); // Without a listener, an error would end the process.
  }

  /** Connects once: a second connection would be outside of the transaction that the first one began. @throws DependencyError */
  async open(): Promise<this> {
    if (this.#isOpened || this.#options.signal.aborted) throw unreachable("the server closed the connection");
    this.#isOpened = true;
    const open = globalThis.navigator?.userAgent === "Cloudflare-Workers" ? openWorkersTransport : openNodeTransport;
    this.#transport = await open(this.#options, {
      data: (bytes) => this.#receive(bytes),
      error: (error) => this.emit("error", error),
      close: () => this.emit("close"),
    });
    return this;
  }

  #receive(bytes: Buffer): void {
    if (this.refused !== undefined) return;
    const verdict = this.#guard(bytes);
    if (verdict === "ok") this.emit("data", bytes);
    else {
      this.refused = verdict;
      this.emit("error", new Error(`messages refused: ${verdict}`));
      this.destroy();
    }
  }

  get readyState(): "open" | "closed" {
    return this.#transport?.isOpen ? "open" : "closed";
  }

  write(bytes: Buffer): boolean {
    this.#transport?.write(bytes);
    return true;
  }

  end(bytes: Buffer): void {
    this.#transport?.end(bytes);
  }

  destroy(): void {
    this.#transport?.destroy();
  }
}
