/** Scheduled messages (docs/spec/messages.md, Sends at a time). */
import { invalidRequest } from '../../errors.ts';
import type { Recipient } from '../jid.ts';
import type { FileRequest, RandomAccessBytes } from './files.ts';
import type { OutgoingContent } from './outgoing.ts';

export const scheduleLimits = {
  messages: 1_000,
  fileBytes: 256 * 1_048_576,
} as const;

const dayMs = 86_400_000;
const maxAheadMs = 90 * dayMs;
const usualWaitMs = dayMs;

export interface SendTimes {
  readonly sendAt: number;
  /** How long to wait for an offline device. */
  readonly sendUntil: number;
}

export const sendTimesOf = (sendAt: number, sendUntil: number | null, now: number): SendTimes => {
  if (sendAt <= now) throw invalidRequest('sendAt must be in the future');
  if (sendAt > now + maxAheadMs) throw invalidRequest('sendAt must be within 90 days');
  if (sendUntil === null) return { sendAt, sendUntil: sendAt + usualWaitMs };
  if (sendUntil <= sendAt) throw invalidRequest('sendUntil must be after sendAt');
  if (sendUntil > now + maxAheadMs + usualWaitMs) throw invalidRequest('sendUntil must be within 91 days');
  return { sendAt, sendUntil };
};

export type PlainContent = Extract<OutgoingContent, { readonly kind: 'text' | 'location' | 'contact' | 'poll' }>;

/** A file within the request, kept until it is sent. */
export interface GivenFile {
  readonly bytes: number;
  readonly fileName: string | null;
  readonly mimetype: string | null;
}

export type ScheduledContent =
  | { readonly kind: 'plain'; readonly content: PlainContent; readonly linkPreview: boolean }
  | {
      readonly kind: 'file';
      readonly file: FileRequest;
      readonly caption: string | null;
      readonly source: { readonly url: string } | { readonly given: GivenFile };
    }
  | {
      readonly kind: 'album';
      readonly items: readonly {
        readonly caption: string | null;
        /** `offset`: within the request's files, which are concatenated. */
        readonly source: { readonly url: string } | { readonly given: GivenFile & { readonly offset: number } };
      }[];
    }
  | { readonly kind: 'forward'; readonly messageId: string; readonly chat: string | null };

export const givenBytes = (content: ScheduledContent): number => {
  if (content.kind === 'file') return 'given' in content.source ? content.source.given.bytes : 0;
  if (content.kind !== 'album') return 0;
  return content.items.reduce((sum, { source }) => sum + ('given' in source ? source.given.bytes : 0), 0);
};

export interface ScheduledBody {
  readonly recipient: Recipient;
  readonly content: ScheduledContent;
  readonly quotedMessageId?: string | undefined;
  readonly mentions?: readonly string[] | undefined;
  readonly mentionAll?: boolean | undefined;
}

export interface NewScheduled extends SendTimes {
  readonly deviceId: number;
  readonly messageId: string;
  readonly keyId: number | null;
  readonly createdAt: number;
  readonly body: ScheduledBody;
}

export interface ScheduledMessage extends NewScheduled {
  readonly attempts: number;
  /** An attempt is under way, or its outcome is unknown. */
  readonly isLeaving: boolean;
}

export interface NextDue {
  readonly dueAt: number;
  readonly until: number;
}

export interface ScheduledStore {
  /** No-op if the id waits or was sent already. Throws RateLimited if too much waits, and DeviceNotFound. */
  add(message: NewScheduled, file: RandomAccessBytes | null): Promise<void>;
  find(deviceId: number, messageId: string): Promise<ScheduledMessage | null>;
  list(
    deviceId: number,
    page: { readonly limit: number; readonly cursor: string | null; readonly bytes?: number },
  ): Promise<{ readonly items: readonly ScheduledMessage[]; readonly nextCursor: string | null }>;
  /** False if it is being sent, or gone. */
  change(message: ScheduledMessage): Promise<boolean>;
  /** As `change`. A repeated request with the same Idempotency-Key does not bring it back. */
  cancel(deviceId: number, messageId: string): Promise<boolean>;
  remove(deviceId: number, messageId: string): Promise<void>;
  nextDue(deviceIds: readonly number[], except: readonly string[]): Promise<ReadonlyMap<number, NextDue>>;
  /** Due ones, marked as leaving; returned with `isLeaving` and `attempts` as before. */
  take(deviceId: number, now: number, limit: number, except: readonly string[]): Promise<readonly ScheduledMessage[]>;
  expired(deviceId: number, now: number, limit: number): Promise<readonly ScheduledMessage[]>;
  /** `isSafe`: the attempt certainly sent nothing. */
  postpone(deviceId: number, messageId: string, dueAt: number, isSafe: boolean): Promise<void>;
  fileOf(deviceId: number, messageId: string, bytes: number): RandomAccessBytes;
}
