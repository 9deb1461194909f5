/** The events that must come out of a run, named so that a webhook event can be matched with them. */
import type { EventEnvelope } from '../../../src/domain/event.ts';

interface AnyData {
  readonly message?: { readonly id: string; readonly chat: string };
  readonly messageId?: string;
  readonly chat?: string;
  readonly callId?: string;
  readonly from?: string;
  readonly status?: string;
  readonly update?: {
    readonly status?: string;
    readonly text?: string;
    readonly reaction?: string;
    /** In a group. */
    readonly from?: { readonly jid: string };
    /** The content of a message that was told without it. */
    readonly message?: object;
  };
}

const dataOf = (event: EventEnvelope): AnyData => event.data as AnyData;

/** The name of what an event tells; null for what the run does not look at. */
export const nameOf = (event: EventEnvelope): string | null => {
  const { message, messageId, callId, status, update } = dataOf(event);
  const at = `device ${event.deviceId}:`;
  switch (event.type) {
    case 'message.received':
      return `${at} received ${message!.id}`;
    case 'message.sent':
      return `${at} sent ${message!.id}`;
    case 'message.deleted':
      return `${at} deleted ${messageId}`;
    case 'message.updated':
      if (update?.message !== undefined) return `${at} arrived ${messageId}`;
      if (update?.status !== undefined)
        return `${at} ${update.status} ${messageId}${update.from === undefined ? '' : ` to ${update.from.jid}`}`;
      return update?.text === undefined
        ? `${at} reaction ${update?.reaction} to ${messageId}`
        : `${at} edited ${messageId} to ${update.text}`;
    case 'call':
      return `${at} call ${callId} ${status}`;
    default:
      return null;
  }
};

/** The delivery queue of an event: a chat, a caller, or the device's own news. */
export const laneOf = (event: EventEnvelope): string => {
  const { message, chat, from } = dataOf(event);
  return `device ${event.deviceId}, ${message?.chat ?? chat ?? (event.type === 'call' ? from : 'its connection')}`;
};

export class Wanted {
  readonly #names = new Set<string>();
  readonly #series = new Map<string, string[]>();

  /** An event of this name must reach the webhook, under one id. */
  add(name: string): void {
    this.#names.add(name);
  }

  /** As `add`; and those of one series in this order. */
  addInOrder(series: string, name: string): void {
    this.add(name);
    const list = this.#series.get(series) ?? [];
    list.push(name);
    this.#series.set(series, list);
  }

  /** Wanted events that are not kept need not come any more. */
  forgive(isKept: (name: string) => boolean): void {
    for (const name of this.#names) if (!isKept(name)) this.#names.delete(name);
    for (const [series, names] of this.#series) this.#series.set(series, names.filter(isKept));
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  get series(): ReadonlyMap<string, readonly string[]> {
    return this.#series;
  }
}
