/** The current operation of the event loop, to name one that blocks it. Contains no content. */

export interface Operation {
  readonly kind: 'stanza' | 'message' | 'request' | 'history';
  readonly deviceId?: number | null | undefined;
  readonly stanza?: string;
  readonly route?: string;
}

export interface Stretch {
  readonly operation: Operation | null;
  readonly ms: number;
}

const none: Stretch = { operation: null, ms: 0 };

let [operation, since]: [Operation | null, number] = [null, performance.now()];
let longest = none;

export const noteOperation = (next: Operation | null): void => {
  const now = performance.now();
  if (now - since > longest.ms) longest = { operation, ms: now - since };
  [operation, since] = [next, now];
};

export const longestStretch = (): Stretch => {
  noteOperation(null);
  const found = longest;
  longest = none;
  return found;
};

export interface LoopReport {
  readonly blocked: Readonly<Record<Operation['kind'] | 'other', number>>;
  readonly longest: Stretch | null;
  readonly lastAt: number | null;
}
