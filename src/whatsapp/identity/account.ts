/** The linked account, from the credentials, and what the network tells about it: facts, switches, and the move to LIDs. */
import type { AuthenticationCreds, LIDMapping } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { jidUser, lidJid, phoneJid } from '../../domain/jid.ts';
import type { Account } from '../../domain/sessions/state.ts';
import { meOf } from './people.ts';
import { gunzipSync } from 'node:zlib';
import {
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
} from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';

export const isLinked = (creds: AuthenticationCreds): boolean =>
  creds.account !== undefined && creds.account !== null && creds.me !== undefined;

export const accountOf = (creds: AuthenticationCreds): Account => {
  const { phone, lid } = meOf(creds);
  return {
    jid: phone,
    lid,
    phoneNumber: jidUser(phone),
    // "~" while the name is unknown.
    name: creds.me?.name && creds.me.name !== '~' ? creds.me.name : null,
    platform: creds.platform ?? null,
  };
};

/** Reported once by the network: stored inside the credentials (`additionalData`), and deleted with the link. */
export interface AccountFacts {
  /** When the account's name was last told, in seconds: what comes late or again may have a former one. */
  readonly namedAt?: number | undefined;
  /** Time of the app state key in use, ms. */
  readonly appStateKeyAt?: number | undefined;
  /** The account's 1:1 chats use LIDs; absent if the network has not said. */
  readonly lidMigrated?: boolean | undefined;
  readonly nctSalt?: Uint8Array | undefined;
  /** AB properties with their hash, by which the network sends only later changes. */
  readonly properties?: { readonly hash: string; readonly values: Readonly<Record<string, boolean>> };
  /** Every app state collection was read from its start and stored (`app-state/`). */
  readonly appStateKept?: boolean | undefined;
  /** Something of the app state is missing: the network refused to send it, or the database was put back. */
  readonly appStateBehind?: boolean | undefined;
  /** The collection of labels was read from its start and stored. */
  readonly labelsKept?: boolean | undefined;
}

const member = 'handset';

export const factsOf = ({ additionalData }: AuthenticationCreds): AccountFacts => {
  const facts: AccountFacts | null | undefined = additionalData?.[member];
  return facts ?? {};
};

export const setFacts = (creds: AuthenticationCreds, facts: AccountFacts): void => {
  creds.additionalData = { ...creds.additionalData, [member]: { ...factsOf(creds), ...facts } };
};

/** False if the name is known, or a newer one is. `at`: ms; not compared for a setting (`isSetting`), as settings come in their order. */
export const takeName = (creds: AuthenticationCreds, name: string, at: number, isSetting = false): boolean => {
  const [seconds, { namedAt = 0 }] = [Math.floor(at / 1_000), factsOf(creds)];
  if (creds.me === undefined || (seconds < namedAt && !isSetting)) return false;
  setFacts(creds, { namedAt: Math.max(seconds, namedAt) });
  if (creds.me.name === name) return false;
  creds.me = { ...creds.me, name };
  return true;
};

/** Like `setFacts`; the listener of `credentials` writes them. */
export const keepFacts = (sock: Pick<Socket, 'update'>, creds: AuthenticationCreds, facts: AccountFacts): void => {
  setFacts(creds, facts);
  sock.update({ additionalData: creds.additionalData });
};

/**
 * AB properties: switches by which the network enables behaviour, by number; the network has used both numbers and names. A query with a
 * hash returns only changes since, so the values are stored with it, and a hash without values is not sent (whatsapp-rust `fetch_props`,
 * 2026-08-21; zapo `WaAbPropsCoordinator`, 2026-08-19).
 */
const names = {
  10518: 'privacy_token_sending_on_all_1_on_1_messages',
  9666: 'profile_scraping_privacy_token_in_photo_iq',
  14303: 'lid_trusted_token_issue_to_lid',
  24941: 'wa_nct_token_send_enabled',
  9435: 'lid_one_on_one_migration_enabled',
} as const;

/** Until the network has told (docs/internals/sources.md). */
const defaults = { 10518: true, 9666: true, 14303: false, 24941: true } as const;

const maxHash = 200;

const isOn = (value: string): boolean => value === 'true' || value === '1';

export const isEnabled = (creds: AuthenticationCreds, code: keyof typeof defaults): boolean =>
  factsOf(creds).properties?.values[code] ?? defaults[code];

const toldBy = (props: BinaryNode): Record<string, boolean> => {
  const told = new Map(
    getBinaryNodeChildren(props, 'prop').map(({ attrs }) => [
      attrs['name'] || attrs['config_code'],
      attrs['value'] || attrs['config_value'],
    ]),
  );
  const values: Record<string, boolean> = {};
  for (const [code, name] of Object.entries(names)) {
    const value = told.get(code) ?? told.get(name);
    if (value !== undefined) values[code] = isOn(value);
  }
  return values;
};

