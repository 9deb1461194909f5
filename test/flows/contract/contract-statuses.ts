/** Statuses for generated requests: one to delete, one that was seen, and one of a contact with a picture. */
import type { Api } from '../../support/api.ts';
import type { Known } from '../../support/arbitrary.ts';
import type { Phones } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';

export interface KnownStatuses {
  readonly own: Readonly<Record<string, Known>>;
  readonly bodies: Readonly<Record<string, Known>>;
}

/** `contact` is put into the address book of the device's account. */
export const statusesFor = async (
  client: Api,
  phones: Phones,
  device: number,
  contact: string,
  imageBase64: string,
): Promise<KnownStatuses> => {
  const path = `/devices/${device}`;
  await client.put(`${path}/contacts/${contact}`, { name: 'Bob' });
  await client.put(`${path}/settings`, { statuses: 'received' });
  const post = async (): Promise<string> =>
    (await client.post(`${path}/status`, { text: 'Open', audience: 'contacts' })).body.statusId;
  const [deleted, kept] = [await post(), await post()];
  const theirs = await phones.request<{ messageId: string }>('POST', `/phones/${contact}/status`, { imageBase64 });
  await eventually(
    'the status of the contact',
    async () => (await client.get(`${path}/status?own=false`)).body.statuses.length > 0,
  );
  const statusId = [theirs.messageId];
  const none = [undefined];
  return {
    own: {
      deleteStatus: { statusId: [deleted] },
      listStatusViewers: { statusId: [kept] },
      getStatusMedia: { statusId },
      viewStatus: { statusId },
      setStatusReaction: { statusId },
    },
    bodies: {
      // Views need it.
      updateSettings: { readReceipts: [true], proxy: none, stopWords: none },
      // A file is always given, by one of three members.
      postStatus: { type: ['image'], text: none, background: none, font: none, audience: ['contacts'] },
    },
  };
};
