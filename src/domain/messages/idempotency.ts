/** Port to `Idempotency-Key` records (docs/spec/http-interface.md, Idempotency), kept 24 h. */
export interface IdempotencyStore {
  /**
   * Claims the key for a new request, or returns its state. `new`: `messageId` is stored, and the caller sends. `resume`: an earlier run
   * with the same body crashed; send again under its `messageId`. `done`: with the answer passed to `finish`.
   */
  begin(entry: {
    readonly deviceId: number;
    readonly key: string;
    /** Hash of the request's body and route. */
    readonly fingerprint: string;
    readonly messageId: string;
    /** Identifies this process run: an unfinished record of another run means a crash. */
    readonly runId: string;
    readonly now: number;
  }): Promise<
    | { readonly kind: 'new'; readonly messageId: string }
    | { readonly kind: 'resume'; readonly messageId: string; readonly startedAt: number }
    | { readonly kind: 'running' }
    | { readonly kind: 'mismatch' }
    | { readonly kind: 'done'; readonly messageId: string; readonly answer: unknown }
  >;
  /** The network has accepted the message: the key now returns `done`. `answer`: plain data, if it is no message. */
  finish(deviceId: number, key: string, answer?: unknown): Promise<void>;
  /** Releases the key after an error that certainly sent nothing (a 400, a 404, a rejection by the network), unless another run has claimed it. */
  abandon(deviceId: number, key: string, runId: string): Promise<void>;
}