export const propertiesHash = (creds: AuthenticationCreds): string | undefined => factsOf(creds).properties?.hash;

/** `asked`: the hash of the query. */
export const learnProperties = (
  sock: Pick<Socket, 'update'>,
  creds: AuthenticationCreds,
  answer: BinaryNode | null,
  asked: string | undefined,
): void => {
  const props = answer === null ? undefined : getBinaryNodeChild(answer, 'props');
  if (props === undefined) return;
  const { hash = '', delta_update: delta } = props.attrs;
  const told = toldBy(props);
  const isDelta = asked !== undefined && delta !== 'false';
  const before = factsOf(creds).properties;
  const values = { ...(isDelta ? before?.values : {}), ...told };
  const isSame = hash === before?.hash && JSON.stringify(values) === JSON.stringify(before.values);
  if (!isSame && hash.length <= maxHash) keepFacts(sock, creds, { properties: { hash, values } });
  noteMigrationSwitch(sock, creds, told[9435]);
};

type Emitting = Pick<Socket, 'update'>;

/**
 * Whether the account's 1:1 chats have moved to LIDs. Sources: `isChatDbLidMigrated` in the `<client-props>` of pair-success, AB property 9435,
 * the phone's mapping sync (whatsapp-rust #943, 2026-07-02, of `WAWebHandlePairSuccess`; zapo `WaMobileCoordinator`, 2026-08-19). The newest
 * statement wins, and the treatment of messages (`send/server-ack.ts`) wins over statements. Omissions mean nothing.
 */
const note = (sock: Emitting, creds: AuthenticationCreds, lidMigrated: boolean): void => {
  if (factsOf(creds).lidMigrated !== lidMigrated) keepFacts(sock, creds, { lidMigrated });
};

const clientPropsIn = (pairSuccess: BinaryNode): proto.IClientPairingProps | null => {
  const [inner] = getAllBinaryNodeChildren(pairSuccess);
  const content = getBinaryNodeChild(inner, 'client-props')?.content;
  if (!(content instanceof Uint8Array)) return null;
  try {
    return proto.ClientPairingProps.decode(content);
  } catch {
    return null;
  }
};

export const noteClientProps = (creds: AuthenticationCreds, pairSuccess: BinaryNode): void => {
  const told = clientPropsIn(pairSuccess)?.isChatDbLidMigrated;
  if (typeof told === 'boolean') setFacts(creds, { lidMigrated: told });
};

/** `told`: AB property 9435; undefined if absent. */
export const noteMigrationSwitch = (sock: Emitting, creds: AuthenticationCreds, told: boolean | undefined): void => {
  if (told !== undefined) note(sock, creds, told);
};

/** More than any phone has; further pairs are queried when needed. */
const maxPairs = 50_000;
const maxBytes = 8 * 1024 * 1024;

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** Accepts compressed (phones) and uncompressed input (whatsmeow, 2026-08-21). Throws for anything else. */
export const pairsIn = (payload: Uint8Array): LIDMapping[] => {
  const bytes = isGzip(payload) ? gunzipSync(payload, { maxOutputLength: maxBytes }) : payload;
  const { pnToLidMappings } = proto.LIDMigrationMappingSyncPayload.decode(bytes);
  return pnToLidMappings.slice(0, maxPairs).map(({ pn, latestLid, assignedLid }) => {
    const lid = Number(latestLid) > 0 ? latestLid : assignedLid;
    return { lid: lidJid(String(lid)), pn: phoneJid(String(pn)) };
  });
};

export interface MappingSyncParts {
  readonly sock: Emitting;
  readonly creds: AuthenticationCreds;
  readonly lidMapping: Pick<LidMapping, 'storeLIDPNMappings'>;
  readonly whenPhoneSpoke: Set<(message: proto.IMessage) => void>;
  readonly log: Logger;
}

/** After the migration the phone sends LID mappings. */
export const followMappingSync = ({ sock, creds, lidMapping, whenPhoneSpoke, log }: MappingSyncParts): void => {
  const follow = async (payload: Uint8Array): Promise<void> => {
    note(sock, creds, true);
    await lidMapping.storeLIDPNMappings(pairsIn(payload));
  };
  whenPhoneSpoke.add(({ protocolMessage }) => {
    if (protocolMessage?.type !== proto.Message.ProtocolMessage.Type.LID_MIGRATION_MAPPING_SYNC) return;
    follow(protocolMessage.lidMigrationMappingSyncMessage?.encodedMappingPayload ?? new Uint8Array()).catch(
      (error: unknown) =>
        log.warn({ error: messageOf(error) }, "failed to store the phone's mapping of numbers to LIDs"),
    );
  });
};
