/** Common first steps of flows: phones, a linked device, its events. */
import type { EventEnvelope } from '../../src/domain/event.ts';
import type { Installation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';

/** The part of an installation that the steps need, in this process or another. */
export type Place = Pick<Installation, 'api' | 'phones'>;

export const ada = '4915550001111';
export const bob = '4915550002222';

export const addPhones = async (installation: Place): Promise<void> => {
  await installation.phones.add(ada, 'Ada');
  await installation.phones.add(bob, 'Bob');
};

export const statusOf = async (installation: Place, id: number): Promise<string> =>
  (await installation.api.get(`/devices/${id}`)).body.device.status as string;

export const untilStatus = (installation: Place, id: number, status: string): Promise<boolean> =>
  eventually(`device ${id} is ${status}`, async () => (await statusOf(installation, id)) === status);

/** Waits until the session is open, not only linked. */
export const untilOpen = (installation: Place, id: number): Promise<boolean> =>
  eventually(
    `the session of device ${id} is open`,
    async () => (await installation.api.get(`/devices/${id}/session`)).body.session.state === 'open',
  );

/** How many times a device's session has been renewed. */
export const reconnectsOf = async (installation: Place, id: number): Promise<number> =>
  (await installation.api.get(`/devices/${id}/session`)).body.session.reconnects;

/** Waits until the session has been renewed, and is open. A session that is to be dropped is `open` for some time yet. */
export const untilReconnected = (installation: Place, id: number, reconnects: number): Promise<boolean> =>
  eventually(`the session of device ${id} is open again`, async () => {
    const { session } = (await installation.api.get(`/devices/${id}/session`)).body;
    return session.state === 'open' && session.reconnects > reconnects;
  });

/** Creates a device and lets the phone scan it. The device's id. */
export const linkDevice = async (
  installation: Place,
  number: string = ada,
  body: Readonly<Record<string, unknown>> = {},
): Promise<number> => {
  const created = await installation.api.post('/devices', body);
  if (created.status !== 200) throw new Error(`create: ${created.status} ${JSON.stringify(created.body)}`);
  const { id } = created.body.device as { id: number };
  // Reading the picture takes as long as the rest of the scan; the tests of pairing do it.
  const { data } = await untilEvent(installation, id, 'connection.auth');
  await installation.phones.scan(number, (data as { qrText: string }).qrText);
  await untilOpen(installation, id);
  return id;
};

/** A device whose QR a phone behind a passkey has scanned, and which now stands before the gate. The device's id. */
export const deviceBeforeGate = async (
  installation: Place,
  number: string = ada,
  body: Readonly<Record<string, unknown>> = {},
): Promise<number> => {
  const { device } = (await installation.api.post('/devices', body)).body;
  const refused = await installation.phones.scan(number, device.qr).catch((error: unknown) => String(error));
  if (typeof refused !== 'string' || !refused.includes('passkey')) throw new Error(`no gate: ${String(refused)}`);
  await eventually(
    'the gate',
    async () => (await installation.api.get(`/devices/${device.id}/session`)).body.session.state === 'passkey_required',
  );
  return device.id as number;
};

/** Waits until the ceremony of a device is in this step, and gives it. */
export const untilPasskey = (installation: Place, id: number, step: string) =>
  eventually(`the step ${step} of device ${id}`, async () => {
    const { passkey } = (await installation.api.get(`/devices/${id}/passkey`)).body;
    return passkey?.step === step && passkey;
  });

export const eventsOf = async (installation: Place, id: number): Promise<readonly EventEnvelope[]> =>
  (await installation.api.get(`/devices/${id}/events?limit=1000`)).body.events as EventEnvelope[];

/** Waits for an event and gives it. */
export const untilEvent = (
  installation: Place,
  id: number,
  type: string,
  matches: (data: never) => boolean = () => true,
): Promise<EventEnvelope> =>
  eventually(`a ${type} event`, async () =>
    (await eventsOf(installation, id)).find((event) => event.type === type && matches(event.data as never)),
  );

/** The service knows the chat: whoever opens it now is not told that there is none. */
export const untilChat = (installation: Place, id: number, chat: string): Promise<boolean> =>
  eventually(
    `device ${id} has the chat ${chat}`,
    async () => (await installation.api.get(`/devices/${id}/chats/${chat}`)).status === 200,
  );

/** Waits until the phone shows a message with this text, and gives it. */
export const untilShown = (installation: Place, number: string, text: string) =>
  eventually(`${number} shows the message`, async () =>
    (await installation.phones.messages(number)).find(
      (message) => message.text === text || message.image?.caption === text,
    ),
  );
