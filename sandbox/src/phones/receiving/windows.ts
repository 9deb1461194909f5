/**
 * How long a message can be changed. What is changed is encrypted, so the server knows nothing of it and refuses nothing: the apps that receive a late
 * change pass it over.
 *
 * Edits: 20 minutes (WhatsApp Web's property `message_edit_window_duration_seconds` 1200, zapo spec/abprops, 2026-08-19; whatsmeow `EditWindow`,
 * 2026-08-21). Revokes: 2 days and 12 hours, as published for senders (2026-05); that receivers hold to it, too, is assumed.
 */
import type { ViewMessage } from '../context/view.ts';
import type { Reading } from '../reading/read.ts';

const windowsMs: Readonly<Partial<Record<Reading['kind'], number>>> = { edit: 20 * 60_000, revoke: 60 * 3_600_000 };

/** `at`: when the change was sent by the server's clock, ms. */
export const isTooLate = ({ kind }: Reading, { timestamp }: ViewMessage, at: number): boolean =>
  at - Date.parse(timestamp) > (windowsMs[kind] ?? Infinity);
