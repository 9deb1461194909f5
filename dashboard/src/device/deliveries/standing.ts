/** The standing of a delivery: delivered, failed, being retried, or waiting, and behind which event. */
import type { Delivery, HandsetEvent } from '../../api/types.ts';
import { clockTime } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';

const words = texts.deliveries;

type Tone = 'good' | 'warn' | 'bad' | 'calm';

export interface Standing {
  readonly tone: Tone;
  readonly text: string;
  /** The delivery that it waits for. */
  readonly behind: Delivery | null;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Events of one chat are posted in order, and so are those of the connection. */
const orderOf = ({ type, data }: HandsetEvent): string => {
  const { message, chat, group, from }: Readonly<Record<string, unknown>> = data;
  const order = isRecord(message) ? message.chat : (chat ?? group ?? from);
  return typeof order === 'string' ? order : (type.split('.')[0] ?? type);
};

export const isRetrying = ({ state, attempts }: Delivery): boolean => state === 'pending' && attempts > 0;

/** Due but never posted, so something holds it back. */
const isWaiting = ({ state, attempts, late }: Delivery): boolean => state === 'pending' && attempts === 0 && !late;

/** `events`: those of the deliveries, if known. Both are newest first. */
const behindOf = (
  delivery: Delivery,
  deliveries: readonly Delivery[],
  events: ReadonlyMap<string, HandsetEvent>,
): Delivery | null => {
  const event = events.get(delivery.eventId);
  if (event === undefined || !isWaiting(delivery)) return null;
  const order = orderOf(event);
  const older = deliveries.slice(deliveries.indexOf(delivery) + 1).filter((one) => {
    const other = events.get(one.eventId);
    return (
      isRetrying(one) &&
      !one.late &&
      one.deviceId === delivery.deviceId &&
      other !== undefined &&
      orderOf(other) === order
    );
  });
  return older.at(-1) ?? null;
};

/** Null unless it waits for another delivery. */
export const behindText = ({ behind }: Standing): string | null =>
  behind === null ? null : words.behind(behind.eventType, clockTime(behind.createdAt));

/** The status and the reason, without repeating the status. */
export const answerText = (status: number | null, error: string | null): string =>
  [
    status === null ? '' : `HTTP ${status}`,
    error !== null && !(status !== null && error.endsWith(`answered ${status}`)) ? error : '',
  ]
    .filter(Boolean)
    .join(' · ');

export const standingOf = (
  delivery: Delivery,
  deliveries: readonly Delivery[],
  events: ReadonlyMap<string, HandsetEvent>,
): Standing => {
  if (delivery.state === 'delivered') return { tone: 'good', text: words.state.delivered, behind: null };
  if (delivery.state === 'failed') return { tone: 'bad', text: words.state.failed, behind: null };
  if (isRetrying(delivery)) return { tone: 'warn', text: words.retrying, behind: null };
  const behind = behindOf(delivery, deliveries, events);
  return { tone: 'calm', text: behind === null ? words.state.pending : words.waiting, behind };
};
