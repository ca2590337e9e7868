// The part of the Workers' module for TCP that is used here. Its full declarations replace the global types of Node.js.

declare module "cloudflare:sockets" {
  export interface Socket {
    readonly readable: ReadableStream<Uint8Array>;
    readonly writable: WritableStream<Uint8Array>;
    readonly opened: Promise<unknown>;
    readonly closed: Promise<void>;
    close(): Promise<void>;
    startTls(): Socket;
  }
  export function connect(
    address: { readonly hostname: string; readonly port: number },
    options: { readonly secureTransport: "off" | "starttls"; readonly allowHalfOpen: boolean },
  ): Socket;
}
