/** The audience of statuses chosen on the phone: `status_privacy` in app state (WhatsApp Web, 2026). */
import type { KeyChange } from '../../../domain/changes.ts';
import { type Jid, jidKind } from '../../../domain/jid.ts';
import type { StatusPrivacy } from '../../../domain/messages/statuses.ts';
import { proto } from '../../library/proto.ts';
import { plainJid } from '../../identity/people.ts';
import type { SessionStore } from '../../state/session-store.ts';

const keyType = 'status-privacy';
const keyId = 'all';
const longestJid = 64;
const maxPeople = 50_000;

/** `unreadable`: close friends and custom lists, whose members companions are not told. */
type Kept = StatusPrivacy | { readonly kind: 'unreadable' };

export const peopleIn = (jids: readonly (string | null | undefined)[]): readonly Jid[] =>
  jids.slice(0, maxPeople).flatMap((jid) => {
    if (!jid || jid.length > longestJid) return [];
    const plain = plainJid(jid);
    return jidKind(plain) === 'phone' || jidKind(plain) === 'lid' ? [plain] : [];
  });

const { CONTACTS, ALLOW_LIST, DENY_LIST } = proto.SyncActionValue.StatusPrivacyAction.StatusDistributionMode;

const privacyIn = ({ mode, userJid }: proto.SyncActionValue.IStatusPrivacyAction): Kept => {
  const people = peopleIn(userJid ?? []);
  switch (mode) {
    case CONTACTS:
      return { kind: 'contacts' };
    case DENY_LIST:
      return { kind: 'except', people };
    // Also if absent, as it is the enum's first value.
    case ALLOW_LIST:
    case null:
    case undefined:
      return { kind: 'only', people };
    default:
      return { kind: 'unreadable' };
  }
};

export const privacyKey = (action: proto.SyncActionValue.IStatusPrivacyAction | null): KeyChange => ({
  type: keyType,
  id: keyId,
  value: action === null ? null : Buffer.from(JSON.stringify(privacyIn(action))),
});

/** Null: not in app state. */
export const keptPrivacy = async (store: Pick<SessionStore, 'readKeys'>, deviceId: number): Promise<Kept | null> => {
  const stored = (await store.readKeys(deviceId, keyType, [keyId])).get(keyId);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `privacyKey` alone
  return stored === undefined ? null : (JSON.parse(Buffer.from(stored).toString()) as Kept);
};
