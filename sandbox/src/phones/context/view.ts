/** The messages on a phone's screen: ordered and bounded. */
import type { Content, MessageKind, Surroundings } from '../kinds/types.ts';

export type ViewState = 'pending' | 'accepted' | 'delivered' | 'received' | 'read' | 'played' | 'failed';

export interface ViewMedia {
  readonly mimetype: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly caption: string | null;
  readonly fileName: string | null;
  readonly seconds?: number;
  readonly width?: number;
  readonly height?: number;
  readonly waveform?: readonly number[];
  readonly pageCount?: number;
  readonly thumbnailBytes?: number;
  readonly voice?: true;
  readonly gif?: true;
  readonly note?: true;
  readonly animated?: true;
}

export interface ViewImage {
  readonly mimetype: string | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly caption: string | null;
  readonly claimedWidth: number | null;
  readonly claimedHeight: number | null;
  readonly thumbnailBytes: number;
}

export interface Shown extends Content, Surroundings {
  readonly type: MessageKind;
  readonly text: string | null;
  readonly quotedId: string | null;
  readonly image: ViewImage | null;
  readonly media: ViewMedia | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly error: string | null;
}

export interface ViewMessage extends Shown {
  readonly seq: number;
  readonly id: string;
  /** A phone JID, or the JID of a group. */
  readonly chat: string;
  readonly from: string;
  readonly fromMe: boolean;
  readonly pushName: string | null;
  readonly timestamp: string;
  readonly state: ViewState;
  readonly edited: boolean;
  readonly revoked: boolean;
  /** Absent if it was never starred. */
  readonly starred?: boolean;
  readonly labels?: readonly string[];
  readonly deletedForMe?: true;
  readonly reactions: readonly { readonly from: string; readonly emoji: string }[];
  readonly comments?: readonly { readonly from: string; readonly text: string }[];
  readonly pinned?: { readonly from: string; readonly seconds: number } | null;
}

export interface NewMessage extends Pick<ViewMessage, 'id' | 'chat' | 'from' | 'fromMe' | 'pushName' | 'state'> {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

export type Change = Partial<
  Pick<ViewMessage, 'edited' | 'revoked' | 'reactions' | 'comments' | 'pinned' | 'starred' | 'labels' | 'state'> &
    Omit<Shown, 'type' | 'quotedId'>
>;

/** A state never goes back. */
const steps: Readonly<Record<ViewState, number>> = {
  pending: 0,
  accepted: 1,
  delivered: 2,
  received: 2,
  read: 3,
  played: 4,
  failed: 5,
};

const defaultCapacity = 50_000;
/** Trimming in steps of this size keeps its cost per message low. */
const slack = 1_000;

export class MessageView {
  readonly #capacity: number;
  #messages: ViewMessage[] = [];
  readonly #byId = new Map<string, number>();
  #nextSeq = 1;
  readonly #waiters = new Set<() => void>();
  #changes = 0;

  constructor(capacity = defaultCapacity) {
    this.#capacity = capacity;
  }

  get lastSeq(): number {
    return this.#nextSeq - 1;
  }

  get changes(): number {
    return this.#changes;
  }

  add(shown: Shown, { at, ...message }: NewMessage): void {
    const timestamp = new Date(at).toISOString();
    this.#push({ seq: this.#nextSeq, ...shown, ...message, timestamp, edited: false, revoked: false, reactions: [] });
    this.#wake();
  }

  find(id: string): ViewMessage | null {
    const seq = this.#byId.get(id);
    return seq === undefined ? null : (this.#messages[seq - this.#firstSeq] ?? null);
  }

  change(id: string, members: Change): void {
    const found = this.find(id);
    if (found === null) return;
    this.#messages[found.seq - this.#firstSeq] = { ...found, ...members };
    this.#wake();
  }

  revoke(id: string): void {
    this.#empty(id, { revoked: true });
  }

  deleteForMe(id: string): void {
    if (this.find(id)?.deletedForMe !== true) this.#empty(id, { deletedForMe: true });
  }

  #empty(id: string, why: Partial<Pick<ViewMessage, 'revoked' | 'deletedForMe'>>): void {
    const found = this.find(id);
    if (found === null) return;
    const { seq, chat, from, fromMe, pushName, timestamp, state, edited, revoked, reactions, type, quotedId } = found;
    const envelope = {
      seq,
      id,
      chat,
      from,
      fromMe,
      pushName,
      timestamp,
      state,
      edited,
      revoked,
      reactions,
      type,
      quotedId,
    };
    const nothing = { text: null, image: null, media: null, details: null, error: null };
    this.#messages[seq - this.#firstSeq] = { ...envelope, ...nothing, ...why };
    this.#wake();
  }

  advance(id: string, state: ViewState): void {
    const found = this.find(id);
    if (found !== null && steps[state] > steps[found.state]) this.change(id, { state });
  }

  after(seq: number, limit = Infinity): readonly ViewMessage[] {
    const start = Math.max(seq + 1 - this.#firstSeq, 0);
    return this.#messages.slice(start, start + limit);
  }

  /** Resolves when `holds` becomes true, after `ms`, or when `signal` aborts. */
  waitUntil(holds: () => boolean, ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0 || signal.aborted || holds()) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const check = (): void => {
        if (holds()) done();
      };
      const timer = setTimeout(done, ms);
      this.#waiters.add(check);
      signal.addEventListener('abort', done);
    });
  }

  snapshot(): { readonly nextSeq: number; readonly messages: readonly ViewMessage[] } {
    return { nextSeq: this.#nextSeq, messages: this.after(0) };
  }

  restore(from: { readonly nextSeq: number; readonly messages: readonly ViewMessage[] }): void {
    this.#messages = [];
    this.#byId.clear();
    for (const message of from.messages) this.#push(message);
    this.#nextSeq = from.nextSeq;
  }

  get #firstSeq(): number {
    return this.#messages[0]?.seq ?? this.#nextSeq;
  }

  #push(message: ViewMessage): void {
    this.#messages.push(message);
    this.#byId.set(message.id, message.seq);
    this.#nextSeq = message.seq + 1;
    if (this.#messages.length <= this.#capacity + slack) return;
    for (const old of this.#messages.splice(0, slack))
      if (this.#byId.get(old.id) === old.seq) this.#byId.delete(old.id);
  }

  #wake(): void {
    this.#changes += 1;
    for (const check of this.#waiters) check();
  }
}
