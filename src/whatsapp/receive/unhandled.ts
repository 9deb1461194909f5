/**
 * Stanzas that nothing here reads, acknowledged all the same: the network delivers again what is not, and ends the stream.
 *
 * - `<status>`, the status posts of contacts since July 2026, is acked with `class="status"` and dropped: unacked it came 25
 *   times, and the stream ended every 50 minutes (whatsapp-rust #1101, 2026-07-25; whatsmeow a2381054, 2026-07-20).
 * - A message to `status@broadcast`, the older form, gets a plain ack. A refusal with 500 held back all that waited
 *   (Baileys #2779, August 2026).
 * - A stanza of a kind not known here is acked when it has `id` and `from`.
 */
import { type BinaryNode, buildAckStanza } from '../engine/nodes.ts';
import type { StanzaSource } from '../engine/stanza-hooks.ts';

/** Tags that Baileys or this driver handles, or that want no ack. */
const handled: ReadonlySet<string> = new Set([
  'ack',
  'call',
  'chatstate',
  'error',
  'failure',
  'ib',
  'iq',
  'message',
  'notification',
  'presence',
  'receipt',
  'stream:error',
  'stream:features',
  'success',
  'xmlstreamend',
]);

export const isStatusPost = ({ attrs }: BinaryNode): boolean => attrs.from === 'status@broadcast';

const wantsAck = ({ tag, attrs }: BinaryNode): boolean =>
  !handled.has(tag) && attrs.id !== undefined && attrs.from !== undefined;

export const acknowledgeUnhandled = (
  socket: StanzaSource,
  acknowledge: (nodes: readonly BinaryNode[]) => void,
): void => {
  socket.on('frame', (node: BinaryNode) => {
    if (wantsAck(node)) acknowledge([buildAckStanza(node)]);
  });
};
