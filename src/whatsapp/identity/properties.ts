/**
 * AB properties: switches by which the network enables behaviour. A query with a hash returns only changes since, so the values are stored
 * with it, and a hash without values is not sent (whatsapp-rust `fetch_props`, 2026-08-21; zapo `WaAbPropsCoordinator`, 2026-08-19).
 */
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '../library/nodes.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { noteMigrationSwitch } from './lid-migration.ts';
import { factsOf, keepFacts } from './account.ts';

/** By number; the network has used both numbers and names. */
const names = {
  10518: 'privacy_token_sending_on_all_1_on_1_messages',
  9666: 'profile_scraping_privacy_token_in_photo_iq',
  14303: 'lid_trusted_token_issue_to_lid',
  24941: 'wa_nct_token_send_enabled',
  9435: 'lid_one_on_one_migration_enabled',
} as const;

type Code = keyof typeof names;

/** Until the network has told (docs/internals/sources.md). */
const defaults = { 10518: true, 9666: true, 14303: false } as const;

const maxHash = 200;

const isOn = (value: string): boolean => value === 'true' || value === '1';

export const propertyOf = (creds: AuthenticationCreds, code: Code): boolean | undefined =>
  factsOf(creds).properties?.values[code];

export const isEnabled = (creds: AuthenticationCreds, code: keyof typeof defaults): boolean =>
  propertyOf(creds, code) ?? defaults[code];

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
