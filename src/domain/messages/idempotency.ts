/** The port to the records of `Idempotency-Key`. */

/** Idempotency-Key records (docs/spec/http-interface.md, Idempotency): kept 24 h. */
export interface IdempotencyStore {
  /**
   * Claims the key for a new request, or tells what there is. `new`: `messageId` is stored and the caller sends.
   * `resume`: an earlier run with the same body ended in a crash; send again under its `messageId`. `done`: with the answer that `finish` was given.
   */
  begin(entry: {
    readonly deviceId: number;
    readonly key: string;
    /** Hash of the request's body and route. */
    readonly fingerprint: string;
    readonly messageId: string;
    /** Names this process run: a record claimed by another run that never finished is a crash. */
    readonly runId: string;
    readonly now: number;
  }): Promise<
    | { readonly kind: 'new'; readonly messageId: string }
    | { readonly kind: 'resume'; readonly messageId: string; readonly startedAt: number }
    | { readonly kind: 'running' }
    | { readonly kind: 'mismatch' }
    | { readonly kind: 'done'; readonly messageId: string; readonly answer: unknown }
  >;
  /** The network has accepted the message: from now on the key answers `done`. `answer`: plain data, of what is no message. */
  finish(deviceId: number, key: string, answer?: unknown): Promise<void>;
  /** Gives the key back after an error that certainly sent nothing (a 400, a 404, a rejection by the network), unless another run has it by now. */
  abandon(deviceId: number, key: string, runId: string): Promise<void>;
}
