/**
 * Updates that are encrypted with the secret of the message that they are about: edits since May 2026, reactions in
 * announcement groups, poll votes, event responses, comments (whatsmeow msgsecret.go, 2026-07; Baileys #2541, #2743, live).
 *
 * The key is HKDF-SHA256 of the secret, without salt, with info = id ‖ author of the message ‖ author of the update ‖ use.
 * The update is AES-256-GCM under it, with associated data for votes and event responses alone. Its sender named
 * each person by LID or by phone number: all pairs are tried.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { proto } from '../engine/proto.ts';
import type { Person } from '../../domain/messages/parts.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { EncryptedUpdate } from '../translate/action.ts';
import { secretIn } from '../translate/parts/unwrap.ts';

const keyBytes = 32;
const tagBytes = 16;
const ivBytes = 12;

const useOf = {
  edit: 'Message Edit',
  eventEdit: 'Event Edit',
  pollEdit: 'Poll Edit',
  reaction: 'Enc Reaction',
  vote: 'Poll Vote',
  response: 'Event Response',
  comment: 'Enc Comment',
} as const satisfies Record<EncryptedUpdate['use'], string>;

/** Their associated data is the id and the author of the update. */
const isBound = (use: EncryptedUpdate['use']): boolean => use === 'vote' || use === 'response';

/** A received message's secret is stored with its record; a sent one's is in the bytes that are kept of it. */
export const secretOf = ({ secret, content }: MessageRecord): Uint8Array | null => {
  if (secret) return secret;
  return content === null ? null : secretIn(proto.Message.decode(content));
};

/** The addresses by which a person may have been named. */
const namesOf = ({ jid, number, lid }: Person): readonly Jid[] => {
  const names = [lid, number === null ? null : `${number}@s.whatsapp.net`, jid];
  return [...new Set(names.filter((name) => name !== null))];
};

interface Opening {
  readonly id: string;
  readonly secret: Uint8Array;
  readonly author: Person;
  readonly editor: Person;
}

const openedWith = (key: Uint8Array, { iv, payload }: EncryptedUpdate, bound: string | null): Uint8Array | null => {
  const end = payload.length - tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, iv);
  if (bound !== null) decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(payload.subarray(end));
  try {
    return Buffer.concat([decipher.update(payload.subarray(0, end)), decipher.final()]);
  } catch {
    return null;
  }
};

const keyOf = (secret: Uint8Array, info: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', info, keyBytes));

interface SealedReaction {
  readonly encIv: Uint8Array;
  readonly encPayload: Uint8Array;
}

/**
 * Seals a reaction. Rule: author and reactor are named by LID where they have one (whatsapp-rust features/reaction.rs, after WhatsApp Web's
 * WAWebReactionEncryptMsgData, 2026-08).
 */
export const sealReaction = (reaction: Uint8Array, { id, secret, author, editor }: Opening): SealedReaction => {
  const encIv = randomBytes(ivBytes);
  const info = `${id}${author.lid ?? author.jid}${editor.lid ?? editor.jid}${useOf.reaction}`;
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, info), encIv);
  return { encIv, encPayload: Buffer.concat([cipher.update(reaction), cipher.final(), cipher.getAuthTag()]) };
};

/** Null when the secret is not the one that encrypted it, or it was encrypted for other people. */
export const openUpdate = (update: EncryptedUpdate, { id, secret, author, editor }: Opening): Uint8Array | null => {
  for (const authorName of namesOf(author)) {
    for (const editorName of namesOf(editor)) {
      const info = `${id}${authorName}${editorName}${useOf[update.use]}`;
      const opened = openedWith(keyOf(secret, info), update, isBound(update.use) ? `${id}\0${editorName}` : null);
      if (opened !== null) return opened;
    }
  }
  return null;
};
