/**
 * The part of a login payload that tells of the account's chats; the engine writes the rest.
 *
 * Rule: whether the account's chats are kept by LID, and a count of logins, which is 1. Source: whatsmeow `getLoginPayload` (clientpayload.go, 2026-08-21), which
 * says true and 1. Contested: Baileys rc14, zapo and whatsapp-rust (2026-08) say false, the last with a count of 0; but an account that is written to by
 * LID is no account that has not migrated. `tellsMigration` turns it off.
 */
import type { proto } from '../engine/proto.ts';
import type { AuthenticationCreds } from '../engine/types.ts';
import { isLidMigrated } from '../identity/addressing.ts';

const tellsMigration: boolean = true;

export const loginPayloadOf = (creds: AuthenticationCreds): Pick<proto.IClientPayload, 'lidDbMigrated' | 'lc'> =>
  tellsMigration ? { lidDbMigrated: isLidMigrated(creds), lc: 1 } : {};
