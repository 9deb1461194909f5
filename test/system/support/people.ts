/** People with phones, their groups, and devices that are linked to them: what the chaos and the soak begin with. */
import type { Api } from '../../support/api.ts';
import type { Phones } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';

/** A person with a phone. `device`: the account is linked to the service under this id. */
export interface Person {
  readonly number: string;
  readonly jid: string;
  readonly lid: string;
  readonly device: number | null;
  /** Tells nobody that a message has arrived: what the network's ack did not say, no receipt makes good. */
  readonly silent: boolean;
}

export interface Group {
  readonly jid: string;
  readonly members: readonly Person[];
}

export const addPeople = async (phones: Phones, first: number, names: readonly string[]): Promise<Person[]> => {
  const people: Person[] = [];
  for (const [index, name] of names.entries()) {
    const { number, jid, lid } = await phones.add(String(first + index), name);
    people.push({ number, jid, lid, device: null, silent: false });
  }
  return people;
};

/** Creates a device with these settings and links it; its id, once its session is open. */
export const linkDevice = async (
  client: Api,
  phones: Phones,
  { number }: Person,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<number> => {
  const created = await client.post('/devices', settings);
  if (created.status !== 200) throw new Error(`create: ${created.status} ${JSON.stringify(created.body)}`);
  const { id, qr } = created.body.device as { readonly id: number; readonly qr: string };
  await phones.scan(number, qr);
  await eventually(`device ${id} is open`, async () => {
    return (await client.get(`/devices/${id}/session`)).body.session.state === 'open';
  });
  return id;
};

export const makeGroup = async (
  phones: Phones,
  subject: string,
  owner: Person,
  others: readonly Person[],
): Promise<Group> => {
  const participants = others.map(({ number }) => number);
  const { jid } = await phones.request<{ jid: string }>('POST', '/groups', {
    subject,
    owner: owner.number,
    participants,
  });
  return { jid, members: [owner, ...others] };
};
