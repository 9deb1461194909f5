/** The operation that the event loop works on, so that one which blocks it can be named. Nothing of its content. */

export interface Operation {
  /** `stanza` of a device, `message`: of one that is read, or `request`. */
  readonly kind: 'stanza' | 'message' | 'request' | 'history';
  readonly deviceId?: number | null | undefined;
  /** The stanza's tag. */
  readonly stanza?: string;
  /** Method and route, without values. */
  readonly route?: string;
}

/** From one note to the next. */
export interface Stretch {
  readonly operation: Operation | null;
  readonly ms: number;
}

const none: Stretch = { operation: null, ms: 0 };

let [operation, since]: [Operation | null, number] = [null, performance.now()];
let longest = none;

/** Says what runs from now on; null: nothing that is known. */
export const noteOperation = (next: Operation | null): void => {
  const now = performance.now();
  if (now - since > longest.ms) longest = { operation, ms: now - since };
  [operation, since] = [next, now];
};

/** The longest stretch since the last look. */
export const longestStretch = (): Stretch => {
  noteOperation(null);
  const found = longest;
  longest = none;
  return found;
};

/** Times at which the event loop was blocked, since the start. */
export interface LoopReport {
  readonly blocked: Readonly<Record<Operation['kind'] | 'other', number>>;
  readonly longest: Stretch | null;
  /** When it was blocked last, ms. */
  readonly lastAt: number | null;
}
