/**
 * AB properties: switches by which the network enables behaviour for an account.
 *
 * Rule: a query with a hash returns only changes since that hash, so values are stored with it, and a hash without values is not sent.
 * Source: whatsapp-rust `fetch_props` (2026-08-21), zapo `WaAbPropsCoordinator` (2026-08-19). Baileys rc14 stores only the hash.
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '../engine/nodes.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import { noteMigrationSwitch } from './lid-migration.ts';
import { factsOf, keepFacts } from './account.ts';

/** Supported switches by number; the network has used both numbers and names. */
const names = {
  10518: 'privacy_token_sending_on_all_1_on_1_messages',
  9666: 'profile_scraping_privacy_token_in_photo_iq',
  14303: 'lid_trusted_token_issue_to_lid',
  24941: 'wa_nct_token_send_enabled',
  9435: 'lid_one_on_one_migration_enabled',
} as const;

type Code = keyof typeof names;

/** Switches that the engine supports. */
const engineSwitches = {
  privacyTokenOn1to1: 10518,
  profilePicPrivacyToken: 9666,
  lidTrustedTokenIssueToLid: 14303,
} as const satisfies Partial<Record<keyof WASocket['serverProps'], Code>>;

const maxHash = 200;

const isOn = (value: string): boolean => value === 'true' || value === '1';

/** Undefined if the network has not told it. */
export const propertyOf = (creds: AuthenticationCreds, code: Code): boolean | undefined =>
  factsOf(creds).properties?.values[code];

/** Applies the stored switches to the engine until the network answers. */
export const applyProperties = (sock: Pick<WASocket, 'serverProps'>, creds: AuthenticationCreds): void => {
  for (const [field, code] of Object.entries(engineSwitches)) {
    const value = propertyOf(creds, code);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a key of the table above
    if (value !== undefined) sock.serverProps[field as keyof typeof engineSwitches] = value;
  }
};

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

/** The hash to query with; undefined: query all. */
export const propertiesHash = (creds: AuthenticationCreds): string | undefined => factsOf(creds).properties?.hash;

/** Stores and applies an answer. `asked`: the hash of the query. */
export const learnProperties = (
  sock: Pick<WASocket, 'serverProps' | 'ev'>,
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
  applyProperties(sock, creds);
  noteMigrationSwitch(sock, creds, told[9435]);
};
