/** Port to `Idempotency-Key` records (docs/spec/http-interface.md, Idempotency), kept 24 h. */
export interface IdempotencyStore {
  /** `new`: the caller sends under `messageId`. `resume`: an earlier run crashed. `done`: with the answer of `finish`. */
  begin(entry: {
    readonly deviceId: number;
    readonly key: string;
    readonly fingerprint: string;
    readonly messageId: string;
    /** Of this process run: an unfinished record of another run means a crash. */
    readonly runId: string;
    readonly now: number;
  }): Promise<
    | { readonly kind: 'new'; readonly messageId: string }
    | { readonly kind: 'resume'; readonly messageId: string; readonly startedAt: number }
    | { readonly kind: 'running' }
    | { readonly kind: 'mismatch' }
    | { readonly kind: 'done'; readonly messageId: string; readonly answer: unknown }
  >;
  /** The key returns `done` from now on. `answer`: if it is no message. */
  finish(deviceId: number, key: string, answer?: unknown): Promise<void>;
  /** Releases the key after an error that certainly sent nothing, unless another run has claimed it. */
  abandon(deviceId: number, key: string, runId: string): Promise<void>;
}
export interface Creation {
  readonly userId: number;
  readonly key: string;
  readonly fingerprint: string;
}

/** Answers are written in the transaction that creates the thing and kept for 24 h, sealed, as they may contain a secret. */
export interface CreationStore {
  find(once: Creation): Promise<{ readonly answer: unknown } | null>;
  /** If the answer is known only after the thing is stored. */
  answer(once: Creation, answer: unknown): Promise<void>;
  forget(once: Creation): Promise<void>;
}
