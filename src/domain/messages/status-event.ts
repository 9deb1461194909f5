/** Events about statuses (docs/spec/events.md, Event kinds). */
import type { Jid } from '../jid.ts';
import type { MessageMedia, MessageType, Person } from './parts.ts';

/** As shown to callers, in `status.received` and in lists. */
export interface StatusData {
  readonly id: string;
  readonly from: Jid;
  readonly fromNumber: string | null;
  readonly fromLid: Jid | null;
  readonly fromUsername: string | null;
  readonly pushName: string | null;
  readonly timestamp: number;
  readonly type: MessageType;
  readonly text: string | null;
  readonly media: MessageMedia | null;
  /** Background of a text, `#rrggbb`; null: unknown. */
  readonly background: string | null;
  readonly font: number | null;
}

export type StatusEvent =
  | { readonly type: 'status.received'; readonly data: { readonly status: StatusData } }
  | { readonly type: 'status.deleted'; readonly data: { readonly statusId: string; readonly by: Person } }
  | {
      readonly type: 'status.viewed';
      readonly data: {
        readonly statusId: string;
        readonly by: Person;
        /** A like's emoji; null: removed. Absent: only viewed. */
        readonly reaction?: string | null;
      };
    };
